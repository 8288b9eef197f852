#include "left_out/scatter_basis.hpp"

#include <algorithm>
#include <utility>

#include "algebra/blas.hpp"
#include "estimate/shrinkage.hpp"

namespace suffice {

ScatterBasis ScatterBasis::of(const Matrix& scatter, const Matrix* whitener, const Matrix& means) {
  const Index n = scatter.rows();
  ScatterBasis result{{}, Vector(n), Matrix(means.rows(), n)};
  Matrix rotation = whitener ? whitened_scatter(scatter, *whitener) : scatter;
  blas::eigh(n, rotation.data(), n, result.values.data());
  for (double& value : result.values) value = std::max(value, 0.0);  // rounding of a 0
  if (whitener) {
    result.vectors = Matrix(n, n);
    blas::gemm(n, n, n, 1, rotation.data(), n, whitener->data(), n, 0, result.vectors.data(), n);
  } else {
    result.vectors = std::move(rotation);
  }
  blas::gemm_nt(means.rows(), n, n, 1, means.data(), n, result.vectors.data(), n, 0,
                result.means.data(), n);
  return result;
}

}  // namespace suffice
