#pragma once
// What the flags ask of training.

#include "cli/line/options.hpp"
#include "suffice/data/schema.hpp"
#include "suffice/fit/fit_options.hpp"

namespace suffice::cli {

/// Until the table is open, columns are the patterns of the flags.
FitOptions fit_options(const Options& options, const Schema* schema = nullptr);

}  // namespace suffice::cli
