#include "stats/pooled.hpp"

#include <vector>

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

}  // namespace suffice
