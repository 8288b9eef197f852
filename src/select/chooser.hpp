#pragma once
// Candidates measured on a sample of rows: each row is scored without itself, the scores are
// calibrated, and each row has a log-loss.

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "left_out/completed_scores.hpp"
#include "left_out/sampled_scores.hpp"
#include "select/proposals.hpp"
#include "suffice/calibrate/fit_calibration.hpp"
#include "suffice/select/choose.hpp"

namespace suffice {

/// One candidate on the sample.
struct Measured {
  EstimateOptions options;
  Vector loss;  ///< per row; NaN: the row has no part
  double error_rate = 0, log_loss = 0;
  Calibration calibration;
};

/// The rows of a sample: their weights, and how many copies of a row each of them is.
struct RowWeights {
  Vector weight, copies;
};

/// Whether `other` is better than `first` by more than the standard error of the difference, over
/// the rows that have a part in both. They may be of different schemas.
bool is_better(const Measured& other, const Measured& first, const RowWeights& rows);

struct ChooserInput {
  const Statistics& statistics;
  const SampledRows& sample;
  Proposals proposals;
  bool calibrate = true;
  /// How missing numbers of Gaussian blocks are completed; null: dense structures use complete
  /// rows.
  const MissingOptions* missing = nullptr;
  /// The statistics are those of the sample, whose classes do not have the frequencies that they
  /// have among all rows.
  bool sample_alone = false;
};

class Chooser {
 public:
  Chooser(ChooserInput input, const Execution& execution);

  /// Measures all candidates and picks one. Where none can be measured, the options are those of
  /// the first proposal.
  Choice run();

  /// After run: the candidate with the least log-loss; null: there is none.
  const Measured* best() const;
  /// After run: of the rows of the sample.
  RowWeights row_weights() const { return {weight_, input_.sample.copies()}; }

 private:
  void read_rows();
  void prior_alone(Choice& choice) const;
  bool has_all_rows() const;
  bool is_scored_in_folds(std::size_t block) const;
  FoldCompletion fold_completion() const;
  void score_other_blocks();
  void measure();
  void measure_group(const std::vector<EstimateOptions>& group, bool has_default);
  Measured measured(EstimateOptions options, const std::vector<Matrix>& scores) const;
  void pick(Choice& choice) const;

  static std::size_t at(Index size) { return static_cast<std::size_t>(size); }
  std::span<const double> weights() const { return {weight_.data(), at(weight_.size())}; }

  ChooserInput input_;
  const Statistics& statistics_;
  const Proposals& proposals_;
  Execution execution_;
  const Execution& told_;  // of the progress
  Index classes_;
  // The Gaussian blocks, and their scores.
  std::vector<std::pair<std::size_t, std::variant<SampledGaussian, CompletedGaussian>>> gaussian_;
  bool incomplete_wanted_ = true, in_folds_ = false;
  std::vector<Index> label_;  // per row; −1: has no part
  Vector weight_, log_prior_;
  double total_ = 0;            // weight of the rows that have a part
  std::vector<Matrix> scores_;  // per block; of Gaussian ones empty
  std::vector<Measured> measured_;
  Index default_ = -1;  // among them
  Sentence reason_;     // why a candidate cannot be, the first one
};

}  // namespace suffice
