#pragma once
// Finding a calibration from scored rows with labels. The rows must not have been scored by a model
// that was trained on them: take leave-one-out scores, those of the other folds' models, or other
// rows.

#include <limits>
#include <span>

#include "suffice/core/matrix.hpp"
#include "suffice/models/calibration.hpp"

namespace suffice {

struct CalibrationOptions {
  /// Scales are between 0 and this. 1: evidence is never counted more than once. Infinity: ratios
  /// may become steeper, too.
  double largest_scale = 1;
};

struct CalibrationFit {
  Calibration calibration;
  double rows = 0;  ///< the weight of the rows with a label
  /// Mean −log P(true class | x) under the priors of the fit, without the calibration and with it.
  double log_loss_before = std::numeric_limits<double>::quiet_NaN();
  double log_loss = std::numeric_limits<double>::quiet_NaN();
  /// The weight of rows whose own class is impossible (−inf): each makes both log-losses infinite,
  /// and none has a part in the fit.
  double impossible = 0;
};

/// Scales β and offsets b that minimise
///
///   −Σ_i w_i log P(c_i | x_i) + ½ |b|² + ½ |β − 1|²,   P(k | x) ∝ π_k exp(Σ_b β_b ℓ_bk(x) + b_k),
///
/// a convex function, by Newton's method with bounds. `block_scores` are ℓ, one n × K matrix per
/// block; what all classes of a row share may be left out. `labels` are positions of classes; rows
/// below 0 have no part. Empty weights are 1. The log-priors π should be those of the rows (their
/// frequencies): what the rows say of the priors is divided out. They need not be normalised.
/// A class without rows keeps an offset near 0, and no rows at all give scale 1 and offset 0. One
/// thread, the same answer on every machine of a kind.
/// Throws InvalidArgument where sizes differ, or a score is NaN or +inf.
CalibrationFit fit_calibration(std::span<const Matrix> block_scores, std::span<const Index> labels,
                               std::span<const double> weights, std::span<const double> log_priors,
                               const CalibrationOptions& options = {});

}  // namespace suffice
