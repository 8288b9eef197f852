#include "score/float_distances.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/kernels.hpp"

namespace suffice {
namespace {

constexpr double float_rounding = 0x1p-24, float_tiny = 0x1p-126;
constexpr double float_large = 0x1p100;  // what may become a float

/// At least the largest singular value of the matrix of the |w_ij|, w lower triangular: for A with
/// no negative entry and any positive v, the largest eigenvalue of A is at most the largest (A v)_i
/// / v_i (Collatz, Wielandt). Steps of the power method make that tight. Rounding is far below 1 %.
double norm_of_absolutes(const float* w, Index d) {
  using Array = Eigen::ArrayXf;
  Array v = Array::Ones(d), next(d);
  double least = infinity;
  for (int step = 0; step < 3; ++step) {
    next.setZero();
    for (Index i = 0; i < d; ++i) {
      const auto row = Eigen::Map<const Array>(w + i * d, i + 1).abs();
      next.head(i + 1) += (row * v.head(i + 1)).sum() * row;
    }
    const double ratio = (next / v).maxCoeff();
    if (!std::isfinite(ratio)) return infinity;
    least = std::min(least, ratio);
    v = (next / next.maxCoeff()).max(0x1p-20F);
  }
  return 1.01 * std::sqrt(least);
}

}  // namespace

FloatDistances::FloatDistances(const GaussianDensity& density, const GaussianFactor& factor,
                               const Vector& weights, Workers& workers)
    : d_(std::ssize(factor.used)), scale_(d_), classes_(factor.whitener.size()) {
  const double terms = static_cast<double>(d_ + 4) * float_rounding;
  gamma_ = d_ <= most_features ? terms / (1 - terms) : infinity;
  for (Index j = 0; j < d_; ++j) {
    double deviation = 0;
    for (Index c = 0; c < std::ssize(classes_); ++c) {
      if (!(weights[c] > 0)) continue;
      const Index k = factor.used[at(j)];
      deviation =
          std::hypot(deviation, factor.mean(c, j), std::sqrt(density.covariance[at(c)](k, k)));
    }
    scale_[j] = std::isnormal(deviation) ? std::ldexp(1.0, -std::ilogb(deviation)) : 1;
  }
  workers.run(std::ssize(classes_), [&](Index c, int) {
    if (weights[c] > 0) round(factor, c);
  });
}

void FloatDistances::round(const GaussianFactor& factor, Index c) {
  Class& rounded = classes_[at(c)];
  rounded.whitener = Buffer<float>(d_ * d_);
  rounded.offset = Buffer<float>(d_);
  const Matrix& whitener = factor.whitener[at(c)];
  const auto offset = factor.whitened_mean.row(c);
  double largest = 0, squares = 0;
  for (Index i = 0; i < d_; ++i) {
    float* const to = rounded.whitener.data() + i * d_;
    for (Index j = 0; j <= i; ++j) {
      const double value = whitener(i, j) / scale_[j];
      largest = std::max(largest, std::abs(value));
      to[j] = static_cast<float>(std::clamp(value, -float_large, float_large));
    }
    largest = std::max(largest, std::abs(offset[i]));
    squares += offset[i] * offset[i];
    rounded.offset[i] = static_cast<float>(std::clamp(offset[i], -float_large, float_large));
  }
  const double norm =
      largest < float_large ? norm_of_absolutes(rounded.whitener.data(), d_) : infinity;
  const double d = static_cast<double>(d_), tiny = 2 * d * std::sqrt(d) * float_tiny;
  rounded.of_norm = 1.01 * gamma_ * norm + tiny;
  // 2⁻⁵⁰: squares too small for a float, of which d add up to d 2⁻¹²⁶ at most.
  rounded.constant = 1.01 * gamma_ * std::sqrt(squares) + tiny * (norm + 4) + 0x1p-50;
}

void FloatDistances::scale(const double* x, float* out, double* norm) const {
  kernels::scale_to_float(x, d_, scale_.data(), out, norm);
}

void FloatDistances::squares(Index c, const float* x, Index rows, float* out) const {
  const Class& rounded = classes_[at(c)];
  kernels::squares_lower(x, d_, rows, rounded.whitener.data(), rounded.offset.data(), out);
}

FloatDistances::Bounds FloatDistances::bounds(Index c, float squares, double norm) const {
  const Class& rounded = classes_[at(c)];
  const double error = rounded.of_norm * norm + rounded.constant;
  if (!(norm < float_large && std::isfinite(squares) && error < float_large)) return {0, infinity};
  const double root = std::sqrt(static_cast<double>(squares)), relative = 1.01 * gamma_;
  const double least = std::max(0.0, root * (1 - relative) - error);
  const double most = root * (1 + relative) + error;
  return {least * least, most * most};
}

}  // namespace suffice
