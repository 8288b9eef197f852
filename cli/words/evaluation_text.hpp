#pragma once
// An evaluation as people and as programs read it.

#include <optional>
#include <string>

#include "cli/output/json.hpp"
#include "cli/output/terminal.hpp"
#include "suffice/report/report.hpp"

namespace suffice::cli {

/// Lines of figures, a table of the classes and the confusion matrix; where that is too wide, the
/// most frequent confusions. `uncalibrated` is the report without the model's calibration.
std::string evaluation_text(const Report& report, const std::optional<Report>& uncalibrated,
                            const Terminal& terminal);

/// The members that `evaluate --json` has of a report; that of the confusion matrix is null.
Json evaluation_json(const Report& report, const Execution& execution);

}  // namespace suffice::cli
