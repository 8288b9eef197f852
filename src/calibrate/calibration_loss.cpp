#include "calibrate/calibration_loss.hpp"

#include <algorithm>
#include <cmath>

#include "algebra/blas.hpp"
#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/special_functions.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {
namespace {

/// Rows whose posteriors are worked out at a time.
constexpr Index panel_rows = 256;
static_assert(panel_rows % kernels::lane_unit == 0);

/// Whether a class can have made a row: no block says −inf. Throws for what is no score.
bool is_possible(std::span<const Matrix> block_scores, Index row, Index c) {
  bool possible = true;
  for (const Matrix& scores : block_scores) {
    const double score = scores(row, c);
    if (std::isnan(score) || score == infinity)
      throw InvalidArgument({.row = row}, "a score is " + name_of(score),
                            "a calibration needs numbers or -inf");
    possible = possible && score != -infinity;
  }
  return possible;
}

}  // namespace

CalibrationLoss::CalibrationLoss(std::span<const Matrix> block_scores,
                                 std::span<const Index> labels, std::span<const double> weights,
                                 std::span<const double> log_priors)
    : classes_(std::ssize(log_priors)),
      class_weight_(classes_),
      log_prior_(log_priors),
      gradient_(std::ssize(block_scores) + classes_) {
  const double log_total = log_sum_exp(log_priors);
  for (double& log_prior : log_prior_)
    if (log_total > -infinity) log_prior -= log_total;
  const Index n = std::ssize(labels);
  std::vector<Index> used;
  bool any_barred = false;
  for (Index i = 0; i < n; ++i) {
    const Index own = labels[i];
    const double weight = weights.empty() ? 1 : weights[i];
    if (own < 0 || weight == 0) continue;
    total_weight_ += weight;
    bool some = false, all = true;
    for (Index c = 0; c < classes_; ++c) {
      const bool possible = is_possible(block_scores, i, c);
      some = some || (possible && log_prior_[c] > -infinity);
      all = all && possible;
    }
    if (!some && log_prior_[own] > -infinity) {  // then its posteriors are the priors
      constant_loss_ -= weight * log_prior_[own];
    } else if (log_prior_[own] == -infinity || !is_possible(block_scores, i, own)) {
      impossible_ += weight;
    } else {
      used.push_back(i);
      any_barred = any_barred || !all;
    }
  }

  const Index rows = std::ssize(used);
  stride_ = kernels::padded(rows);
  weight_ = Vector(stride_);
  log_sum_ = Vector(stride_);
  posterior_ = Matrix(classes_, stride_);
  if (any_barred) barred_ = Matrix(classes_, stride_);
  scores_.assign(block_scores.size(), Matrix(classes_, stride_));
  mean_.assign(block_scores.size(), Vector(stride_));
  for (Index r = 0; r < rows; ++r) {
    const Index i = used[r], own = labels[i];
    label_.push_back(own);
    weight_[r] = weights.empty() ? 1 : weights[i];
    class_weight_[own] += weight_[r];
    for (std::size_t b = 0; b < block_scores.size(); ++b)
      for (Index c = 0; c < classes_; ++c)
        scores_[b](c, r) = block_scores[b](i, c) - block_scores[b](i, own);
    for (Index c = 0; any_barred && c < classes_; ++c) {
      if (is_possible(block_scores, i, c)) continue;
      barred_(c, r) = -infinity;
      for (Matrix& scores : scores_) scores(c, r) = 0;
    }
  }
}

double CalibrationLoss::predict(const Vector& parameters, Index first, Index count) {
  for (Index c = 0; c < classes_; ++c) {
    const double base = log_prior_[c] + parameters[blocks() + c];
    double* const z = posterior_.row(c).data() + first;
    if (barred_.empty())
      std::fill_n(z, count, base);
    else
      for (Index r = 0; r < count; ++r) z[r] = base + barred_(c, first + r);
    for (Index b = 0; b < blocks(); ++b) {
      const double scale = parameters[b];
      const double* const scores = scores_[b].row(c).data() + first;
      for (Index r = 0; r < count; ++r) z[r] += scale * scores[r];
    }
  }
  double* const log_sum = log_sum_.data() + first;
  kernels::softmax(posterior_.data() + first, stride_, classes_, count, log_sum);
  double loss = 0;
  for (Index r = first; r < std::min(first + count, rows()); ++r)
    loss += weight_[r] * (log_sum_[r] - log_prior_[label_[r]] - parameters[blocks() + label_[r]]);
  return loss;
}

double CalibrationLoss::penalty(const Vector& parameters) const {
  double sum = 0;
  for (Index j = 0; j < size(); ++j) {
    const double difference = parameters[j] - (j < blocks() ? 1 : 0);
    sum += difference * difference;
  }
  return 0.5 * sum;
}

double CalibrationLoss::evaluate(const Vector& parameters) {
  double loss = 0;
  for (Index first = 0; first < stride_; first += panel_rows)
    loss += predict(parameters, first, std::min(panel_rows, stride_ - first));
  find_gradient(parameters);
  return loss + penalty(parameters);
}

double CalibrationLoss::evaluate_some(const Vector& parameters) {
  constexpr Index unit = kernels::lane_unit, most = 64;
  const Index units = stride_ / unit, step = std::max<Index>(1, units / most);
  double loss = 0, weight = 0;
  for (Index u = 0; u < units; u += step) {
    loss += predict(parameters, u * unit, unit);
    for (Index r = 0; r < unit; ++r) weight += weight_[u * unit + r];
  }
  const double all = class_weight_.map().sum();
  return (weight > 0 ? loss * all / weight : 0) + penalty(parameters);
}

double CalibrationLoss::mean_loss(const Vector& parameters) {
  if (!(total_weight_ > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (impossible_ > 0) return infinity;
  double loss = constant_loss_;
  for (Index first = 0; first < stride_; first += panel_rows)
    loss += predict(parameters, first, std::min(panel_rows, stride_ - first));
  return loss / total_weight_;
}

void CalibrationLoss::find_gradient(const Vector& parameters) {
  const auto weight = weight_.map();
  for (Index c = 0; c < classes_; ++c) {
    const Eigen::Map<const Eigen::VectorXd> p(posterior_.row(c).data(), stride_);
    gradient_[blocks() + c] = p.dot(weight) - class_weight_[c] + parameters[blocks() + c];
  }
  for (Index b = 0; b < blocks(); ++b) {
    auto mean = mean_[b].map();
    mean.setZero();
    for (Index c = 0; c < classes_; ++c) {
      const Eigen::Map<const Eigen::ArrayXd> p(posterior_.row(c).data(), stride_);
      const Eigen::Map<const Eigen::ArrayXd> scores(scores_[b].row(c).data(), stride_);
      mean.array() += p * scores;
    }
    gradient_[b] = mean.dot(weight) + parameters[b] - 1;
  }
}

void CalibrationLoss::form_hessian() {
  const Index m = size(), b0 = blocks();
  if (hessian_.empty()) hessian_ = Matrix(m, m);
  Matrix weighted(classes_, stride_);
  weighted.map() = posterior_.map() * weight_.map().asDiagonal();
  blas::gemm_nt(classes_, classes_, stride_, -1, weighted.data(), stride_, posterior_.data(),
                stride_, 0, hessian_.data() + b0 * m + b0, m);
  for (Index c = 0; c < classes_; ++c) hessian_(b0 + c, b0 + c) += weighted.map().row(c).sum() + 1;
  // The rows of the scales: covariances under the posteriors, of which `weighted` times a deviation
  // from the mean is half.
  Vector deviation(stride_);
  for (Index b = 0; b < b0; ++b) {
    for (Index other = 0; other <= b; ++other) hessian_(b, other) = b == other;
    for (Index c = 0; c < classes_; ++c) {
      const Eigen::Map<const Eigen::VectorXd> scores(scores_[b].row(c).data(), stride_);
      deviation.map() = (scores - mean_[b].map()).cwiseProduct(weighted.map().row(c).transpose());
      hessian_(b0 + c, b) = hessian_(b, b0 + c) = deviation.map().sum();
      for (Index other = 0; other <= b; ++other) {
        const Eigen::Map<const Eigen::VectorXd> others(scores_[other].row(c).data(), stride_);
        hessian_(b, other) += deviation.map().dot(others - mean_[other].map());
      }
    }
    for (Index other = 0; other < b; ++other) hessian_(other, b) = hessian_(b, other);
  }
}

Vector CalibrationLoss::hessian_diagonal() const {
  Vector diagonal(size());
  std::ranges::fill(diagonal, 1.0);
  const auto weight = weight_.map().array();
  for (Index c = 0; c < classes_; ++c) {
    const Eigen::Map<const Eigen::ArrayXd> p(posterior_.row(c).data(), stride_);
    diagonal[blocks() + c] += (weight * p * (1 - p)).sum();
    for (Index b = 0; b < blocks(); ++b) {
      const Eigen::Map<const Eigen::ArrayXd> scores(scores_[b].row(c).data(), stride_);
      diagonal[b] += (weight * p * (scores - mean_[b].map().array()).square()).sum();
    }
  }
  return diagonal;
}

// With t_ik = Σ_b v_b ℓ_bik + v_k and its mean t̄_i under the posteriors, the product has
// Σ_i w_i p_ik (t_ik − t̄_i) for class k, and Σ_ik w_i p_ik (t_ik − t̄_i) ℓ_bik for block b.
void CalibrationLoss::multiply_hessian(const Vector& by, Vector& out, bool formed) const {
  if (formed) {
    out.map() = hessian_.map() * by.map();
    return;
  }
  out = by;  // of the penalty
  Matrix t(classes_, panel_rows);
  Vector mean(panel_rows);
  for (Index first = 0; first < stride_; first += panel_rows) {
    const Index count = std::min(panel_rows, stride_ - first);
    const auto of = [&](const Matrix& matrix, Index c) {
      return Eigen::Map<const Eigen::ArrayXd>(matrix.row(c).data() + first, count);
    };
    const Eigen::Map<const Eigen::ArrayXd> weight(weight_.data() + first, count);
    Eigen::Map<Eigen::ArrayXd> means(mean.data(), count);
    means.setZero();
    for (Index c = 0; c < classes_; ++c) {
      Eigen::Map<Eigen::ArrayXd> row(t.row(c).data(), count);
      row.setConstant(by[blocks() + c]);
      for (Index b = 0; b < blocks(); ++b) row += by[b] * of(scores_[b], c);
      means += of(posterior_, c) * row;
    }
    for (Index c = 0; c < classes_; ++c) {
      Eigen::Map<Eigen::ArrayXd> row(t.row(c).data(), count);
      row = weight * of(posterior_, c) * (row - means);
      out[blocks() + c] += row.sum();
      for (Index b = 0; b < blocks(); ++b) out[b] += (row * of(scores_[b], c)).sum();
    }
  }
}

}  // namespace suffice
