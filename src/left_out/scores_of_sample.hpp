#pragma once
// Scores of sampled rows by models without them, for many candidates at once: each block by itself,
// candidates that have a decomposition in common together.

#include <utility>
#include <variant>
#include <vector>

#include "left_out/completed_scores.hpp"
#include "left_out/held_out.hpp"
#include "left_out/sampled_scores.hpp"

namespace suffice {

class ScoresOfSample : public HeldOut {
 public:
  struct Input {
    const Statistics& statistics;
    const SampledRows& sample;
    std::vector<EstimateOptions> shapes;  ///< resolved, without lda; all but their tails
    std::vector<Tails> tails;             ///< those that each shape is scored with
    /// Missing numbers of Gaussian blocks are completed. EM of the folds has the options of the
    /// first shape. Otherwise dense structures use complete rows.
    bool completes = false;
    PassOptions passes = {};
    std::uint64_t seed = 0;  ///< deals the folds
    RowPass all_rows =
        {};  ///< of the statistics; needed where they complete, and not all are sampled
    /// The statistics are those of the sample, whose classes do not have the frequencies that they
    /// have among all rows.
    bool sample_alone = false;
  };
  ScoresOfSample(Input input, const Execution& execution);

  /// Shape by shape, each with all tails. Without shapes that have projections, if rows are left
  /// out in folds: projections are for rows that lack nothing, and take long in folds.
  const std::vector<EstimateOptions>& candidates() const noexcept { return candidates_; }
  /// All sampled rows, with their importance. A row that is all of its class does not count, nor
  /// one without a score.
  const RowsToScore& rows() const noexcept { return rows_; }
  bool in_folds() const noexcept { return in_folds_; }

  void score(const RowsToScore& rows, const Use& use, const Execution& execution) const override;
  /// Without the row, also where rows are left out in folds.
  Priors frequencies(LogLikelihoods& scores, const LeftOutRows& rows) const override;
  /// Of the classes among all rows.
  const Vector& class_weights() const noexcept { return class_weights_; }

 private:
  struct GaussianBlock {
    std::size_t block;
    std::variant<SampledGaussian, CompletedGaussian> scores;
  };
  bool has_all_rows() const;
  bool is_scored_in_folds(std::size_t block) const;
  FoldCompletion fold_completion() const;
  void make_blocks(const Execution& execution);
  void read_rows();
  std::vector<std::vector<Index>> groups() const;
  std::vector<ScoresOfEstimates> gaussian_scores(const std::vector<Index>& shapes) const;
  std::vector<Matrix> other_blocks(const Execution& execution) const;

  Input input_;
  std::vector<EstimateOptions> candidates_;
  std::vector<GaussianBlock> gaussian_;
  bool incomplete_wanted_ = true, in_folds_ = false;
  RowsToScore rows_;
  Vector class_weights_;
  std::vector<double> taken_;  ///< of these, with each row
};

}  // namespace suffice
