#include "core/take.hpp"

#include <algorithm>

namespace suffice {

Vector some_of(const Vector& numbers, std::span<const Index> kept) {
  if (numbers.empty()) return numbers;
  Vector result(std::ssize(kept));
  for (Index i = 0; i < result.size(); ++i)
    if (kept[at(i)] >= 0) result[i] = numbers[kept[at(i)]];
  return result;
}

Matrix some_rows(const Matrix& matrix, std::span<const Index> kept) {
  if (matrix.rows() == 0) return matrix;
  Matrix result(std::ssize(kept), matrix.cols());
  for (Index i = 0; i < result.rows(); ++i)
    if (kept[at(i)] >= 0) std::ranges::copy(matrix.row(kept[at(i)]), result.row(i).begin());
  return result;
}

Matrix some_columns(const Matrix& matrix, std::span<const Index> kept) {
  if (matrix.cols() == 0) return matrix;
  Matrix result(matrix.rows(), std::ssize(kept));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index k = 0; k < result.cols(); ++k)
      if (kept[at(k)] >= 0) result(i, k) = matrix(i, kept[at(k)]);
  return result;
}

}  // namespace suffice
