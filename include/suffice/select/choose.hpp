#pragma once
// Choosing a model, its tails and its calibration from the sums and a sample of the rows.
//
//   Statistics statistics(schema);
//   Reservoir reservoir(schema);
//   for (RowBlock rows : blocks) { statistics.update(rows); reservoir.update(rows); }
//   const Choice choice = choose(statistics, reservoir.sample());
//   Model model = choice.model(statistics);
//
// Candidates are estimated from the sums of all rows. Each row of the sample is scored by every
// candidate without that row, exactly (left_out/leave_one_out.hpp), and each candidate's scores are
// calibrated. The candidate with the least log-loss wins, unless the first one, the model that the
// evidence prefers (what `estimate` does by default), is within one standard error of it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "suffice/estimate/estimate.hpp"
#include "suffice/models/calibration.hpp"
#include "suffice/select/select.hpp"
#include "suffice/stats/reservoir.hpp"
#include "suffice/train/completion.hpp"

namespace suffice {

/// Reads all rows of the statistics again, under a schema of the same columns.
using RowsAgain =
    std::function<void(const Schema& schema, const std::function<void(const RowBlock&)>& use)>;

/// How missing numbers of joint Gaussian blocks are dealt with.
struct MissingOptions {
  MissingNumbers numbers = MissingNumbers::automatic;
  PassOptions passes = {};
  RowsAgain rows = {};  ///< none: complete rows only

  /// Whether estimates with these options take completed sums.
  bool completes(const Statistics& statistics, const EstimateOptions& options) const;
  /// The completed sums.
  Completion complete(const Statistics& statistics, const EstimateOptions& options,
                      const Execution& execution = {}) const;
};

struct ChooseOptions {
  /// The options that are not up for choice, by their names (estimate_options()): every candidate
  /// has the values of `given`.
  std::vector<std::string> fixed = {};
  EstimateOptions given = {};
  bool calibrate = true;  ///< otherwise scores are compared as they are
  MissingOptions missing = {};
  std::uint64_t seed = 0;  ///< deals the folds, where several rows are left out at a time
};

struct Choice {
  struct Candidate {
    EstimateOptions options;
    /// Calibrated, leave-one-out; under the frequencies of the classes.
    double error_rate = 0, log_loss = 0;
  };
  /// Best first; those that cannot be estimated are left out.
  std::vector<Candidate> candidates = {};
  Index chosen = -1;     ///< position among the candidates; −1: nothing could be chosen
  Index incumbent = -1;  ///< position of the first proposal; −1: it cannot be estimated
  EstimateOptions options = {};
  std::optional<Calibration> calibration = {};
  double rows = 0;         ///< that were scored, of the sample or of all folds
  Index folds = 0;         ///< of all rows; 0: the sample was scored
  Index sample_folds = 0;  ///< of the sample; 0: one row was left out at a time
  /// Of the frequencies of the classes alone.
  double prior_error_rate = 0, prior_log_loss = 0;
  /// Why nothing was chosen; then the options are those of the first proposal, the model that the
  /// evidence prefers.
  Sentence reason = {};
  /// The completed sums from which the model is estimated; null: the statistics as they are.
  std::shared_ptr<const Completion> completion = {};
  /// Why missing numbers were not completed although they were to be.
  Sentence incomplete_reason = {};

  /// The chosen one.
  const Candidate* best() const { return chosen < 0 ? nullptr : &candidates[chosen]; }
  /// Completes the sums for the chosen options, where missing numbers are to be completed.
  void complete(const Statistics& statistics, const MissingOptions& missing,
                const Execution& execution = {});
  /// The model of all rows with the chosen options, their calibration and the figures of the
  /// choice (EstimateFound). Throws as estimate.
  Model model(const Statistics& statistics, const Execution& execution = {}) const;
};

/// `sample` are rows of the statistics. Throws InvalidArgument for given options that are
/// impossible, DataError where a row cannot have been among those of the statistics, Cancelled.
Choice choose(const Statistics& statistics, const SampledRows& sample,
              const ChooseOptions& options = {}, const Execution& execution = {});

/// For rows that belong together (several of one person, frames of one video): none of them may be
/// in the model that scores another. The candidates of `choose` go to a Selector with such folds,
///
///   Selector selector(schema, {.candidates = candidates_to_choose(statistics, options)});
///
/// and its result becomes a choice, by the same rule. Throw as propose and choose.
std::vector<EstimateOptions> candidates_to_choose(const Statistics& statistics,
                                                  const ChooseOptions& options = {});
Choice choice_by_folds(const Selection& selection, const Statistics& statistics,
                       const ChooseOptions& options = {});

/// What choose needs of the scatter: the whole of it up to 1000 numbers, and thin factors where
/// there are no more rows than features (scatter_for_rows). Without `rows` these are many.
Scatter scatter_to_choose(const Schema& schema, const ChooseOptions& options,
                          std::optional<Index> rows = {});

}  // namespace suffice
