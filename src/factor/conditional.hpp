#pragma once
// Missing coordinates of a normal vector, given the others: with the precision P = Σ⁻¹, the
// features m missing and the deviations e = x − μ,
//
//   E[e_m | e_o] = −P_mm⁻¹ P_mo e_o,   Cov = P_mm⁻¹,   det Σ_oo = det Σ · det P_mm.
//
// The quadratic form of e_o under Σ_oo is that of the completed e under Σ. P_mm has a row for each
// missing number, so little work is done where little is missing.

#include <span>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Wᵀ W of a lower-triangular W.
Matrix precision_of(const Matrix& whitener);

/// Whether a precision keeps the digits that conditional densities need: each feature keeps at
/// least a millionth of its variance when the others are known.
bool is_safe(const Matrix& precision, const Matrix& covariance, std::span<const Index> features);

class Conditional {
 public:
  /// Keeps a view of the precision.
  Conditional(const Matrix& precision, std::vector<Index> missing);

  /// ½ log det P_mm.
  double half_log_det() const noexcept { return half_log_det_; }
  Index count() const noexcept { return std::ssize(missing_); }
  /// `deviation` has 0 where a number is missing, and gets its expectation there.
  void complete(double* deviation) const;
  /// Adds weight · P_mm⁻¹ to the rows and columns of what is missing.
  void add_covariance(double weight, Matrix& to) const;

 private:
  const Matrix& precision_;
  std::vector<Index> missing_;
  Matrix factor_;  ///< lower triangular, of P_mm
  double half_log_det_ = 0;
};

}  // namespace suffice
