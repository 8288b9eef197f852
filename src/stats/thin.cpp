#include "stats/thin.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algebra/blas.hpp"
#include "stats/moments.hpp"

namespace suffice {

Vector squares_of(const JointMoments& moments) {
  const Index d = moments.mean.size();
  if (!moments.squares.empty()) return moments.squares;
  Vector result(d);
  if (!moments.scatter.empty()) {
    for (Index j = 0; j < d; ++j) result[j] = moments.scatter(j, j);
    return result;
  }
  for (Index i = 0; i < moments.factor.rows(); ++i) {
    const double* row = moments.factor.row(i).data();
    for (Index j = 0; j < d; ++j) result[j] += row[j] * row[j];
  }
  return result;
}

Matrix scatter_of(const JointMoments& moments) {
  const Index d = moments.mean.size();
  if (!moments.scatter.empty()) return moments.scatter;
  Matrix result(d, d);
  blas::syrk_tn(d, moments.factor.rows(), moments.factor.data(), d, result.data(), d);
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < i; ++j) result(i, j) = result(j, i);
  return result;
}

void compress(Matrix& factor) {
  const Index d = factor.cols();
  if (factor.rows() <= d) return;
  blas::qr(factor.rows(), d, factor.data(), d);
  Matrix triangle(d, d);
  for (Index i = 0; i < d; ++i)
    std::copy_n(factor.row(i).data() + i, d - i, triangle.row(i).data() + i);
  factor = std::move(triangle);
}

void merge_thin(JointMoments& a, const JointMoments& b) {
  const double weight = a.weight + b.weight;
  const double root = std::sqrt(a.weight * (b.weight / weight));
  const Index d = a.mean.size(), above = a.factor.rows(), more = b.factor.rows();
  Matrix stacked(above + more + 1, d);
  std::copy_n(a.factor.data(), a.factor.size(), stacked.data());
  std::copy_n(b.factor.data(), b.factor.size(), stacked.data() + a.factor.size());
  double* between = stacked.row(above + more).data();
  for (Index j = 0; j < d; ++j) {
    const TwoWords mean{a.mean[j], a.mean_low[j]};
    const TwoWords apart = difference({b.mean[j], b.mean_low[j]}, mean);
    const TwoWords merged = moved(mean, apart, b.weight, weight);
    a.mean[j] = merged.high;
    a.mean_low[j] = merged.low;
    between[j] = root * apart.high;
  }
  compress(stacked);
  a.factor = std::move(stacked);
  a.weight = weight;
}

Matrix factor_of(const Matrix& scatter) {
  const Index d = scatter.rows();
  Vector scale(d), values(d);
  Matrix vectors(d, d);  // first the correlations
  for (Index i = 0; i < d; ++i) scale[i] = std::sqrt(scatter(i, i));
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j)
      vectors(i, j) = scale[i] > 0 && scale[j] > 0 ? scatter(i, j) / scale[i] / scale[j] : 0;
  blas::eigh(d, vectors.data(), d, values.data());
  const double least = 1e-14 * static_cast<double>(d) * (d > 0 ? values[d - 1] : 0);
  const Index zeros = std::ranges::count_if(values, [&](double v) { return !(v > least); });
  if (zeros == d) return {};
  Matrix result(d - zeros, d);
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < d; ++j)
      result(i, j) = std::sqrt(values[zeros + i]) * vectors(zeros + i, j) * scale[j];
  return result;
}

namespace {

/// Divides the columns by `scale`, those of scale 0 become 0.
Matrix columns_over(const Matrix& rows, const Vector& scale) {
  Matrix result(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index j = 0; j < rows.cols(); ++j)
      if (scale[j] > 0) result(i, j) = rows(i, j) / scale[j];
  return result;
}

double squared_length(std::span<const double> row) {
  return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
}

}  // namespace

bool subtract_thin(const Matrix& all, const Matrix& part, Matrix& rest, bool& digits_lost) {
  const Index r = all.rows(), p = part.rows(), d = part.cols();  // without rows `all` is 0 × 0
  Vector scale(d);
  for (Index j = 0; j < d; ++j) {
    double sum = 0;
    for (Index i = 0; i < r; ++i) sum += all(i, j) * all(i, j);
    scale[j] = std::sqrt(sum);
    for (Index i = 0; i < p && !(sum > 0); ++i)
      if (part(i, j) != 0) return false;
  }
  if (r == 0) {
    rest = Matrix();
    return true;
  }
  const Matrix whole = columns_over(all, scale), taken = columns_over(part, scale);
  // whole wholeᵀ = Vᵀ Λ V.
  Matrix v(r, r), across(p, r);
  Vector values(r);
  blas::gemm_nt(r, r, d, 1, whole.data(), d, whole.data(), d, 0, v.data(), r);
  blas::gemm_nt(p, r, d, 1, taken.data(), d, whole.data(), d, 0, across.data(), r);
  blas::eigh(r, v.data(), r, values.data());
  const double largest = r > 0 ? values[r - 1] : 0;
  const Index zeros =
      std::ranges::count_if(values, [&](double value) { return !(value > 1e-12 * largest); });
  const Index q = r - zeros;
  digits_lost = q > 0 && values[zeros] < 1e-8 * largest;
  // E = taken wholeᵀ Vᵀ Λ⁻¹; the rest is (V whole)ᵀ (I − Eᵀ E) (V whole).
  Matrix e(p, q), kept(q, q);
  const double* directions = v.data() + zeros * r;
  blas::gemm_nt(p, q, r, 1, across.data(), r, directions, r, 0, e.data(), q);
  for (Index i = 0; i < p; ++i) {
    double along = 0;
    for (Index k = 0; k < q; ++k) {
      along += e(i, k) * e(i, k) / values[zeros + k];
      e(i, k) /= values[zeros + k];
    }
    const double length = squared_length(taken.row(i));
    if (!(length - along <= 1e-6 * (length + largest))) return false;  // outside of the whole
  }
  blas::gemm_tn(q, q, p, -1, e.data(), q, e.data(), q, 0, kept.data(), q);
  for (Index k = 0; k < q; ++k) kept(k, k) += 1;
  Vector shares(q);
  blas::eigh(q, kept.data(), q, shares.data());
  if (q > 0 && shares[0] < -1e-6) return false;
  const Index gone = std::ranges::count_if(shares, [](double share) { return !(share > 1e-7); });
  const Index left = q - gone;
  Matrix to_rows(left, r);
  for (Index k = 0; k < left; ++k)
    for (Index i = 0; i < q; ++i) kept(gone + k, i) *= std::sqrt(shares[gone + k]);
  blas::gemm(left, r, q, 1, kept.data() + gone * q, q, directions, r, 0, to_rows.data(), r);
  rest = left > 0 ? Matrix(left, d) : Matrix();
  if (left > 0) blas::gemm(left, d, r, 1, to_rows.data(), r, all.data(), d, 0, rest.data(), d);
  return true;
}

}  // namespace suffice
