#pragma once
// Squared distances |W_c x − t_c|² of rows to the classes in single precision, with bounds of what
// double precision gives. Floats have twice the lanes, so they take about half the time, and where
// classes differ by more than the bounds no double is needed.
//
// The bounds hold for every row. Features are scaled by powers of two to deviations near 1: x' = A
// x, W' = W A⁻¹, which rounds nothing, and x', W' and t are then rounded to floats. Let d be the
// number of features, u = 2⁻²⁴ and γ = (d + 4) u / (1 − (d + 4) u). A coordinate y_i = Σ_j W'_ij
// x'_j − t_i is a sum of at most d + 1 terms, each rounded at most d + 4 times: in both factors, in
// their product, and in the sums. So the computed ŷ has (Higham 2002, chapter 3)
//   |ŷ_i − y_i| ≤ γ (Σ_j |W'_ij| |x'_j| + |t_i|),   hence   |ŷ − y| ≤ γ (N |x'| + |t|)
// with N the largest singular value of the matrix of the |W'_ij|. The coordinates in doubles differ
// from y by the same with 2⁻⁵³ for u. The sum of the squares of ŷ has the relative error γ
// at most, so with s the computed sum and e = 1.01 γ (N |x'| + |t|) the distance in doubles is
// between √s (1 − 1.01 γ) − e and √s (1 + 1.01 γ) + e: the hundredth is far more than what doubles,
// the computed norms and these formulas are rounded by. Numbers too small for a float, which may
// become 0, change a term by 2⁻¹²⁶ at most; what this can add up to is part of e. What is too large
// for a float leads to sums that are not finite, which bound nothing.

#include <vector>

#include "core/buffer.hpp"
#include "core/parallel.hpp"
#include "factor/gaussian_factor.hpp"

namespace suffice {

class FloatDistances {
 public:
  /// With more, neither the estimate of the norm nor the hundredth would be safe.
  static constexpr Index most_features = 10000;

  /// Of a block with K full covariances. Classes without weight have no distances.
  FloatDistances(const GaussianDensity& density, const GaussianFactor& factor,
                 const Vector& weights, Workers& workers);

  /// Of kernels::rows_at_once rows, centered and transposed: floats for squares(), and |x'|.
  void scale(const double* x, float* out, double* norm) const;
  /// For the first `rows` ≤ kernels::float_rows_at_once.
  void squares(Index c, const float* x, Index rows, float* out) const;

  struct Bounds {
    double least, most;
  };
  /// Of the squared distance that kernels::score_lower makes of the row, given s and |x'|.
  Bounds bounds(Index c, float squares, double norm) const;

 private:
  struct Class {
    Buffer<float> whitener, offset;
    double of_norm = 0, constant = 0;  // e = of_norm |x'| + constant
  };
  void round(const GaussianFactor& factor, Index c);

  Index d_;
  double gamma_;
  Vector scale_;  // A
  std::vector<Class> classes_;
};

}  // namespace suffice
