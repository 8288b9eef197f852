#pragma once
// What `fit` did, as people and as programs read it.

#include <optional>

#include "cli/output/json.hpp"
#include "cli/verbs/training.hpp"
#include "suffice/left_out/leave_one_out_shrinkage.hpp"
#include "suffice/models/model.hpp"
#include "suffice/report/report.hpp"
#include "suffice/select/choose.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice::cli {

/// What --calibration auto has found.
struct FoundCalibration {
  Index folds = 0;  ///< 0: one row at a time
  double log_loss_before = 0, log_loss = 0, frequency_log_loss = 0;
};

/// What --shrink-means auto has found, by folds.
struct FoundThreshold {
  double delta = 0;
  Index compared = 0, folds = 0;
  double error_rate = 0, log_loss = 0;
};

struct FitSummary {
  const Training& training;
  const Model& model;
  const std::optional<LeaveOneOutShrinkage::Choice>& strength;  ///< --shrinkage loo
  const std::optional<FoundThreshold>& threshold;               ///< --shrink-means auto
  const std::optional<Choice>& choice;                          ///< where the model was chosen
  const std::optional<FoundCalibration>& calibration;           ///< --calibration auto
  const std::optional<Report>& error;                           ///< --training-error
  const std::optional<MixtureFit>& mixture;                     ///< --components, --unlabelled
};

/// A line of what --training-error asks for.
std::string training_error_text(const Report& error);
/// Rows, classes, columns, the model and how it was regularised.
std::string fit_text(const Context& context, const FitSummary& fitted);
Json fit_json(const Context& context, const FitSummary& fitted);

}  // namespace suffice::cli
