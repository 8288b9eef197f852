#include "algebra/secular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace suffice::blas {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Of c x² − a x + b: the root that is between the poles, where a quotient has one on either side.
double root_of(double a, double b, double c) {
  const double root = std::sqrt(std::max(a * a - 4 * b * c, 0.0));
  return a > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
}

/// f(x) = 1 / rho + Σ z_i² / (d_i − x), whose roots are the eigenvalues: one between two
/// neighbours of d, and one above all of them. Here about root j, with x = origin + tau.
class SecularEquation {
 public:
  SecularEquation(const Vector& d, const Vector& z, double rho, Index j)
      : d_(d), z_(z), inverse_(1 / rho), j_(j), last_(j + 1 == d.size()) {}

  /// The root itself; `apart` gets all d_i − root, with nearly all of their digits: the origin is
  /// the nearest of d.
  double solve(double length, double* apart) {
    origin_ = d_[j_];
    double low = 0, high = last_ ? (1 + 8 * epsilon) * length / inverse_ : d_[j_ + 1] - d_[j_];
    double tau = first_guess(low, high);
    for (int round = 1; round < 200; ++round) {
      const At at = evaluate(tau);
      if (std::abs(at.f) <= epsilon * at.rounding) break;
      (at.f < 0 ? low : high) = tau;
      double next = tau + step(at, tau);
      if (!(next > low && next < high) || round % 10 == 0) next = low + (high - low) / 2;
      if (next == tau || next == low || next == high) break;
      tau = next;
    }
    for (Index i = 0; i < d_.size(); ++i) apart[i] = (d_[i] - origin_) - tau;
    return origin_ + tau;
  }

 private:
  /// f, its slopes by the poles up to j and by those above, and how many times epsilon f may be
  /// wrong: sums add from the smallest term to the largest.
  struct At {
    double f = 0, below = 0, above = 0, rounding = 0;
  };

  At evaluate(double tau) const {
    At at;
    double sum = 0, other = 0;
    for (Index i = 0; i <= j_; ++i) {
      const double part = z_[i] / ((d_[i] - origin_) - tau);
      sum += z_[i] * part;
      at.below += part * part;
      at.rounding -= sum;
    }
    for (Index i = d_.size() - 1; i > j_; --i) {
      const double part = z_[i] / ((d_[i] - origin_) - tau);
      other += z_[i] * part;
      at.above += part * part;
      at.rounding += other;
    }
    at.f = inverse_ + sum + other;
    at.rounding += inverse_ + 8 * (other - sum) + std::abs(tau) * (at.below + at.above);
    return at;
  }

  /// To the root of c + p / (d_j − x) + q / (d_{j+1} − x), which has the values and slopes of both
  /// sums at tau (Li 1993, "the middle way").
  double step(const At& at, double tau) const {
    const double left = (d_[j_] - origin_) - tau;
    if (last_) return left + left * left * at.below / (at.f - left * at.below);
    const double right = (d_[j_ + 1] - origin_) - tau;
    return root_of((left + right) * at.f - left * right * (at.below + at.above),
                   left * right * at.f, at.f - left * at.below - right * at.above);
  }

  /// The root if all but the two nearest terms were as they are in the middle, which also tells the
  /// nearest of d.
  double first_guess(double& low, double& high) {
    const double middle = high / 2, gap = high;
    const double f = evaluate(middle).f, p = z_[j_] * z_[j_];
    double guess = 0;
    if (last_) {
      (f < 0 ? low : high) = middle;
      guess = p / (f + p / middle);
    } else {
      const double q = z_[j_ + 1] * z_[j_ + 1], c = f + (p - q) / middle;
      if (f >= 0) {
        high = middle;
        guess = root_of(c * gap + p + q, p * gap, c);
      } else {
        origin_ = d_[j_ + 1];
        low = -middle;
        high = 0;
        guess = root_of(p + q - c * gap, -q * gap, c);
      }
    }
    return guess > low && guess < high ? guess : low + (high - low) / 2;
  }

  const Vector &d_, &z_;
  double inverse_;
  Index j_;
  bool last_;
  double origin_ = 0;
};

}  // namespace

// The roots are exact for a z that differs a little from the one given, and which follows from them
// (Gu and Eisenstat 1994): its vectors are orthogonal, those of the z given need not be.
void diagonal_and_one(const Vector& d, const Vector& z, double rho, Vector& roots,
                      Matrix& vectors) {
  const Index n = d.size();
  double length = 0;
  for (const double x : z) length += x * x;
  for (Index j = 0; j < n; ++j)
    roots[j] = SecularEquation(d, z, rho, j).solve(length, vectors.row(j).data());
  Vector exact(n);
  for (Index i = 0; i < n; ++i) exact[i] = -vectors(i, i);
  for (Index j = 0; j < n; ++j) {
    const double* const apart = vectors.row(j).data();
    for (Index i = 0; i < j; ++i) exact[i] *= apart[i] / (d[i] - d[j]);
    for (Index i = j + 1; i < n; ++i) exact[i] *= apart[i] / (d[i] - d[j]);
  }
  for (Index i = 0; i < n; ++i) exact[i] = std::copysign(std::sqrt(exact[i]), z[i]);
  for (Index j = 0; j < n; ++j) {
    double* const row = vectors.row(j).data();
    double square = 0;
    for (Index i = 0; i < n; ++i) {
      row[i] = exact[i] / row[i];
      square += row[i] * row[i];
    }
    const double factor = 1 / std::sqrt(square);
    for (Index i = 0; i < n; ++i) row[i] *= factor;
  }
}

}  // namespace suffice::blas
