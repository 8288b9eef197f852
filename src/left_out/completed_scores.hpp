#pragma once
// Scores of sampled rows by models of completed sums (train/completion.hpp). What a row that lacks
// numbers adds to completed sums is an expectation, so rows are left out in folds: the expected
// sums of a fold's rows are subtracted, and a model of what is left scores them. The expectations
// of the other rows still know the left-out ones a little; nothing else does.

#include <memory>
#include <vector>

#include "left_out/sampled_scores.hpp"
#include "suffice/train/completion.hpp"

namespace suffice {

/// A Gaussian block whose sums were completed.
class CompletedGaussian {
 public:
  static constexpr Index folds = 5;

  CompletedGaussian(const Statistics& statistics, const Completion& completion, std::size_t block,
                    const SampledRows& sample, const Execution& execution);
  ~CompletedGaussian();
  CompletedGaussian(CompletedGaussian&&) noexcept;

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
