#include "left_out/completed_scores.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/parallel.hpp"
#include "left_out/removed_rows.hpp"
#include "stats/one_block.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "train/expected_sums.hpp"

namespace suffice {
namespace {

/// Rows of a sample that are left out together.
struct LeftOutFold {
  std::vector<Index> rows;
  Matrix values;
  Statistics present, completed;  ///< of all other rows
};

}  // namespace

struct CompletedGaussian::State {
  Execution execution;
  Statistics present, completed;  ///< of all rows, of the block alone
  std::vector<LeftOutFold> folds;
  Index rows = 0;

  /// The strength that the evidence prefers stays as it is for all rows.
  EstimateOptions with_strength(EstimateOptions options) const {
    if (options.shrinkage->kind() != Shrinkage::Kind::automatic || !is_dense(options.covariance))
      return options;
    const Model model = estimate(completed, options, execution);
    if (!model.parts().found.shrinkage_rows.empty())
      options.shrinkage = Shrinkage::rows(std::min(model.parts().found.shrinkage_rows[0], 1e12));
    return options;
  }

  /// Where a feature varies in the left-out rows only, there is no model without them, and that of
  /// all rows has to do.
  Model without(const LeftOutFold& fold, const EstimateOptions& options) const {
    const bool dense = is_dense(options.covariance);
    try {
      return estimate(dense ? fold.completed : fold.present, options, execution);
    } catch (const SingularError&) {
      return estimate(dense ? completed : present, options, execution);
    }
  }

  void score(const LeftOutFold& fold, const EstimateOptions& options, Matrix& to) const {
    if (fold.rows.empty()) return;
    const Model model = without(fold, options);
    const LogLikelihoods scores = log_likelihood(model, RowBlock(fold.values), {}, execution);
    for (std::size_t k = 0; k < fold.rows.size(); ++k)
      std::ranges::copy(scores.values.row(static_cast<Index>(k)), to.row(fold.rows[k]).begin());
  }
};

CompletedGaussian::CompletedGaussian(const Statistics& statistics, const Completion& completion,
                                     std::size_t block, const SampledRows& sample,
                                     const Execution& execution)
    : state_(std::make_unique<State>(
          State{.execution = {.threads = execution.threads, .stop = execution.stop},
                .present = statistics_of_block(statistics, block),
                .completed = statistics_of_block(completion.statistics, block),
                .folds = {}})) {
  State& state = *state_;
  const RowBlock all = sample.left_out();
  const RemovedRows removed(all, statistics.labels(), statistics.weights());
  const Matrix values = numbers_of_block(statistics.schema(), block, all);
  const Statistics& plain = state.present;
  state.rows = all.rows();
  std::vector<Index> seen(static_cast<std::size_t>(statistics.labels().size()));
  std::vector<std::vector<Index>> dealt(folds);
  for (Index i = 0; i < state.rows; ++i)
    if (const Index c = removed[i].label; c >= 0)
      dealt[static_cast<std::size_t>(seen[static_cast<std::size_t>(c)]++ % folds)].push_back(i);
  for (std::vector<Index>& rows : dealt) {
    Matrix part(std::ssize(rows), values.cols());
    std::vector<std::int32_t> label;
    Vector weight(std::ssize(rows));
    for (Index k = 0; k < std::ssize(rows); ++k) {
      std::ranges::copy(values.row(rows[static_cast<std::size_t>(k)]), part.row(k).begin());
      const RemovedRow row = removed[rows[static_cast<std::size_t>(k)]];
      label.push_back(static_cast<std::int32_t>(row.label));
      weight[k] = row.weight;
    }
    const RowBlock block_rows(
        MatrixView(part),
        Column(label.data(), std::ssize(label), Strings(statistics.labels().list())),
        Column(weight));
    Statistics present(plain.schema(), {.labels = statistics.labels().list()});
    ExpectedSums expected(*completion.expectation[block], plain.schema(),
                          plain.schema().blocks().front(), ExpectedSums::Which::all);
    if (!rows.empty()) {
      present.update(block_rows, state.execution);
      expected.add(block_rows, state.execution);
    }
    state.folds.push_back({.rows = std::move(rows),
                           .values = std::move(part),
                           .present = subtract(plain, present).rest,
                           .completed = subtract(state.completed, expected.expected()).rest});
  }
}
CompletedGaussian::~CompletedGaussian() = default;
CompletedGaussian::CompletedGaussian(CompletedGaussian&&) noexcept = default;

ScoresOfEstimates CompletedGaussian::scores(const std::vector<EstimateOptions>& shapes,
                                            const std::vector<Tails>& tails) const {
  const State& state = *state_;
  ScoresOfEstimates result;
  for (const EstimateOptions& shape : shapes) {
    EstimateOptions options = state.with_strength(shape);
    for (const Tails& of : tails) {
      options.tails = of;
      Matrix& scores = result.emplace_back(state.rows, state.completed.labels().size());
      for (const LeftOutFold& fold : state.folds) {
        if (state.execution.stop.stop_requested()) throw Cancelled();
        state.score(fold, options, scores);
      }
    }
  }
  return result;
}

}  // namespace suffice
