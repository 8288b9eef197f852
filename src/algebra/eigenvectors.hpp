#pragma once
// Which of two opposite vectors is taken.

#include <algorithm>
#include <cmath>

#include "suffice/core/matrix.hpp"

namespace suffice::blas {

/// The first entry of at least half the size of the largest becomes positive. (Were it the largest
/// itself, rounding would choose between two of the same size, as in (1, −1).)
inline void choose_sign(Index n, double* row) {
  double largest = 0;
  for (Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(row[j]));
  const double* const first =
      std::find_if(row, row + n, [&](double x) { return std::abs(x) >= 0.5 * largest; });
  if (first != row + n && *first < 0)
    for (Index j = 0; j < n; ++j) row[j] = -row[j];
}

}  // namespace suffice::blas
