#include "left_out/completed_scores.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/parallel.hpp"
#include "core/take.hpp"
#include "data/folds.hpp"
#include "left_out/removed_rows.hpp"
#include "stats/filled.hpp"
#include "stats/one_block.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "train/expected_sums.hpp"

namespace suffice {
namespace {

/// Folds need not be as exact as the model: nats per row at which their EM stops.
constexpr double tolerance_in_folds = 1e-4;

/// Rows of a sample that are left out together, and the sums of all others.
struct LeftOutFold {
  std::vector<Index> rows;
  Matrix values;
  std::optional<Statistics> present, completed;  ///< none: they cannot be completed
};

/// The value of all rows but one: that of two among the first three. None: there is no such value.
std::optional<double> common_value(const Matrix& values, Index feature) {
  if (values.rows() < 3) return {};
  const double a = values(0, feature), b = values(1, feature), c = values(2, feature);
  if (a == b || a == c) return a;
  return b == c ? std::optional(b) : std::nullopt;
}

/// Throws where a class has incomplete rows only. Diagonal sums take each value by itself.
void require_complete_rows(const Statistics& alone) {
  const auto& sums = std::get<GaussianStatistics>(alone.blocks().front());
  if (sums.kind == Scatter::diagonal) return;
  for (Index c = 0; c < alone.labels().size(); ++c)
    if (alone.weights()[c] > 0 && !(sums.classes[static_cast<std::size_t>(c)].complete.weight > 0))
      throw InvalidArgument({.label = alone.labels()[c]}, "no row has all features",
                            "leave out the features that are often missing");
}

/// The sampled rows of a block, and the fold of each.
struct DealtRows {
  Names labels;
  Matrix values;
  std::vector<std::int32_t> label, fold;  ///< −1: of no class, or of weight 0
  Vector weight, left_out;                ///< of a row, and what of it is left out with its fold

  DealtRows(const Statistics& statistics, std::size_t block, const SampledRows& sample,
            std::uint64_t seed)
      : labels(statistics.labels()),
        values(numbers_of_block(statistics.schema(), block, sample.left_out())),
        weight(sample.size()),
        left_out(sample.size()) {
    const RowBlock rows = sample.left_out();
    const RemovedRows removed(rows, labels, statistics.weights());
    for (Index i = 0; i < sample.size(); ++i) {
      label.push_back(static_cast<std::int32_t>(removed[i].label));
      left_out[i] = removed[i].weight;
      weight[i] = removed[i].weight * sample.copies()[i];
    }
    Folds deal = Folds::dealt(CompletedGaussian::folds, seed);
    fold = deal.next(labels, label.data(), sample.size(), Column(), nullptr);
  }

  /// Sums of no row yet.
  Statistics nothing(const Statistics& like) const {
    return Statistics(like.schema(), {.scatter = scatter_of(like), .labels = labels.list()});
  }
  /// Rows with these weights.
  RowBlock block(const Vector& weights) const {
    return RowBlock(MatrixView(values),
                    Column(label.data(), std::ssize(label), Strings(labels.list())),
                    Column(weights));
  }
  /// The rows of a fold with the weights that are left out, and all rows with the rest.
  Vector weights_in(Index of) const {
    Vector result(left_out.size());
    for (Index i = 0; i < result.size(); ++i)
      if (fold[static_cast<std::size_t>(i)] == of) result[i] = left_out[i];
    return result;
  }
  Vector weights_outside(Index of) const {
    Vector result = weight;
    for (Index i = 0; i < result.size(); ++i)
      if (fold[static_cast<std::size_t>(i)] == of) result[i] -= left_out[i];
    return result;
  }
};

}  // namespace

double share_of_lone_rows(const Schema& schema, std::size_t block, const SampledRows& sample) {
  const Matrix values = numbers_of_block(schema, block, sample.left_out());
  std::vector<bool> lone(static_cast<std::size_t>(values.rows()));
  for (Index j = 0; j < values.cols(); ++j) {
    const std::optional<double> common = common_value(values, j);
    Index others = 0, last = 0;
    for (Index i = 0; common && others < 2 && i < values.rows(); ++i)
      if (values(i, j) != *common) {
        ++others;
        last = i;
      }
    if (others == 1) lone[static_cast<std::size_t>(last)] = true;
  }
  return static_cast<double>(std::ranges::count(lone, true)) /
         std::max(static_cast<double>(values.rows()), 1.0);
}

struct CompletedGaussian::State {
  Execution execution;
  Index rows = 0, classes = 0;
  std::vector<LeftOutFold> folds = {};
  std::vector<bool> unknown = {};

  void score(const LeftOutFold& fold, const EstimateOptions& options, Matrix& to) const {
    if (fold.rows.empty() || !fold.present) return;
    const Model model = estimate(is_dense(options.covariance) ? *fold.completed : *fold.present,
                                 options, execution);
    const LogLikelihoods scores = log_likelihood(model, RowBlock(fold.values), {}, execution);
    for (std::size_t k = 0; k < fold.rows.size(); ++k)
      std::ranges::copy(scores.values.row(static_cast<Index>(k)), to.row(fold.rows[k]).begin());
  }
};

namespace {

/// The sums, with what they lack where that is wanted.
Statistics filled_if(bool wanted, Statistics sums) {
  if (!wanted) return sums;
  std::optional<Filled> found = filled(sums);
  return found ? std::move(found->statistics) : std::move(sums);
}

/// The sums of all rows outside each fold, completed by densities that are known by fold.
void complete_all_rows(const Statistics& statistics, std::size_t block, const DealtRows& dealt,
                       const RowPass& all_rows, bool fills, std::vector<LeftOutFold>& folds,
                       const std::vector<std::shared_ptr<const Model>>& densities,
                       const Execution& execution) {
  const Schema& schema = statistics.schema();
  const Statistics plain = statistics_of_block(statistics, block);
  std::vector<std::optional<ExpectedSums>> sums(folds.size());
  for (std::size_t f = 0; f < folds.size(); ++f)
    if (densities[f])
      sums[f].emplace(*densities[f], schema, schema.blocks()[block], ExpectedSums::Which::all);
  all_rows([&](const RowBlock& rows) {
    for (auto& of_fold : sums)
      if (of_fold) of_fold->add(rows, execution);
    if (execution.stop.stop_requested()) throw Cancelled();
  });
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (!sums[f]) continue;
    const Vector weights = dealt.weights_in(static_cast<Index>(f));
    ExpectedSums part(*densities[f], plain.schema(), plain.schema().blocks().front(),
                      ExpectedSums::Which::all);
    part.add(dealt.block(weights), execution);
    Statistics present = dealt.nothing(plain);
    present.update(dealt.block(weights), execution);
    folds[f].present = filled_if(fills, subtract(plain, present).rest);
    folds[f].completed = filled_if(fills, subtract(sums[f]->expected(), part.expected()).rest);
  }
}

}  // namespace

CompletedGaussian::CompletedGaussian(const Statistics& statistics, std::size_t block,
                                     const SampledRows& sample, const FoldCompletion& completion,
                                     const Execution& execution)
    : state_(std::make_unique<State>(
          State{.execution = {.threads = execution.threads, .stop = execution.stop},
                .rows = sample.size(),
                .classes = statistics.labels().size()})) {
  State& state = *state_;
  const DealtRows dealt(statistics, block, sample, completion.seed);
  CompletionOptions options{.estimate = completion.estimate, .passes = completion.passes};
  options.passes.tolerance = std::max(options.passes.tolerance, tolerance_in_folds);
  state.folds.resize(folds);
  state.unknown.resize(static_cast<std::size_t>(state.rows));
  std::vector<std::shared_ptr<const Model>> densities(folds);
  std::optional<InvalidArgument> impossible;
  // Where all rows lack something for a density, and have got it, those outside a fold get it, too.
  Statistics sampled = dealt.nothing(statistics_of_block(statistics, block));
  sampled.update(dealt.block(dealt.weight), state.execution);
  const bool fills = filled(sampled).has_value();
  for (Index f = 0; f < folds; ++f) {
    LeftOutFold& fold = state.folds[f];
    for (Index i = 0; i < state.rows; ++i)
      if (dealt.fold[i] == f) fold.rows.push_back(i);
    if (fold.rows.empty()) continue;
    fold.values = some_rows(dealt.values, fold.rows);
    const Vector weights = dealt.weights_outside(f);
    const RowBlock others = dealt.block(weights);
    Statistics present = dealt.nothing(statistics_of_block(statistics, block));
    present.update(others, state.execution);
    present = filled_if(fills, std::move(present));
    try {
      if (!completion.complete_missing) {
        require_complete_rows(present);
        fold.completed = fold.present = std::move(present);
        continue;
      }
      const Completion completed = complete(
          present, [&](const auto& use) { use(others); }, options, state.execution);
      fold.completed = completed.statistics;
      densities[f] = completed.expectation.front();
      if (!densities[f])  // none of these rows lacks a number
        densities[f] = std::make_shared<const Model>(completed.model(state.execution));
      fold.present = std::move(present);
    } catch (const InvalidArgument& error) {
      impossible = error;
      for (const Index i : fold.rows) state.unknown[static_cast<std::size_t>(i)] = true;
    }
  }
  if (std::ranges::none_of(state.folds, [](const auto& of) { return of.present.has_value(); }) &&
      impossible)
    throw *impossible;
  if (completion.all_rows)
    complete_all_rows(statistics, block, dealt, completion.all_rows, fills, state.folds, densities,
                      state.execution);
}
CompletedGaussian::~CompletedGaussian() = default;
CompletedGaussian::CompletedGaussian(CompletedGaussian&&) noexcept = default;

const std::vector<bool>& CompletedGaussian::unknown() const { return state_->unknown; }

ScoresOfEstimates CompletedGaussian::scores(const std::vector<EstimateOptions>& shapes,
                                            const std::vector<Tails>& tails) const {
  const State& state = *state_;
  ScoresOfEstimates result;
  for (EstimateOptions options : shapes)
    for (const Tails& of : tails) {
      options.tails = of;
      Matrix& scores = result.emplace_back(state.rows, state.classes);
      for (const LeftOutFold& fold : state.folds) {
        if (state.execution.stop.stop_requested()) throw Cancelled();
        state.score(fold, options, scores);
      }
    }
  return result;
}

}  // namespace suffice
