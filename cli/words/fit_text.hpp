#pragma once
// What `fit` did, as people and as programs read it.

#include <optional>
#include <string>
#include <vector>

#include "cli/output/json.hpp"
#include "cli/verbs/context.hpp"
#include "suffice/fit/fit.hpp"
#include "suffice/report/report.hpp"

namespace suffice::cli {

struct FitSummary {
  const Fit& found;
  const std::vector<std::string>& files;
  const std::vector<std::string>& skipped;  ///< columns left out, as asked for
  const std::optional<Report>& error;       ///< --training-error
};

/// A line of what --training-error asks for.
std::string training_error_text(const Report& error);
/// The rows, the model, and how often it is expected to be wrong on new rows; with --verbose also
/// the classes and columns, and how the model was regularised, calibrated and chosen.
std::string fit_text(const Context& context, const FitSummary& fitted);
Json fit_json(const Context& context, const FitSummary& fitted);

}  // namespace suffice::cli
