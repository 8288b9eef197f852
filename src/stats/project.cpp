#include "stats/project.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/compensated_sum.hpp"
#include "core/parallel.hpp"
#include "stats/moments.hpp"
#include "stats/semidefinite.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {
namespace {

/// Checks the map, and returns the names of the new features.
std::vector<std::string> check(const Statistics& statistics, const Projection& projection) {
  require_projectable(statistics, projection.block);
  const Block& block = statistics.schema().blocks()[projection.block];
  const auto d = std::ssize(block.features);
  const Index k = projection.matrix.cols();
  if (projection.matrix.rows() != d || k < 1)
    throw InvalidArgument("the projection matrix must be " + std::to_string(d) +
                          " × k with k ≥ 1, not " + std::to_string(projection.matrix.rows()) +
                          " × " + std::to_string(k));
  if (!projection.offset.empty() && projection.offset.size() != d)
    throw InvalidArgument("the offset of the projection must have " + std::to_string(d) +
                          " numbers or none, not " + std::to_string(projection.offset.size()));
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(projection.matrix.data(), projection.matrix.data() + projection.matrix.size(),
                   finite) ||
      !std::ranges::all_of(projection.offset, finite))
    throw InvalidArgument("the projection has a number that is not finite");

  std::vector<std::string> names = projection.names;
  if (names.empty())
    for (Index j = 0; j < k; ++j) names.push_back("z" + std::to_string(j));
  if (std::ssize(names) != k)
    throw InvalidArgument("the projection makes " + std::to_string(k) + " features and has " +
                              std::to_string(names.size()) + " names",
                          "give one for each, or none");
  return names;
}

/// The schema with the new features in the place of the block's first one.
Schema project(const Schema& schema, const Projection& projection,
               const std::vector<std::string>& names) {
  const std::vector<Index>& out = schema.blocks()[projection.block].features;
  const Index place = *std::ranges::min_element(out);
  std::vector<Feature> features;
  std::vector<Index> position(at(schema.size()), -1);  // of the features that stay
  std::vector<std::vector<Index>> blocks(schema.blocks().size());
  for (Index i = 0; i < schema.size(); ++i) {
    if (i == place)
      for (const std::string& name : names) {
        blocks[projection.block].push_back(std::ssize(features));
        features.push_back({.name = name, .family = Family::gaussian});
      }
    if (std::ranges::find(out, i) != out.end()) continue;
    if (std::ranges::find(names, schema.feature(i).name) != names.end())
      throw InvalidArgument(
          "the new feature '" + schema.feature(i).name + "' has the name of a feature that stays",
          "give the projection other names");
    position[i] = std::ssize(features);
    features.push_back(schema.feature(i));
  }
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const Index i : schema.blocks()[b].features)
      if (position[i] >= 0) blocks[b].push_back(position[i]);
  return Schema(std::move(features), std::move(blocks)).with_label(schema.label());
}

/// Mᵀ (mean − offset), to nearly twice the digits of a double.
TwoWords project_mean(const JointMoments& joint, const Projection& projection, Index column) {
  TwoWords sum;
  for (Index i = 0; i < joint.mean.size(); ++i) {
    const TwoWords offset{projection.offset.empty() ? 0 : projection.offset[i], 0};
    const TwoWords x = difference({joint.mean[i], joint.mean_low[i]}, offset);
    const double m = projection.matrix(i, column);
    const double product = x.high * m;
    const double error = std::fma(x.high, m, -product) + x.low * m;
    const auto [high, lost] = two_sum(sum.high, product);
    sum.high = high;
    sum.low += lost + error;
  }
  const auto [high, low] = two_sum(sum.high, sum.low);
  return {high, low};
}

/// The same to the digits of a double, many features at a time.
void project_thin_mean(const JointMoments& joint, const Projection& projection, Vector& mean) {
  const Index d = joint.mean.size(), k = mean.size();
  Vector apart(d);
  for (Index i = 0; i < d; ++i)
    apart[i] = (joint.mean[i] - (projection.offset.empty() ? 0 : projection.offset[i])) +
               joint.mean_low[i];
  blas::gemm(1, k, d, 1, apart.data(), d, projection.matrix.data(), k, 0, mean.data(), k);
}

/// R M.
Matrix project_factor(const Matrix& factor, const Matrix& matrix) {
  const Index d = matrix.rows(), k = matrix.cols();
  Matrix result(factor.rows(), k);
  blas::gemm(factor.rows(), k, d, 1, factor.data(), d, matrix.data(), k, 0, result.data(), k);
  return result;
}

/// Mᵀ S M, symmetric to the last bit.
Matrix project_scatter(const Matrix& scatter, const Matrix& matrix) {
  const Index d = matrix.rows(), k = matrix.cols();
  Matrix half(d, k), result(k, k);
  blas::gemm(d, k, d, 1, scatter.data(), d, matrix.data(), k, 0, half.data(), k);
  blas::gemm_tn(k, k, d, 1, matrix.data(), k, half.data(), k, 0, result.data(), k);
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < i; ++j) result(i, j) = result(j, i) = 0.5 * (result(i, j) + result(j, i));
  // A direction without scatter may come out just below 0.
  for (Index i = 0; i < k; ++i)
    if (!(result(i, i) > 0))
      for (Index j = 0; j < k; ++j) result(i, j) = result(j, i) = 0;
  // The terms of Mᵀ S M may be far larger than their sum: rounding is of their size.
  Vector terms(k);
  for (Index i = 0; i < k; ++i) {
    double root = 0;
    for (Index a = 0; a < d; ++a) root += std::abs(matrix(a, i)) * std::sqrt(scatter(a, a));
    terms[i] = root * root;
  }
  make_scatter(result, terms);
  return result;
}

}  // namespace

const GaussianStatistics& require_projectable(const Statistics& statistics, Index block) {
  const auto& blocks = statistics.schema().blocks();
  if (block < 0 || block >= std::ssize(blocks))
    throw InvalidArgument("there is no block " + std::to_string(block) + " to project",
                          "the schema has " + std::to_string(blocks.size()));
  if (blocks[block].family != Family::gaussian)
    throw InvalidArgument("block " + std::to_string(block) + " is of family '" +
                              std::string(to_string(blocks[block].family)) + "'",
                          "only Gaussian blocks can be projected");
  const auto& gaussian = std::get<GaussianStatistics>(statistics.blocks()[block]);
  if (gaussian.kind == Scatter::diagonal)
    throw InvalidArgument(
        "a projection needs the whole scatter, and these statistics kept its diagonal only",
        "make them anew with the dense scatter or a pooled one (covariance 'full' or 'tied')");
  return gaussian;
}

Statistics project(const Statistics& statistics, const Projection& projection,
                   const Execution& execution) {
  const std::vector<std::string> names = check(statistics, projection);
  const Index k = projection.matrix.cols();
  const Statistics::Parts& from = statistics.parts();
  Statistics::Parts parts{.schema = project(from.schema, projection, names),
                          .labels = from.labels,
                          .weights = from.weights,
                          .squared_weights = from.squared_weights,
                          .blocks = {}};
  for (Index b = 0; b < std::ssize(from.blocks); ++b) {
    if (b != projection.block) {
      parts.blocks.push_back(from.blocks[b]);
      continue;
    }
    const auto& sums = std::get<GaussianStatistics>(from.blocks[b]);
    const auto& classes = sums.classes;
    GaussianStatistics projected;
    projected.classes.resize(classes.size());
    const bool thin = sums.kind == Scatter::thin, pooled = sums.kind == Scatter::pooled;
    if (pooled) projected.kind = Scatter::pooled;
    if (!sums.pooled.empty()) projected.pooled = project_scatter(sums.pooled, projection.matrix);
    Index all = 0;
    for (const auto& of_class : classes) all += of_class.complete.factor.rows() + 1;
    if (thin && all < k) projected.kind = Scatter::thin;
    const auto d = static_cast<double>(projection.matrix.rows());
    Workers workers(execution, d * d * static_cast<double>(k) < 1e6 ? 1 : std::ssize(classes));
    workers.run(std::ssize(classes), [&](Index c, int) {
      const JointMoments& old = classes[c].complete;
      if (!(old.weight > 0)) return;
      JointMoments& now = projected.classes[c].complete;
      now = {
          .weight = old.weight,
          .mean = Vector(k),
          .mean_low = Vector(k),
          .scatter = thin || pooled ? Matrix() : project_scatter(old.scatter, projection.matrix)};
      if (thin) now.factor = project_factor(old.factor, projection.matrix);
      if (thin && projected.kind == Scatter::dense) {
        now.scatter = scatter_of(now);
        now.factor = {};
      }
      if (thin) return project_thin_mean(old, projection, now.mean);
      for (Index j = 0; j < k; ++j) {
        const TwoWords mean = project_mean(old, projection, j);
        now.mean[j] = mean.high;
        now.mean_low[j] = mean.low;
      }
    });
    parts.blocks.emplace_back(std::move(projected));
  }
  return Statistics(std::move(parts));
}

}  // namespace suffice
