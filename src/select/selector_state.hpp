#pragma once
// What a Selector knows between its passes.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "data/folds.hpp"
#include "select/calibrated_folds.hpp"
#include "select/dominant_rows.hpp"
#include "select/fold_models.hpp"
#include "select/score_sums.hpp"
#include "stats/grouped_statistics.hpp"
#include "stats/labels.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/select/select.hpp"

namespace suffice {

struct Selector::State {
  State(Schema schema, SelectOptions given);

  SelectOptions options;
  CandidatePlan plan;
  Folds folds;
  GroupedStatistics sums;         ///< by class and fold
  bool one_at_a_time = false;     ///< leave-one-out; then all rows are in fold 1
  bool summed_elsewhere = false;  ///< the first pass; then only weights can tell how many rows
  bool learned = false;
  std::optional<Statistics> beside;  ///< of rows that are not scored

  // After the first pass. Folds are counted in the order of their names.
  Index rows = 0;                       ///< with a weight
  std::vector<std::string> fold_names;  ///< sorted
  std::vector<Index> fold_position;     ///< of a number that Folds gives
  std::vector<Index> fold_number;       ///< that Folds gives, by position
  std::optional<Statistics> all;        ///< of all rows
  std::optional<Costs> costs;
  RowsOfFolds rows_again = {};                            ///< for candidates that take passes
  bool keep_models = true;                                ///< from one block of rows to the next
  std::vector<std::unique_ptr<FoldModels>> models;        ///< per fold; null: not at hand
  std::vector<std::optional<LeaveOneOut>> leave_one_out;  ///< per candidate
  DominantScores dominant;                                ///< of leave-one-out
  std::vector<std::vector<ScoreSums>> scores;             ///< fold × candidate
  std::vector<std::optional<Priors>> fold_priors;         ///< frequencies of the other folds' rows
  std::optional<CalibratedFolds> kept;                    ///< with SelectOptions::calibrate
  Index rows_scored = 0;                                  ///< before this block, of whatever weight
  std::vector<std::optional<Calibration>> calibrations;   ///< per candidate
  std::vector<std::vector<ScoreSums>> calibrated_scores;  ///< fold × candidate
  std::vector<Sentence> errors;                           ///< per candidate
  std::vector<double> parameters, seconds;                ///< per candidate

  // After the second pass.
  std::optional<EstimateOptions> chosen;
  std::optional<Calibration> chosen_calibration;
  bool predicts = false;                   ///< `plan` has the chosen candidate only
  FoldPredictions* predictions = nullptr;  ///< of the rows at hand, in a third pass

  const Names& labels() const noexcept { return sums.labels(); }

  /// Row by row: the class and the fold, -1 for a row of weight 0.
  struct Places {
    EncodedNames labels;
    std::vector<std::int32_t> folds;

    std::span<const std::int32_t> classes() const { return {labels.code.data(), folds.size()}; }
  };
  Places places(const RowBlock& block, const Column& names, const double* weight,
                const Execution& execution);

  /// Some rows of a fold.
  struct Task {
    Index fold;
    std::span<const Index> rows;
  };

  void end_first_pass();
  void sort_folds();
  void require_decisions();
  /// Makes the models of these folds, and uses them one after the other.
  void prepare(std::span<const Index> of_folds, const Execution& execution,
               const std::function<void(Index fold)>& use);
  /// The rows outside a fold, for candidates that take passes; none where they cannot be read
  /// again.
  FoldTraining training_without(Index fold) const;
  void prepare_leave_one_out(const Execution& execution);
  void prepare_dominant(const RowBlock& block, const Places& at, const double* weight,
                        const Execution& execution);
  BlockScores leave_one_out_scores(Index candidate, const RowBlock& gathered, const Task& task,
                                   std::span<const Index> truth, std::span<const double> weights,
                                   const Execution& execution) const;
  ScoreSums measured(LogLikelihoods scores, Index fold, std::span<const Index> truth,
                     std::span<const double> weights, const Execution& execution) const;
  /// The priors of the rows of a fold. Frequencies without one row each are added to the scores.
  Priors priors_of(LogLikelihoods& of, Index fold, std::span<const Index> truth,
                   std::span<const double> weights) const;
  void begin_predictions();
  /// Scores rows by the models of the other folds.
  void pass(const RowBlock& block, const Column& names, const Execution& execution);
  void predict(BlockScores of, const Task& task, std::span<const Index> truth,
               std::span<const double> weights, const Execution& execution) const;
  void calibrate(const Execution& execution);
  void note_models(Index fold);
  void score(const RowBlock& block, const Places& at, const double* weight,
             std::span<const Task> tasks, Progress& progress, const Execution& execution);
  FoldScores added_up_scores() const;
  void add(const FoldScores& more);
  /// Throws where the second passes had not the weight of the first one.
  void require_all_scored() const;
  CandidateResult result(Index candidate) const;
  std::vector<std::string> notes() const;
};

}  // namespace suffice
