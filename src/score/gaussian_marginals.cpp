#include "score/gaussian_marginals.hpp"

#include <cmath>
#include <numeric>
#include <optional>

#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "factor/conditional.hpp"
#include "factor/whitener.hpp"
#include "score/scorer.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// −½ (ν + n) log(1 + q/ν): Student's t of n features without its constant.
double log_student(double q, double dof, Index n) {
  return -0.5 * (dof + static_cast<double>(n)) * std::log1p(q / dof);
}

/// y · v − ½ |v|² with y = W x and v = W m, for the n × n lower triangle W.
long double linear_score(const Matrix& whitener, const Vector& x, const Vector& m) {
  long double sum = 0;
  for (Index i = 0; i < whitener.rows(); ++i) {
    const double* row = whitener.data() + i * whitener.cols();
    const long double y = std::inner_product(row, row + i + 1, x.begin(), 0.0L);
    const long double v = std::inner_product(row, row + i + 1, m.begin(), 0.0L);
    sum += v * (y - v / 2);
  }
  return sum;
}

}  // namespace

GaussianMarginals::GaussianMarginals(const GaussianDensity& density, const GaussianFactor& factor,
                                     const Vector& weights, bool linear)
    : density_(density),
      factor_(factor),
      weights_(weights),
      linear_(linear),
      d_(static_cast<Index>(factor.used.size())),
      classes_(weights.size()),
      student_(!factor.dof.empty()),
      joint_(factor.dof.cols() == 1) {}

void GaussianMarginals::score(const double* x, Known& known, double* scores) const {
  std::vector<Index> missing;
  for (Index j = 0; j < d_; ++j)
    if (std::isnan(x[j])) missing.push_back(j);
  if (linear_) return score_linear(x, missing, known, scores);
  if (by_missing(missing)) return score_by_missing(x, missing, scores);
  for (Index c = 0; c < classes_; ++c) scores[c] = log_marginal(x, c, known);
}

/// By the numbers that are missing where these are the fewer, by those that are present otherwise.
bool GaussianMarginals::by_missing(const std::vector<Index>& missing) const {
  return !factor_.whitener.empty() && 2 * std::ssize(missing) <= d_ && precisions();
}

void GaussianMarginals::score_by_missing(const double* x, const std::vector<Index>& missing,
                                         double* scores) const {
  std::optional<Conditional> conditional;
  Vector deviation(d_);
  const Index kept = d_ - std::ssize(missing);
  for (Index c = 0; c < classes_; ++c) {
    scores[c] = 0;
    if (is_empty(c)) continue;
    const auto k = factor_.whitener.size() == 1 ? 0 : static_cast<std::size_t>(c);
    if (!conditional || k > 0) conditional.emplace((*precisions())[k], missing);
    for (Index j = 0; j < d_; ++j)
      deviation[j] = std::isnan(x[j]) ? 0 : (x[j] - factor_.center[j]) - factor_.mean(c, j);
    conditional->complete(deviation.data());
    const Matrix& whitener = factor_.whitener[k];
    double square = 0, log_norm = -0.5 * static_cast<double>(kept) * log_2pi;
    for (Index i = 0; i < d_; ++i) {
      const double* row = whitener.data() + i * d_;
      const double y = std::inner_product(row, row + i + 1, deviation.begin(), 0.0);
      square += y * y;
      log_norm += std::log(row[i]);
    }
    scores[c] = log_norm - conditional->half_log_det() + log_quadratic(c, square, kept);
  }
}

void GaussianMarginals::score_linear(const double* x, const std::vector<Index>& missing,
                                     Known& known, double* scores) const {
  if (factor_.whitener.empty()) {
    score_far(weights_, scores, [&](Index c) {
      long double sum = 0;
      for (Index j = 0; j < d_; ++j) {
        if (std::isnan(x[j])) continue;
        const long double v = factor_.whitened_mean(c, j);
        sum += (static_cast<long double>(x[j]) - factor_.center[j]) * factor_.linear(c, j);
        sum -= v * v / 2;
      }
      return sum;
    });
    return;
  }
  // Of the numbers that are present; or of all, where those that are missing have the values that
  // are expected where the others are these.
  const bool fill = by_missing(missing);
  std::optional<Conditional> conditional;
  if (fill) conditional.emplace((*precisions())[0], missing);
  const Marginal* marginal = fill ? nullptr : &marginal_of(x, known);
  const Matrix& whitener = fill ? factor_.whitener[0] : marginal->whitener[0];
  const auto completed = [&](const auto& value) {
    Vector result(whitener.rows());
    for (Index i = 0; i < result.size(); ++i) {
      const Index j = fill ? i : marginal->kept[static_cast<std::size_t>(i)];
      result[i] = std::isnan(x[j]) ? 0 : value(j);
    }
    if (fill) conditional->complete(result.data());
    return result;
  };
  const Vector row = completed([&](Index j) { return x[j] - factor_.center[j]; });
  score_far(weights_, scores, [&](Index c) {
    return linear_score(whitener, row, completed([&](Index j) { return factor_.mean(c, j); }));
  });
}

/// Of the whitened covariances, once a row needs them; null where they would lose digits.
const std::vector<Matrix>* GaussianMarginals::precisions() const {
  std::call_once(precisions_made_, [&] {
    for (std::size_t k = 0; k < factor_.whitener.size(); ++k) {
      if (factor_.whitener.size() > 1 && is_empty(static_cast<Index>(k))) {
        precisions_.emplace_back();
        continue;
      }
      precisions_.push_back(precision_of(factor_.whitener[k]));
      if (!is_safe(precisions_.back(), density_.covariance[k], factor_.used)) {
        precisions_.clear();
        return;
      }
    }
  });
  return precisions_.empty() ? nullptr : &precisions_;
}

double GaussianMarginals::log_marginal(const double* x, Index c, Known& known) const {
  if (factor_.whitener.empty()) {
    double log_p = 0, square = 0;
    Index present = 0;
    for (Index j = 0; j < d_; ++j) {
      const double scale = scale_of(c, j);
      if (std::isnan(x[j]) || !(scale > 0)) continue;  // scale 0: a class of weight 0
      const double t = (x[j] - factor_.center[j]) * scale - factor_.whitened_mean(c, j);
      log_p += std::log(scale) - 0.5 * log_2pi;
      if (student_ && !joint_)
        log_p +=
            log_gamma_excess(factor_.dof(c, j) / 2, 0.5) + log_student(t * t, factor_.dof(c, j), 1);
      square += t * t;
      ++present;
    }
    if (student_ && !joint_) return log_p;
    return log_p + (present > 0 ? log_quadratic(c, square, present) : 0);
  }
  const Marginal& marginal = marginal_of(x, known);
  const Matrix& w =
      marginal.whitener[marginal.whitener.size() == 1 ? 0 : static_cast<std::size_t>(c)];
  const Index kept = static_cast<Index>(marginal.kept.size());
  if (w.empty()) return 0;  // nothing is present, or a class of weight 0
  Vector centered(kept);
  double square = 0;
  for (Index i = 0; i < kept; ++i) {
    const Index j = marginal.kept[static_cast<std::size_t>(i)];
    centered[i] = (x[j] - factor_.center[j]) - factor_.mean(c, j);
    double y = 0;
    for (Index k = 0; k <= i; ++k) y += w(i, k) * centered[k];
    square += y * y;
  }
  return marginal.log_norm[c] + log_quadratic(c, square, kept);
}

/// What n features with the quadratic form q add to the constant of a normal density.
double GaussianMarginals::log_quadratic(Index c, double q, Index n) const {
  if (!joint_) return -0.5 * q;
  const double half = static_cast<double>(n) / 2, dof = factor_.dof(c, 0);
  return log_gamma_excess(dof / 2, half) - half * std::log(spread_of(c)) +
         log_student(q / spread_of(c), dof, n);
}

const GaussianMarginals::Marginal& GaussianMarginals::marginal_of(const double* x,
                                                                  Known& known) const {
  std::string pattern(static_cast<std::size_t>(d_), '\0');
  for (Index j = 0; j < d_; ++j) pattern[static_cast<std::size_t>(j)] = std::isnan(x[j]) ? 1 : 0;
  if (const auto found = known.marginals.find(pattern); found != known.marginals.end())
    return found->second;

  Marginal marginal;
  marginal.log_norm = Vector(classes_);
  std::vector<Index> in_block;
  for (Index j = 0; j < d_; ++j) {
    if (std::isnan(x[j])) continue;
    marginal.kept.push_back(j);
    in_block.push_back(factor_.used[static_cast<std::size_t>(j)]);
  }
  marginal.whitener.resize(density_.covariance.size());
  for (std::size_t c = 0; c < density_.covariance.size(); ++c) {
    if (density_.covariance.size() > 1 && is_empty(static_cast<Index>(c))) continue;
    double log_norm = 0;
    if (whiten(density_.covariance[c], in_block, marginal.whitener[c], log_norm) !=
        static_cast<Index>(in_block.size())) {
      throw Error("a marginal of a positive definite covariance came out singular");
    }
    if (density_.covariance.size() > 1) {
      marginal.log_norm[static_cast<Index>(c)] = log_norm;
    } else {
      std::fill(marginal.log_norm.begin(), marginal.log_norm.end(), log_norm);
    }
  }
  // Patterns are kept for the rows to come, within bounds.
  constexpr std::size_t most_bytes = std::size_t{32} << 20;
  marginal.bytes = sizeof(double) * in_block.size() * in_block.size() * marginal.whitener.size() +
                   pattern.size() + 256;
  if (known.bytes + marginal.bytes > most_bytes) {
    known.marginals.clear();
    known.bytes = 0;
  }
  known.bytes += marginal.bytes;
  return known.marginals.emplace(std::move(pattern), std::move(marginal)).first->second;
}

}  // namespace suffice
