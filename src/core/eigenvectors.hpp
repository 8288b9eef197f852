#pragma once
// What both eigen solvers of core/blas.hpp do around their libraries.

#include <algorithm>
#include <cmath>

#include "suffice/core/error.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice::blas {

inline constexpr const char* no_convergence =
    "the eigenvalues of a covariance did not converge; are its numbers of very different sizes?";

inline void require_finite(Index n, const double* a, Index lda) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      if (!std::isfinite(a[i * lda + j]))
        throw InvalidArgument("a matrix with numbers that are not finite has no eigenvalues");
}

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
inline void choose_signs(Index n, double* rows, Index ld) {
  for (Index i = 0; i < n; ++i) choose_sign(n, rows + i * ld);
}

}  // namespace suffice::blas
