#include "core/posterior_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/constants.hpp"
#include "core/kernels.hpp"

namespace suffice {

using kernels::rows_at_once;

PosteriorRows::PosteriorRows(std::span<const double> offset, std::span<const double> others,
                             bool log)
    : classes_(std::ssize(offset)), minus_offset_(offset), others_(others), log_(log) {
  for (double& value : minus_offset_) value = -value;
}

void PosteriorRows::operator()(double* scores, Index n) const {
  constexpr Index few = 31;
  alignas(64) double lanes[(few + 1) * rows_at_once];
  Vector many(classes_ > few ? (classes_ + 1) * rows_at_once : 0);
  for (Index first = 0; first < n; first += rows_at_once)
    normalise(scores + first * classes_, std::min(rows_at_once, n - first),
              many.empty() ? lanes : many.data());
}

/// Of n ≤ rows_at_once rows; `lanes` has room for those of all classes and one number more each.
void PosteriorRows::normalise(double* scores, Index n, double* lanes) const {
  double* const z = lanes + rows_at_once;
  double* const largest = lanes;
  kernels::transpose(scores, classes_, n, classes_, minus_offset_.data(), z, rows_at_once);
  for (Index c = 0; n < rows_at_once && c < classes_; ++c)
    std::fill(z + c * rows_at_once + n, z + (c + 1) * rows_at_once, 0.0);
  kernels::posteriors(z, rows_at_once, classes_, kernels::padded(n), log_, largest);
  kernels::transpose(z, rows_at_once, classes_, n, nullptr, scores, classes_);
  for (Index i = 0; i < n; ++i) {
    if (std::isfinite(largest[i])) continue;
    double* const row = scores + i * classes_;
    if (largest[i] == -infinity && !others_.empty())
      std::ranges::copy(others_, row);
    else
      std::fill_n(row, classes_, std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace suffice
