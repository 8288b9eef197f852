#pragma once
// Means and their standard errors, and the rule by which one model is better than another.

#include <span>

namespace suffice {

struct Mean {
  double value = 0;
  double standard_error = 0;  ///< infinite where the value is, or where there is a single row
};

/// x̄ = Σ w x / W and the root of n / (n − 1) Σ (w / W)² (x − x̄)² / m. Row i has the weight w_i and
/// stands for m_i rows, which share that weight; n is Σ m, or the number of rows where that is
/// more. Empty spans are 1 for each row; rows whose value is NaN are left out.
Mean mean_of(std::span<const double> values, std::span<const double> weights = {},
             std::span<const double> copies = {});

/// The standard error of Σ w x / W from running sums: √((Σ w x² / W − x̄²) / (n − 1)). n is W, or
/// the number of rows where that is more: such weights are shares, not numbers of rows.
double standard_error(double weight, double sum, double squares, double rows = 0);

/// What one model gains on another: the mean of the differences between their losses on the same
/// rows, or in the same folds. Two infinite losses are equal.
Mean gain(std::span<const double> first, std::span<const double> other,
          std::span<const double> weights = {}, std::span<const double> copies = {});

/// Whether `other` loses less than `first` by more than one standard error of the differences.
bool is_better(std::span<const double> other, std::span<const double> first,
               std::span<const double> weights = {}, std::span<const double> copies = {});

}  // namespace suffice
