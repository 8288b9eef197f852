#pragma once
// A model as one SQL query over a table: WITH queries, each a stage from columns to posteriors.

#include <string>

#include "export/formula.hpp"

namespace suffice {

std::string write_sql(const Formula& formula, const ExportOptions& options);

}  // namespace suffice
