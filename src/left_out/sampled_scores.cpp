#include "left_out/sampled_scores.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algebra/blas.hpp"
#include "core/minus_or_zero.hpp"
#include "core/parallel.hpp"
#include "core/take.hpp"
#include "data/number_reader.hpp"
#include "estimate/projected.hpp"
#include "left_out/strength_grid.hpp"
#include "stats/one_block.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

Matrix numbers_of_block(const Schema& schema, std::size_t block, const RowBlock& rows) {
  const NumberReader reader(schema, schema.blocks()[block], rows);
  const Index n = rows.rows(), d = reader.features();
  Matrix values(n, d);
  const auto [numbers, stride] = reader.read(0, n, values.data());
  if (numbers != values.data())
    for (Index i = 0; i < n; ++i) std::copy_n(numbers + i * stride, d, values.row(i).data());
  return values;
}

Matrix scores_without_row(const Statistics& statistics, std::size_t block,
                          const EstimateOptions& options, const SampledRows& sample,
                          const Execution& execution) {
  const Statistics alone = statistics_of_block(statistics, block);
  const Schema& schema = statistics.schema();
  const Block& of = schema.blocks()[block];
  const LeaveOneOut leave_one_out(alone, options, execution);
  if (std::ranges::none_of(of.features,
                           [&](Index j) { return schema.feature(j).indicator.has_value(); }))
    return leave_one_out(sample.left_out(schema, of), execution).values;
  const RowBlock all = sample.left_out();
  const Matrix values = numbers_of_block(schema, block, all);
  RowBlock rows{MatrixView(values)};
  return leave_one_out(rows.labels(all.labels()).weights(all.weights()), execution).values;
}

namespace {

/// A Gaussian block, or projections of it: the sums, and the sampled rows.
struct GaussianSpace {
  std::optional<Pca> pca;
  Statistics statistics;
  Matrix values;  ///< rows × features, NaN where missing
};

bool is_whole(const double* values, Index count) {
  return std::none_of(values, values + count, [](double x) { return std::isnan(x); });
}

/// Some feature that is not the same in all rows.
bool varies(const GaussianStatistics& sums) {
  std::vector<Moments> moments;
  for (Index c = 0; c < std::ssize(sums.classes); ++c) {
    moments.push_back(sums.moments(c));
    if (moments.back().weight.empty()) moments.pop_back();
  }
  for (Index j = 0; !moments.empty() && j < moments[0].weight.size(); ++j) {
    const Moments* first = nullptr;
    for (const Moments& of : moments) {
      if (!(of.weight[j] > 0)) continue;
      if (!first) first = &of;
      if (of.squares[j] != 0 || of.mean[j] != first->mean[j] ||
          of.mean_low[j] != first->mean_low[j])
        return true;
    }
  }
  return false;
}

}  // namespace

struct SampledGaussian::State {
  Execution execution;
  const SampledRows& sample;
  GaussianSpace features;
  std::optional<GaussianSpace> projected;  ///< the last one that was asked for
  LinearMap components;                    ///< as many as can be, once they are needed
  std::vector<bool> incomplete, last_of_class;
  bool constant = false;

  RowBlock rows_of(const GaussianSpace& space) const {
    RowBlock rows{MatrixView(space.values)};
    const RowBlock all = sample.left_out();
    return rows.labels(all.labels()).weights(all.weights());
  }

  const GaussianSpace& space(const std::optional<Pca>& pca) {
    if (!pca) return features;
    if (projected && projected->pca == pca) return *projected;
    ProjectedStatistics sums = [&] {
      if (pca->share > 0 || pca->standardize)
        return project(features.statistics, pca, {}, execution);
      if (components.empty())
        components = principal_components(features.statistics, 0, {.share = 1});
      if (pca->components > components.matrix.cols())  // says why not
        return project(features.statistics, pca, {}, execution);
      return project(features.statistics, first_components(components, pca->components), execution);
    }();
    const Matrix& map = sums.map.matrix;
    const Index n = features.values.rows(), d = map.rows(), k = map.cols();
    Matrix centered(n, d), values(n, k);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < d; ++j)
        centered(i, j) = incomplete[i] ? 0 : features.values(i, j) - sums.map.offset[j];
    blas::gemm(n, k, d, 1, centered.data(), d, map.data(), k, 0, values.data(), k);
    for (Index i = 0; i < n; ++i)
      if (incomplete[i]) std::ranges::fill(values.row(i), std::nan(""));
    projected = GaussianSpace{pca, std::move(sums.statistics), std::move(values)};
    return *projected;
  }

  /// Options without projections, whose strength is known: that of the evidence stays as it is for
  /// all rows.
  EstimateOptions with_strength(EstimateOptions options, const GaussianSpace& space) const {
    options.pca = {};
    if (options.shrinkage->kind() != Shrinkage::Kind::automatic) return options;
    const Model model = estimate(space.statistics, options, execution);
    if (!model.parts().found.shrinkage_rows.empty())
      options.shrinkage = Shrinkage::rows(std::min(model.parts().found.shrinkage_rows[0], 1e12));
    return options;
  }

  ScoresOfEstimates by_grid(const std::vector<EstimateOptions>& shapes,
                            const std::vector<Tails>& tails, const GaussianSpace& space) const {
    StrengthGrid::Axes axes{.strengths = {}, .tails = {}, .moving_target = true};
    for (const EstimateOptions& shape : shapes)  // that of the evidence has the value 0
      axes.strengths.push_back(shape.shrinkage->value());
    for (const Tails& of : tails) axes.tails.push_back(of.dof());
    EstimateOptions options = shapes.front();
    options.pca = {};
    options.tails = Tails::normal();
    const Model model =
        estimate(space.statistics,
                 {.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(1)}, execution);
    const RowBlock rows = rows_of(space);
    std::optional<StrengthGrid> grid;
    {
      Workers workers(execution, model.labels().size());
      grid.emplace(BlockInput{space.statistics, options, model, 0}, std::move(axes), workers);
    }
    const RemovedRows removed(rows, model.labels(), model.weights());
    return grid->scores(model, rows, removed, execution);
  }

  /// The marginals of rows that were never in the sums of complete rows.
  void fill_incomplete(const EstimateOptions& options, const GaussianSpace& space,
                       Matrix& scores) const {
    std::vector<Index> which;
    for (Index i = 0; i < scores.rows(); ++i)
      if (incomplete[i]) which.push_back(i);
    const Matrix values = some_rows(space.values, which);
    const Model model = estimate(space.statistics, options, execution);
    const LogLikelihoods marginal = log_likelihood(model, RowBlock(values), {}, execution);
    for (Index r = 0; r < values.rows(); ++r)
      std::ranges::copy(marginal.values.row(r), scores.row(which[r]).begin());
  }
};

SampledGaussian::SampledGaussian(const Statistics& statistics, std::size_t block,
                                 const SampledRows& sample, const Execution& execution) {
  const RowBlock rows = sample.left_out();
  Matrix values = numbers_of_block(statistics.schema(), block, rows);
  const Index n = values.rows(), d = values.cols();
  state_ = std::make_unique<State>(
      State{.execution = {.threads = execution.threads, .stop = execution.stop},
            .sample = sample,
            .features = {{}, statistics_of_block(statistics, block), std::move(values)},
            .projected = {},
            .components = {},
            .incomplete = {},
            .last_of_class = {}});
  State& state = *state_;
  const auto& sums = std::get<GaussianStatistics>(state.features.statistics.blocks()[0]);
  state.constant = !varies(sums);
  const RemovedRows removed(rows, statistics.labels(), statistics.weights());
  for (Index i = 0; i < n; ++i) {
    state.incomplete.push_back(!is_whole(state.features.values.row(i).data(), d));
    const RemovedRow row = removed[i];
    const double complete = row.label < 0 || sums.kind == Scatter::diagonal
                                ? statistics.weights()[std::max<Index>(row.label, 0)]
                                : sums.classes[row.label].complete.weight;
    state.last_of_class.push_back(!state.incomplete[i] && minus_or_zero(complete, row.weight) == 0);
  }
}
SampledGaussian::~SampledGaussian() = default;
SampledGaussian::SampledGaussian(SampledGaussian&&) noexcept = default;

const std::vector<bool>& SampledGaussian::incomplete() const { return state_->incomplete; }
const std::vector<bool>& SampledGaussian::last_of_class() const { return state_->last_of_class; }

double SampledGaussian::work_for_incomplete_rows() const {
  const auto rows = static_cast<double>(std::ranges::count(state_->incomplete, true));
  const auto d = static_cast<double>(state_->features.values.cols());
  const auto classes = static_cast<double>(state_->features.statistics.labels().size());
  return rows * d * d * d / 3 * classes;
}

SampledGaussian::Key SampledGaussian::key_of(const EstimateOptions& options, Index shape) {
  using Kind = Shrinkage::Kind;
  const Kind kind = options.shrinkage->kind();
  const bool grid = is_dense(options.covariance) && options.inference == Inference::plugin &&
                    (kind == Kind::rows || kind == Kind::automatic);
  if (!grid) return {components_of(options), {}, Target::diag, {}, shape};
  return {components_of(options), options.covariance, *options.target, options.target_share, -1};
}

ScoresOfEstimates SampledGaussian::scores(const std::vector<EstimateOptions>& shapes,
                                          const std::vector<Tails>& tails,
                                          bool incomplete_rows_wanted) const {
  State& state = *state_;
  const Index n = state.features.values.rows();
  const Index classes = state.features.statistics.labels().size();
  if (state.constant) return ScoresOfEstimates(shapes.size() * tails.size(), Matrix(n, classes));
  const GaussianSpace& space = state.space(components_of(shapes.front()));
  const bool dense = is_dense(shapes.front().covariance);
  ScoresOfEstimates result;
  if (key_of(shapes.front(), 0).covariance) {
    result = state.by_grid(shapes, tails, space);
  } else {
    for (const EstimateOptions& shape : shapes)
      for (const Tails& of : tails) {
        EstimateOptions options = state.with_strength(shape, space);
        options.tails = of;
        result.push_back(LeaveOneOut(space.statistics, options, state.execution)(
                             state.rows_of(space), state.execution)
                             .values);
      }
  }
  const bool any_incomplete = std::ranges::find(state.incomplete, true) != state.incomplete.end();
  if (!any_incomplete) return result;
  for (std::size_t k = 0; k < result.size(); ++k) {
    if (incomplete_rows_wanted) {
      if (!dense) continue;
      EstimateOptions options = shapes[k / tails.size()];
      options.pca = {};
      options.tails = tails[k % tails.size()];
      state.fill_incomplete(options, space, result[k]);
    } else {
      for (Index i = 0; i < n; ++i)
        if (state.incomplete[i]) std::ranges::fill(result[k].row(i), 0.0);
    }
  }
  return result;
}

}  // namespace suffice
