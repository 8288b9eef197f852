#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "algebra/blas.hpp"
#include "algebra/secular.hpp"
#include "algebra/tridiagonal.hpp"

namespace suffice::blas {
namespace {

constexpr Index undivided = 32;

/// Eigenvalues and vectors (rows) of a matrix of two blocks, to which rho u uᵀ is added, where z is
/// u in terms of the vectors.
class Halves {
 public:
  Halves(Index half, Index n, double* values, double* vectors, Index ld)
      : half_(half), n_(n), d_(values), vectors_(vectors), ld_(ld), z_(n), part_(at(n)) {
    for (Index i = half; i < n; ++i) part_[at(i)] = right;
  }

  void join(double beside, Index count) {
    const double root_half = std::sqrt(0.5), rho = 2 * std::abs(beside);
    for (Index i = 0; i < half_; ++i) z_[i] = root_half * row(i)[half_ - 1];
    for (Index i = half_; i < n_; ++i) z_[i] = std::copysign(root_half, beside) * row(i)[half_];
    const std::vector<Index> kept = separate(rho);
    const Index k = std::ssize(kept);
    if (k == 0) return;
    Vector d(k), z(k), roots(k);
    Matrix rotation(k, k);
    for (Index i = 0; i < k; ++i) d[i] = d_[kept[at(i)]], z[i] = z_[kept[at(i)]];
    diagonal_and_one(d, z, rho, roots, rotation);
    for (Index i = 0; i < k; ++i) d_[kept[at(i)]] = roots[i];
    turn(kept, rotation, among_largest(kept, count));
  }

 private:
  enum Part : unsigned char { left, both, right };  // where a vector is not 0

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double* row(Index i) { return vectors_ + i * ld_; }

  /// The rows that change, in ascending order of d. Those with next to nothing of u are vectors
  /// already; of two with nearly the same value, one is turned until it is.
  std::vector<Index> separate(double rho) {
    double largest = rho;
    for (Index i = 0; i < n_; ++i) largest = std::max(largest, std::abs(d_[i]));
    const double least =
        std::max(4 * std::numeric_limits<double>::epsilon() * largest, least_number);
    std::vector<Index> order(at(n_)), kept;
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, {}, [&](Index i) { return d_[i]; });
    for (const Index i : order) {
      if (!(rho * std::abs(z_[i]) > least)) continue;
      if (!kept.empty() && turned_away(kept.back(), i, least)) kept.pop_back();
      kept.push_back(i);
    }
    return kept;
  }

  /// Turns rows i and j so that i has nothing of u any more, if that leaves D diagonal.
  bool turned_away(Index i, Index j, double least) {
    const double length = std::hypot(z_[i], z_[j]), c = z_[j] / length, s = z_[i] / length;
    if (std::abs((d_[j] - d_[i]) * c * s) > least) return false;
    double *const x = row(i), *const y = row(j);
    for (Index p = 0; p < n_; ++p) {
      const double of_x = x[p];
      x[p] = c * of_x - s * y[p];
      y[p] = c * y[p] + s * of_x;
    }
    z_[j] = length;
    const double of_i = d_[i];
    d_[i] = c * c * of_i + s * s * d_[j];
    d_[j] = c * c * d_[j] + s * s * of_i;
    if (part_[at(i)] != part_[at(j)]) part_[at(j)] = both;
    return true;
  }

  /// The first of `kept` whose value is among the `count` largest of all; a few more are made,
  /// where there would be too few for a product of the same bits.
  Index among_largest(const std::vector<Index>& kept, Index count) const {
    std::vector<double> sorted(d_, d_ + n_);
    std::ranges::nth_element(sorted, sorted.begin() + (n_ - count));
    const double least = sorted[at(n_ - count)];
    const auto first = std::ranges::lower_bound(kept, least, {}, [&](Index i) { return d_[i]; });
    return std::clamp<Index>(std::ssize(kept) - least_packed, 0, first - kept.begin());
  }

  /// Row kept[i] becomes Σ_j rotation(i, j) · row kept[j], from i = `first` on. Products pass over
  /// the half of a vector that is 0.
  void turn(const std::vector<Index>& kept, const Matrix& rotation, Index first) {
    const Index k = std::ssize(kept), rows = k - first;
    std::vector<Index> order(at(k));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, {}, [&](Index j) { return part_[at(kept[at(j)])]; });
    const auto before = [&](Part part) {
      return std::ranges::count_if(kept, [&](Index j) { return part_[at(j)] < part; });
    };
    const Index from = before(both), to = before(right);
    Matrix factors(rows, k), old(k, n_), result(rows, n_);
    for (Index j = 0; j < k; ++j) {
      for (Index i = 0; i < rows; ++i) factors(i, j) = rotation(first + i, order[at(j)]);
      std::copy_n(row(kept[at(order[at(j)])]), n_, old.row(j).begin());
    }
    gemm(rows, half_, to, 1, factors.data(), k, old.data(), n_, 0, result.data(), n_);
    gemm(rows, n_ - half_, k - from, 1, factors.data() + from, k, old.data() + from * n_ + half_,
         n_, 0, result.data() + half_, n_);
    for (Index i = 0; i < rows; ++i)
      std::ranges::copy(std::as_const(result).row(i), row(kept[at(first + i)]));
  }

  /// Whose square is a double; numbers below it are 0 compared with the largest one of the whole
  /// matrix, which is near 1.
  static constexpr double least_number = 1e-140;

  Index half_, n_;
  double *d_, *vectors_;
  Index ld_;
  Vector z_;
  std::vector<Part> part_;
};

}  // namespace

// Cuppen's method (Golub and Van Loan 2013, section 8.4): without the number b between two halves,
// and with |b| less on the diagonal at either side of it, they are matrices of their own.
void divide_tridiagonal(Index n, double* diagonal, double* beside, Index count, double* vectors,
                        Index ld) {
  if (n <= undivided) return small_tridiagonal(n, diagonal, beside, vectors, ld);
  const Index half = n / 2;
  const double between = beside[half - 1];
  diagonal[half - 1] -= std::abs(between);
  diagonal[half] -= std::abs(between);
  for (Index i = 0; i < n; ++i)
    std::fill_n(vectors + i * ld + (i < half ? half : 0), i < half ? n - half : half, 0.0);
  divide_tridiagonal(half, diagonal, beside, half, vectors, ld);
  divide_tridiagonal(n - half, diagonal + half, beside + half, n - half, vectors + half * ld + half,
                     ld);
  Halves(half, n, diagonal, vectors, ld).join(between, count);
}

}  // namespace suffice::blas
