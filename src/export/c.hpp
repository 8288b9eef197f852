#pragma once
// A model as a C99 header: tables, and loops over them.

#include <string>

#include "export/formula.hpp"

namespace suffice {

/// The model is asked for rows and scores of the self-test.
std::string write_c(const Model& model, const Formula& formula, const ExportOptions& options,
                    const Execution& execution);

}  // namespace suffice
