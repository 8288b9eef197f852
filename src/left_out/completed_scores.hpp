#pragma once
// Scores of sampled rows that are left out in folds: the sums of all other rows are made anew. That
// is for what leaving out one row at a time would hold as it is for all rows. Completed sums
// (train/completion.hpp) have expectations that every row had a part in, so EM begins again without
// the fold. And a feature that a single row makes vary is none without it.

#include <cstdint>
#include <memory>
#include <vector>

#include "left_out/sampled_scores.hpp"
#include "suffice/train/completion.hpp"

namespace suffice {

/// How the sums of rows outside a fold are completed.
struct FoldCompletion {
  EstimateOptions estimate;
  bool complete_missing = true;  ///< otherwise dense structures use complete rows
  PassOptions passes = {};
  /// All rows of the statistics, under their schema; none: these are the sampled ones. EM itself
  /// passes over sampled rows only. What it finds then completes the sums of all rows.
  RowPass all_rows = {};
  std::uint64_t seed = 0;  ///< deals the folds
};

/// The share of rows that alone make a feature of the block vary, such as the only row of a level.
double share_of_lone_rows(const Schema& schema, std::size_t block, const SampledRows& sample);

/// A Gaussian block; missing numbers are completed.
class CompletedGaussian {
 public:
  static constexpr Index folds = 5;

  /// Throws as `complete` where no fold has a score.
  CompletedGaussian(const Statistics& statistics, std::size_t block, const SampledRows& sample,
                    const FoldCompletion& completion, const Execution& execution);
  ~CompletedGaussian();
  CompletedGaussian(CompletedGaussian&&) noexcept;

  /// Per row: whether it has no score, since outside its fold some class has no value of a feature,
  /// or no complete row where only these are used.
  const std::vector<bool>& unknown() const;

  /// Each shape with all tails, shape by shape, as SampledGaussian does. Structures that take
  /// features one by one are estimated from the values that are present. Throws InvalidArgument and
  /// SingularError as estimate.
  ScoresOfEstimates scores(const std::vector<EstimateOptions>& shapes,
                           const std::vector<Tails>& tails) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suffice
