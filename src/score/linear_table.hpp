#pragma once
// Linear scores as their kernel wants them: feature by feature, the weights of all classes side by
// side.

#include "core/kernels.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

struct LinearTable {
  Matrix weight;  ///< d × padded(K)
  Vector base;    ///< padded(K)
  Vector center;  ///< padded(d); empty: 0

  /// From K × d weights, K constants, and a center of d numbers (or none).
  LinearTable(const Matrix& weights, const Vector& constants, std::span<const double> subtract = {})
      : weight(weights.cols(), kernels::padded(weights.rows())),
        base(kernels::padded(weights.rows())),
        center(subtract.empty() ? 0 : kernels::padded(weights.cols())) {
    kernels::transpose(weights.data(), weights.cols(), weights.rows(), weights.cols(), nullptr,
                       weight.data(), weight.cols());
    std::ranges::copy(constants, base.begin());
    std::ranges::copy(subtract, center.begin());
  }
  LinearTable() = default;

  /// The score of a class, in a range that no product of doubles leaves.
  long double wide(Index c, const double* x) const {
    long double sum = base[c];
    for (Index j = 0; j < weight.rows(); ++j)
      sum += static_cast<long double>(weight(j, c)) *
             (static_cast<long double>(x[j]) - (center.empty() ? 0.0 : center[j]));
    return sum;
  }
};

}  // namespace suffice
