#pragma once
// What `fit` did, as people and as programs read it.

#include <optional>

#include "cli/commands/training.hpp"
#include "cli/output/json.hpp"
#include "suffice/evaluate/leave_one_out_shrinkage.hpp"
#include "suffice/evaluate/report.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

struct FitSummary {
  const Training& training;
  const Model& model;
  const std::optional<LeaveOneOutShrinkage::Choice>& choice;  ///< --shrinkage loo
  const std::optional<Report>& error;                         ///< --training-error
};

/// Rows, classes, columns, the model and how it was regularised.
std::string fit_text(const Context& context, const FitSummary& fitted);
Json fit_json(const Context& context, const FitSummary& fitted);

}  // namespace suffice::cli
