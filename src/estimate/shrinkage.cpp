#include "estimate/shrinkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra/blas.hpp"
#include "core/compensated_sum.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "estimate/evidence.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// How many scatter matrices share these degrees of freedom.
double matrices(const SeenScatter& seen) {
  return static_cast<double>((seen.eigenvalues.size() + seen.zeros) / seen.dimension);
}

/// (ν + 1 − i)/2 for i = 1 … p: the arguments of the Γ in Γ_p(ν/2).
double argument(double rows, Index dimension, Index i) {
  return (rows + static_cast<double>(dimension + 2 - i)) / 2;
}

/// Γ_p((ν + f)/2) / Γ_p(ν/2) is Π Γ(x_i + f/2) / Γ(x_i) over p arguments x_i, and for a whole f
/// also Π Γ(y_j + p/2) / Γ(y_j) over f of them, y_j = (v + 1 + j)/2: the factors are the same. That
/// is shorter where there are fewer rows than features.
struct GammaRatio {
  Index count;
  double half;
  double (*argument)(double rows, Index dimension, Index i);

  explicit GammaRatio(const SeenScatter& of)
      : count(of.dimension), half(of.dof / 2), argument(suffice::argument) {
    if (of.zeros == 0 || of.dof != std::floor(of.dof)) return;
    count = static_cast<Index>(of.dof);
    half = static_cast<double>(of.dimension) / 2;
    argument = [](double rows, Index, Index j) { return (rows + static_cast<double>(1 + j)) / 2; };
  }
};

}  // namespace

double log_evidence(std::span<const SeenScatter> seen, double rows) {
  CompensatedSum sum;
  for (const SeenScatter& of : seen) {
    const GammaRatio ratio(of);
    const double half = ratio.half;
    double gamma = 0;
    for (Index i = 1; i <= ratio.count; ++i) {
      const double x = ratio.argument(rows, of.dimension, i);
      gamma += log_gamma_excess(x, half) + half * std::log(x / rows);
    }
    double logs = 0;
    for (const double e : of.eigenvalues) logs += std::log1p(e / rows);
    sum.add(matrices(of) * gamma);
    sum.add(-(rows + static_cast<double>(of.dimension + 1) + of.dof) / 2 * logs);
  }
  return sum.value();
}

double log_evidence_slope(std::span<const SeenScatter> seen, double rows) {
  CompensatedSum sum;
  for (const SeenScatter& of : seen) {
    const double nu = rows + static_cast<double>(of.dimension + 1);
    const GammaRatio ratio(of);
    double gamma = 0;
    for (Index i = 1; i <= ratio.count; ++i)
      gamma += digamma_difference(ratio.argument(rows, of.dimension, i), ratio.half);
    double logs = 0, quotients = -of.dof * static_cast<double>(of.zeros);
    for (const double e : of.eigenvalues) {
      logs += std::log1p(e / rows);
      quotients += (nu * e - of.dof * rows) / (rows + e);
    }
    sum.add(rows / 2 * matrices(of) * gamma);
    sum.add(-rows / 2 * logs);
    sum.add(quotients / 2);
  }
  return sum.value();
}

double best_rows(std::span<const SeenScatter> seen) {
  double total = 1;
  for (const SeenScatter& of : seen)
    total += matrices(of) * (of.dof + static_cast<double>(of.dimension));
  const int last = static_cast<int>(std::ceil(std::log2(1e6 * total)));
  return best_strength({.value = [&](double rows) { return log_evidence(seen, rows); },
                        .slope = [&](double rows) { return log_evidence_slope(seen, rows); }},
                       0, last);
}

// By blocks of the rows of W, of which the zeros are left out: a third of the two whole products.
Matrix whitened_scatter(const Matrix& scatter, const Matrix& whitener) {
  const Index n = scatter.rows();
  constexpr Index block = 96;
  Matrix half(n, n), whole(n, n);
  for (Index i = 0; i < n; i += block) {
    const Index count = std::min(block, n - i);
    blas::gemm(count, n, i + count, 1, whitener.row(i).data(), n, scatter.data(), n, 0,
               half.row(i).data(), n);
  }
  for (Index j = 0; j < n; j += block) {
    const Index count = std::min(block, n - j);
    blas::gemm_nt(n - j, count, j + count, 1, half.row(j).data(), n, whitener.row(j).data(), n, 0,
                  whole.row(j).data() + j, n);
  }
  return whole;
}

Vector relative_eigenvalues(const Matrix& scatter, const Matrix& whitener) {
  const Index n = scatter.rows();
  Matrix whole = whitened_scatter(scatter, whitener);
  Vector values(n);
  blas::eigenvalues(n, whole.data(), n, values.data());
  for (double& value : values) value = std::max(value, 0.0);  // rounding of a 0
  return values;
}

ShrunkScatter shrink_to_diagonal(const Matrix& scatter, double dof) {
  const Index n = scatter.rows();
  // f times the correlations: their units do not matter.
  Matrix correlation(n, n);
  Vector inverse_root(n);
  for (Index i = 0; i < n; ++i) inverse_root[i] = 1 / std::sqrt(scatter(i, i));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      correlation(i, j) = i == j ? dof : dof * (scatter(i, j) * inverse_root[i] * inverse_root[j]);
  SeenScatter seen{dof, n, Vector(n)};
  blas::eigenvalues(n, correlation.data(), n, seen.eigenvalues.data());
  for (double& value : seen.eigenvalues) value = std::max(value, 0.0);

  ShrunkScatter result{Matrix(n, n), best_rows({&seen, 1})};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      result.covariance(i, j) = scatter(i, j) / (i == j ? dof : dof + result.rows);
  return result;
}

ShrunkScatter class_target(const Matrix& scatter, double dof) {
  const Index n = scatter.rows();
  if (static_cast<double>(n) <= dof) return shrink_to_diagonal(scatter, dof);
  ShrunkScatter result{Matrix(n, n), infinity};
  for (Index i = 0; i < n; ++i) result.covariance(i, i) = scatter(i, i) / dof;
  return result;
}

Matrix class_target(const Matrix& scatter, double dof, double share, Target target) {
  Matrix result(scatter.rows(), scatter.rows());
  for (Index k = 0; k < result.size(); ++k) result.data()[k] = scatter.data()[k] / dof;
  shrink(result, share, target);
  return result;
}

void shrink(Matrix& covariance, double share, Target target) {
  if (share == 0) return;
  const Index n = covariance.rows();
  double mean = 0;
  for (Index i = 0; i < n; ++i) mean += covariance(i, i) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (i != j)
        covariance(i, j) *= 1 - share;
      else if (target == Target::spherical)
        covariance(i, i) = (1 - share) * covariance(i, i) + share * mean;
    }
}

double oas_share(const Matrix& covariance, double rows) {
  const Index n = covariance.rows();
  if (n < 2) return 0;  // its own target
  const auto p = static_cast<double>(n);
  double mean = 0, squares = 0;  // of the variances; of the entries
  for (Index i = 0; i < n; ++i) mean += covariance(i, i) / p;
  if (!(mean > 0)) return 1;
  for (const double value : std::span(covariance.data(), static_cast<std::size_t>(n * n)))
    squares += (value / mean) * (value / mean) / (p * p);
  const double over = (rows + 1) * (squares - 1 / p);
  return over > 0 ? std::min((squares + 1) / over, 1.0) : 1.0;
}

}  // namespace suffice
