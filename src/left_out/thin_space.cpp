#include "left_out/thin_space.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/minus_or_zero.hpp"
#include "factor/gram.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Over all rows, as the estimate has it.
bool varies(const GaussianStatistics& sums, Index j) {
  const JointMoments* first = nullptr;
  for (const auto& of : sums.classes) {
    const JointMoments& complete = of.complete;
    if (!(complete.weight > 0)) continue;
    if (!first) first = &complete;
    if (complete.mean[j] != first->mean[j] || complete.mean_low[j] != first->mean_low[j])
      return true;
    for (Index i = 0; i < complete.factor.rows(); ++i)
      if (complete.factor(i, j) != 0) return true;
  }
  return false;
}

}  // namespace

ThinSpace::ThinSpace(const Statistics& statistics, Target target, Workers& workers) {
  const auto& sums = std::get<GaussianStatistics>(statistics.blocks()[0]);
  find_target(sums, target);
  find_basis(sums, workers);
  std::vector<Feature> features;
  for (Index k = 0; k < values_.size(); ++k)
    features.push_back({.name = "y" + std::to_string(k), .family = Family::gaussian});
  // Rows that lack a value have a part in the weights of the classes only.
  statistics_.emplace(Statistics::Parts{.schema = Schema(std::move(features)),
                                        .labels = statistics.labels(),
                                        .weights = statistics.weights(),
                                        .squared_weights = statistics.squared_weights(),
                                        .blocks = {sums_in_basis(sums)}});
}

void ThinSpace::find_target(const GaussianStatistics& sums, Target target) {
  double weight = 0, classes = 0;
  Vector pooled, mean;
  for (const auto& of : sums.classes) {
    if (!(of.complete.weight > 0)) continue;
    const Vector squares = squares_of(of.complete);
    if (pooled.empty()) pooled = mean = Vector(squares.size());
    weight += of.complete.weight;
    ++classes;
    pooled.map() += squares.map();
    mean.map() += of.complete.weight * of.complete.mean.map();
  }
  const double dof = minus_or_zero(weight, classes);
  if (!(dof > 0)) throw InvalidArgument("no class has two complete rows");
  for (Index j = 0; j < pooled.size(); ++j)
    if (varies(sums, j)) used_.push_back(j);
  inverse_root_ = center_ = Vector(std::ssize(used_));
  double sum = 0;
  for (Index i = 0; i < std::ssize(used_); ++i) {
    center_[i] = mean[used_[at(i)]] / weight;
    inverse_root_[i] = pooled[used_[at(i)]] / dof;
    sum += inverse_root_[i];
  }
  for (double& value : inverse_root_) {
    if (target == Target::spherical) value = sum / static_cast<double>(std::ssize(used_));
    if (!(value > 0))
      throw InvalidArgument("a feature does not vary within any class", "leave it out");
    value = 1 / std::sqrt(value);
  }
}

void ThinSpace::find_basis(const GaussianStatistics& sums, Workers& workers) {
  Index count = 0;
  for (const auto& of : sums.classes)
    if (of.complete.weight > 0) count += of.complete.factor.rows() + 1;
  const Index f = std::ssize(used_);
  a_ = Matrix(count, f);
  double* to = a_.data();
  for (const auto& of : sums.classes) {
    const JointMoments& complete = of.complete;
    if (!(complete.weight > 0)) continue;
    for (Index i = 0; i < complete.factor.rows(); ++i)
      for (Index j = 0; j < f; ++j) *to++ = complete.factor(i, used_[at(j)]) * inverse_root_[j];
    const double root = std::sqrt(complete.weight);
    for (Index j = 0; j < f; ++j) {
      const Index k = used_[at(j)];
      *to++ = root * ((complete.mean[k] - center_[j]) + complete.mean_low[k]) * inverse_root_[j];
    }
  }
  Matrix vectors = gram(a_, workers);
  Vector values(count);
  blas::eigh(count, vectors.data(), count, values.data());
  const double least = 1e-13 * static_cast<double>(count) * values[count - 1];
  const Index zeros = std::ranges::count_if(values, [&](double value) { return !(value > least); });
  vectors_ = Matrix(count - zeros, count);
  values_ = Vector(count - zeros);
  std::copy(values.begin() + zeros, values.end(), values_.begin());
  std::copy_n(vectors.data() + zeros * count, vectors_.size(), vectors_.data());
}

GaussianStatistics ThinSpace::sums_in_basis(const GaussianStatistics& sums) const {
  GaussianStatistics result;
  result.classes.resize(sums.classes.size());
  Index first = 0;
  const Index q = values_.size();
  for (std::size_t c = 0; c < sums.classes.size(); ++c) {
    const JointMoments& from = sums.classes[c].complete;
    if (!(from.weight > 0)) continue;
    JointMoments& to = result.classes[c].complete;
    to = {.weight = from.weight, .mean = Vector(q), .mean_low = Vector(q), .scatter = {}};
    const Index r = from.factor.rows();
    to.factor = Matrix(r, q);
    for (Index k = 0; k < q; ++k) {
      const double root = std::sqrt(values_[k]);
      for (Index i = 0; i < r; ++i) to.factor(i, k) = root * vectors_(k, first + i);
      to.mean[k] = root * vectors_(k, first + r) / std::sqrt(from.weight);
    }
    to.scatter = scatter_of(to);
    to.factor = {};
    first += r + 1;
  }
  return result;
}

Matrix ThinSpace::coordinates(const Matrix& rows, Workers& workers) const {
  const Index n = rows.rows(), count = a_.rows(), f = std::ssize(used_), q = values_.size();
  Matrix centered(n, f), along(n, count), result(n, q);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < f; ++j)
      centered(i, j) = (rows(i, used_[at(j)]) - center_[j]) * inverse_root_[j];
  constexpr Index piece = 32;
  workers.run((n + piece - 1) / piece, [&](Index k, int) {
    const Index from = k * piece, size = std::min(piece, n - from);
    blas::gemm_nt(size, count, f, 1, centered.data() + from * f, f, a_.data(), f, 0,
                  along.data() + from * count, count);
  });
  blas::gemm_nt(n, q, count, 1, along.data(), count, vectors_.data(), count, 0, result.data(), q);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < q; ++k) result(i, k) /= std::sqrt(values_[k]);
  return result;
}

}  // namespace suffice
