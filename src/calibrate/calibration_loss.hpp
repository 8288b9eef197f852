#pragma once
// The penalised log-loss of a calibration, with its derivatives:
//
//   F(β, b) = −Σ_i w_i log P(c_i | x_i) + ½ |b|² + ½ |β − 1|²,   P(k | x) ∝ π_k exp(Σ β ℓ_k + b_k)

#include <span>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Parameters are β (one per block), then b (one per class). Scores are kept class by class, rows
/// side by side, relative to those of each row's own class: what is huge in all classes is gone.
class CalibrationLoss {
 public:
  CalibrationLoss(std::span<const Matrix> block_scores, std::span<const Index> labels,
                  std::span<const double> weights, std::span<const double> log_priors);

  Index blocks() const noexcept { return std::ssize(scores_); }
  Index size() const noexcept { return blocks() + classes_; }
  Index rows() const noexcept { return std::ssize(label_); }  ///< that have a part in F
  double total_weight() const noexcept { return total_weight_; }
  double impossible() const noexcept { return impossible_; }

  /// F, and what the functions below tell about the same parameters.
  double evaluate(const Vector& parameters);
  /// F of some hundred rows, spread over all, in their stead.
  double evaluate_some(const Vector& parameters);
  /// The mean of −log P(c_i | x_i) without the penalty, over all rows with a label.
  double mean_loss(const Vector& parameters);

  const Vector& gradient() const noexcept { return gradient_; }
  void form_hessian();
  const Matrix& hessian() const noexcept { return hessian_; }
  Vector hessian_diagonal() const;
  /// By the matrix, where it was formed; otherwise without one.
  void multiply_hessian(const Vector& by, Vector& out, bool formed) const;

 private:
  /// Posteriors of the rows from `first` on; their weighted log-loss.
  double predict(const Vector& parameters, Index first, Index count);
  void find_gradient(const Vector& parameters);
  double penalty(const Vector& parameters) const;

  Index classes_;
  Index stride_ = 0;            ///< rows, padded
  std::vector<Matrix> scores_;  ///< per block, K × stride; 0 where impossible
  Matrix barred_;               ///< K × stride: −inf where a class is impossible; empty: nowhere
  std::vector<Index> label_;
  Vector weight_;  ///< stride; 0 behind the last row
  Vector class_weight_;
  Vector log_prior_;
  double total_weight_ = 0, impossible_ = 0;
  double constant_loss_ = 0;  ///< of rows that no class can make: that of the priors

  Matrix posterior_;          ///< K × stride
  Vector log_sum_;            ///< stride
  std::vector<Vector> mean_;  ///< per block: Σ_k p_ik ℓ_ik of each row
  Vector gradient_;
  Matrix hessian_;
};

}  // namespace suffice
