#pragma once
// A report as a list of named figures, for JSON and for Python: a figure has the same name in both.

#include <vector>

#include "suffice/core/figure.hpp"
#include "suffice/report/report.hpp"

namespace suffice {

/// Figures of detection and calibration are single numbers for two classes, and lists in the order
/// of the labels for more, NaN where a class has none. Matrices are the report's. Throws Cancelled.
std::vector<Figure> report_figures(const Report& report, const Execution& execution = {});

}  // namespace suffice
