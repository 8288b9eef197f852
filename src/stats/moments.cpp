#include "stats/moments.hpp"

#include <cmath>

#include "core/compensated_sum.hpp"
#include "core/kernels.hpp"
#include "stats/thin.hpp"

namespace suffice {

TwoWords difference(TwoWords a, TwoWords b) noexcept {
  const auto [high, error] = two_sum(a.high, -b.high);
  const auto [sum, low] = two_sum(high, error + (a.low - b.low));
  return {sum, low};
}

TwoWords moved(TwoWords a, TwoWords delta, double numerator, double denominator) noexcept {
  // step + rest = delta · numerator / denominator: the fused products give what was rounded away.
  const double product = delta.high * numerator;
  const double product_error = std::fma(delta.high, numerator, -product);
  const double step = product / denominator;
  const double remainder = std::fma(-step, denominator, product);
  const double rest = (remainder + (product_error + delta.low * numerator)) / denominator;
  const auto [high, error] = two_sum(a.high, step);
  const auto [sum, low] = two_sum(high, error + (a.low + rest));
  return {sum, low};
}

MergedMean merge_means(JointMoments& a, const JointMoments& b) {
  const double weight = a.weight + b.weight;
  MergedMean result{Vector(a.mean.size()), a.weight * (b.weight / weight)};
  for (Index j = 0; j < a.mean.size(); ++j) {
    const TwoWords mean{a.mean[j], a.mean_low[j]};
    const TwoWords apart = difference({b.mean[j], b.mean_low[j]}, mean);
    const TwoWords merged = moved(mean, apart, b.weight, weight);
    a.mean[j] = merged.high;
    a.mean_low[j] = merged.low;
    result.delta[j] = apart.high;
  }
  a.weight = weight;
  return result;
}

void merge_into(JointMoments& a, const JointMoments& b) {
  if (!(b.weight > 0)) return;
  if (!(a.weight > 0)) {
    a = b;
    return;
  }
  if (a.scatter.empty()) return merge_thin(a, b);
  const auto [delta, factor] = merge_means(a, b);
  const Index d = delta.size();
  for (Index i = 0; i < d; ++i) {
    double* s = &a.scatter(i, 0);
    const double* s_b = b.scatter.data() + i * d;
    const double delta_i = delta[i];
    // In this order the product is the same for (i, j) and (j, i): the scatter stays symmetric.
    for (Index j = 0; j < d; ++j) s[j] += s_b[j] + (delta_i * delta[j]) * factor;
  }
}

void merge_into(Moments& a, const Moments& b) {
  if (b.weight.empty()) return;
  if (a.weight.empty()) {
    a = b;
    return;
  }
  const Index done = kernels::merge_moments(
      {a.weight.data(), a.mean.data(), a.mean_low.data(), a.squares.data()},
      {b.weight.data(), b.mean.data(), b.mean_low.data(), b.squares.data()}, a.weight.size());
  for (Index j = done; j < a.weight.size(); ++j) {
    if (!(b.weight[j] > 0)) continue;
    if (!(a.weight[j] > 0)) {
      a.weight[j] = b.weight[j];
      a.mean[j] = b.mean[j];
      a.mean_low[j] = b.mean_low[j];
      a.squares[j] = b.squares[j];
      continue;
    }
    const double weight = a.weight[j] + b.weight[j];
    const TwoWords mean{a.mean[j], a.mean_low[j]};
    const TwoWords apart = difference({b.mean[j], b.mean_low[j]}, mean);
    const TwoWords merged = moved(mean, apart, b.weight[j], weight);
    a.squares[j] +=
        b.squares[j] + (apart.high * apart.high) * (a.weight[j] * (b.weight[j] / weight));
    a.weight[j] = weight;
    a.mean[j] = merged.high;
    a.mean_low[j] = merged.low;
  }
}

Moments diagonal_of(const JointMoments& joint) {
  Moments result;
  if (!(joint.weight > 0)) return result;
  const Index d = joint.mean.size();
  result.weight = Vector(d);
  std::fill_n(result.weight.data(), d, joint.weight);
  result.mean = joint.mean;
  result.mean_low = joint.mean_low;
  result.squares = squares_of(joint);
  return result;
}

}  // namespace suffice
