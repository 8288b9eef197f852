#include "stats/pooled.hpp"

#include <algorithm>
#include <cmath>

#include "algebra/blas.hpp"
#include "stats/moments.hpp"
#include "stats/thin.hpp"

namespace suffice {

PooledMeans pooled_means(const GaussianStatistics& statistics, std::span<const double> shares) {
  const Index classes = std::ssize(statistics.classes);
  std::vector<Moments> moments;
  for (Index c = 0; c < classes; ++c) moments.push_back(statistics.moments(c));
  const auto seen = [&](Index c) { return !moments[c].mean.empty() && moments[c].weight[0] > 0; };
  Index first = 0;
  while (!seen(first)) ++first;
  const Vector& reference = moments[first].mean;  // near all rows
  const Index d = reference.size();

  PooledMeans result{Vector(d), Vector(d), Matrix(classes, d)};
  Vector shift(d);
  for (Index c = 0; c < classes; ++c) {
    if (!seen(c)) continue;
    for (Index j = 0; j < d; ++j) {
      const double deviation = (moments[c].mean[j] - reference[j]) + moments[c].mean_low[j];
      result.deviations(c, j) = deviation;
      shift[j] += shares[c] * deviation;
    }
  }
  for (Index j = 0; j < d; ++j) {
    result.centre[j] = reference[j] + shift[j];
    result.centre_low[j] = (reference[j] - result.centre[j]) + shift[j];
  }
  for (Index c = 0; c < classes; ++c)
    for (Index j = 0; seen(c) && j < d; ++j) result.deviations(c, j) -= shift[j];
  return result;
}

Matrix pooled_covariance(const GaussianStatistics& statistics, std::span<const double> shares) {
  Matrix result;
  for (Index c = 0; c < std::ssize(statistics.classes); ++c) {
    const JointMoments& moments = statistics.classes[c].complete;
    if (!(moments.weight > 0)) continue;
    if (result.empty()) result = Matrix(moments.scatter.rows(), moments.scatter.cols());
    const double factor = shares[c] / moments.weight;
    const double* from = moments.scatter.data();
    for (Index i = 0; factor != 0 && i < result.size(); ++i) result.data()[i] += factor * from[i];
  }
  return result;
}

Matrix scatter_within(const GaussianStatistics& statistics, std::span<const Index> features) {
  const Index n = std::ssize(features);
  Matrix result(n, n);
  const auto add = [&](const Matrix& scatter) {
    for (Index i = 0; i < n; ++i) {
      const double* row = scatter.row(features[i]).data();
      for (Index j = 0; j < n; ++j) result(i, j) += row[features[j]];
    }
  };
  if (!statistics.pooled.empty()) {
    add(statistics.pooled);
    return result;
  }
  for (const auto& [complete, present] : statistics.classes) {
    if (!(complete.weight > 0)) continue;
    if (complete.scatter.empty())
      add(scatter_of(complete));
    else
      add(complete.scatter);
  }
  return result;
}

namespace {

/// √factor δ of some classes, one below the other.
class RootRows {
 public:
  RootRows(Index most, Index d) : rows_(most, d) {}
  void add(const MergedMean& of) {
    const double root = std::sqrt(of.factor);
    for (Index j = 0; j < rows_.cols(); ++j) rows_(count_, j) = root * of.delta[j];
    ++count_;
  }
  const Matrix& rows() const { return rows_; }  ///< 0 where none was added

 private:
  Matrix rows_;
  Index count_ = 0;
};

}  // namespace

JointMoments total_of(const GaussianStatistics& statistics) {
  JointMoments total;
  if (statistics.kind != Scatter::pooled) {
    for (const auto& of_class : statistics.classes) merge_into(total, of_class.complete);
    return total;
  }
  RootRows between(std::ssize(statistics.classes), statistics.pooled.cols());
  for (const auto& [complete, present] : statistics.classes) {
    if (!(complete.weight > 0)) continue;
    if (total.weight > 0)
      between.add(merge_means(total, complete));
    else
      total = {complete.weight, complete.mean, complete.mean_low, statistics.pooled};
  }
  if (total.weight > 0) add_products(between.rows(), 1, total.scatter);
  return total;
}

void merge_pooled(GaussianStatistics& a, const GaussianStatistics& b,
                  const std::vector<Index>& position) {
  RootRows between(std::ssize(b.classes), b.pooled.cols());
  for (std::size_t c = 0; c < b.classes.size(); ++c) {
    const auto& [complete, present] = b.classes[c];
    auto& into = a.classes[position[c]];
    merge_into(into.present, present);
    if (!(complete.weight > 0)) continue;
    if (!(into.complete.weight > 0)) {
      into.complete = complete;
      continue;
    }
    const MergedMean mean = merge_means(into.complete, complete);
    between.add(mean);
    Vector& squares = into.complete.squares;
    if (complete.squares.empty()) squares = {};
    for (Index j = 0; j < squares.size(); ++j)
      squares[j] += complete.squares[j] + (mean.delta[j] * mean.delta[j]) * mean.factor;
  }
  if (b.pooled.empty()) return;
  if (a.pooled.empty()) {
    a.pooled = b.pooled;
    return;
  }
  for (Index i = 0; i < a.pooled.size(); ++i) a.pooled.data()[i] += b.pooled.data()[i];
  add_products(between.rows(), 1, a.pooled);
}

void add_products(const Matrix& rows, double sign, Matrix& q) {
  const Index d = q.rows();
  Matrix sum(d, d);
  blas::syrk_tn(d, rows.rows(), rows.data(), d, sum.data(), d);
  for (Index i = 0; i < d; ++i) {
    q(i, i) += sign * sum(i, i);
    for (Index j = i + 1; j < d; ++j) q(j, i) = q(i, j) += sign * sum(i, j);
  }
}

void clear_constants(Matrix& scatter) {
  for (Index j = 0; j < scatter.rows(); ++j) {
    if (scatter(j, j) > 0) continue;
    for (Index i = 0; i < scatter.rows(); ++i) scatter(i, j) = scatter(j, i) = 0;
  }
}

}  // namespace suffice
