#pragma once
// Reflections I − t v vᵀ (Golub and Van Loan 2013, section 5.1), alone and many at once: a product
// of them is I − Vᵀ S V, where the rows of V are their vectors.

#include <cmath>

#include "algebra/blas.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice::blas {

/// Numbers whose squares are no more than this are 0 compared with the largest number, which is
/// near 1; the digits of smaller squares would be lost.
inline constexpr double least_squares = 1e-280;

/// The reflection I − t v vᵀ that takes x to (e, 0, …, 0), where v_0 = 1; v replaces x. The numbers
/// of x are of moderate size.
struct Reflection {
  double t = 0, e = 0;

  Reflection(Index n, double* x) : e(x[0]) {
    double rest = 0;
    for (Index i = 1; i < n; ++i) rest += x[i] * x[i];
    if (rest > least_squares) {
      const double first = x[0];
      e = -std::copysign(std::sqrt(first * first + rest), first);
      t = (e - first) / e;
      for (Index i = 1; i < n; ++i) x[i] /= first - e;
    }
    x[0] = 1;
  }
};

/// S, upper triangular, with P_0 P_1 … P_{k−1} = I − Vᵀ S V for the reflections P_i by the rows of
/// V and their factors t.
inline Matrix joined(const Matrix& v, const Vector& t) {
  const Index k = v.rows(), n = v.cols();
  Matrix products(k, k), result(k, k);
  gemm_nt(k, k, n, 1, v.data(), n, v.data(), n, 0, products.data(), k);
  for (Index j = 0; j < k; ++j) {
    result(j, j) = t[j];
    for (Index i = 0; i < j; ++i) {
      double sum = 0;
      for (Index p = i; p < j; ++p) sum += result(i, p) * products(p, j);
      result(i, j) = -t[j] * sum;
    }
  }
  return result;
}

}  // namespace suffice::blas
