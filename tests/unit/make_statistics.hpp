#pragma once
// Statistics worked out from a few rows by the textbook's two passes, independently of the library:
// exact for the small whole numbers of the tests.

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "suffice/stats/statistics.hpp"

namespace suffice::testing {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct ClassRows {
  std::string label;
  std::vector<std::vector<double>> rows;
};

/// Weight, mean and squares about it of the values of one feature that are not missing.
inline Moments value_moments(const std::vector<std::vector<double>>& rows, Index d) {
  Moments result{Vector(d), Vector(d), Vector(d), Vector(d)};
  for (Index j = 0; j < d; ++j) {
    for (const auto& row : rows)
      if (const double x = row[static_cast<std::size_t>(j)]; !std::isnan(x)) {
        result.weight[j] += 1;
        result.mean[j] += x;
      }
    if (result.weight[j] == 0) continue;
    result.mean[j] /= result.weight[j];
    for (const auto& row : rows)
      if (const double x = row[static_cast<std::size_t>(j)]; !std::isnan(x))
        result.squares[j] += (x - result.mean[j]) * (x - result.mean[j]);
  }
  return result;
}

inline JointMoments joint_moments(const std::vector<std::vector<double>>& rows, Index d) {
  if (rows.empty()) return {};
  const Moments values = value_moments(rows, d);
  JointMoments result{static_cast<double>(rows.size()), values.mean, Vector(d), Matrix(d, d)};
  for (const auto& row : rows)
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j)
        result.scatter(i, j) += (row[static_cast<std::size_t>(i)] - result.mean[i]) *
                                (row[static_cast<std::size_t>(j)] - result.mean[j]);
  return result;
}

/// One Gaussian block x0, x1, …; NaN is missing.
inline Statistics gaussian_statistics(const std::vector<ClassRows>& classes, Index d,
                                      Scatter kind = Scatter::dense) {
  std::vector<std::string> labels;
  for (const auto& of : classes) labels.push_back(of.label);
  Statistics::Parts parts;
  parts.schema = Schema::numbered(d);
  parts.labels = Names(labels);
  parts.weights = Vector(parts.labels.size());
  parts.squared_weights = Vector(parts.labels.size());
  GaussianStatistics gaussian;
  gaussian.kind = kind;
  gaussian.classes.resize(labels.size());
  for (const auto& of : classes) {
    const Index c = *parts.labels.find(of.label);
    parts.weights[c] = parts.squared_weights[c] = static_cast<double>(of.rows.size());
    std::vector<std::vector<double>> complete, incomplete;
    for (const auto& row : of.rows) {
      bool whole = kind == Scatter::dense;
      for (const double x : row) whole = whole && !std::isnan(x);
      (whole ? complete : incomplete).push_back(row);
    }
    auto& moments = gaussian.classes[static_cast<std::size_t>(c)];
    moments.complete = joint_moments(complete, d);
    if (!incomplete.empty()) moments.present = value_moments(incomplete, d);
  }
  parts.blocks.emplace_back(std::move(gaussian));
  return Statistics(std::move(parts));
}

/// One block of counts, in which each feature is present in all rows of a class.
inline Statistics count_statistics(Family family, const std::vector<std::string>& labels,
                                   const Vector& weights, const Matrix& sum) {
  Statistics::Parts parts;
  parts.schema = Schema::numbered(sum.cols(), family);
  parts.labels = Names(labels);
  parts.weights = weights;
  parts.squared_weights = weights;
  CountStatistics counts{.weight = {}, .sum = sum};
  if (family != Family::multinomial) {
    counts.weight = Matrix(sum.rows(), sum.cols());
    for (Index c = 0; c < sum.rows(); ++c)
      for (double& weight : counts.weight.row(c)) weight = weights[c];
  }
  parts.blocks.emplace_back(std::move(counts));
  return Statistics(std::move(parts));
}

/// One categorical feature `name`.
inline Statistics level_statistics(const std::string& name, const std::vector<std::string>& labels,
                                   const Vector& weights, const Names& levels,
                                   const Matrix& count) {
  Statistics::Parts parts;
  parts.schema = Schema({{.name = name, .family = Family::categorical, .levels = {}}});
  parts.labels = Names(labels);
  parts.weights = weights;
  parts.squared_weights = weights;
  parts.blocks.emplace_back(CategoricalStatistics{.levels = {levels}, .count = {count}});
  return Statistics(std::move(parts));
}

inline const GaussianStatistics& gaussian_block(const Statistics& statistics, std::size_t b = 0) {
  return std::get<GaussianStatistics>(statistics.blocks()[b]);
}

const GaussianStatistics& gaussian_block(const Statistics&&, std::size_t = 0) = delete;

/// The exception of type E that `action` throws.
template <class E>
E thrown_by(auto&& action) {
  try {
    action();
  } catch (const E& error) {
    return error;
  }
  throw std::logic_error("the expected exception was not thrown");
}

}  // namespace suffice::testing
