#pragma once
// fit --missing: rows that lack a number, for full and tied covariances.

#include "cli/line/verb.hpp"
#include "cli/verbs/training.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

/// Throws UsageError where EM was asked for and cannot be done.
void check_missing(const Command& command, bool from_statistics);

/// Whether the rows that training kept are all rows.
bool has_all_rows(const Training& training);

/// How rows are read again for EM: from those that training kept, if these are all; otherwise from
/// the files, if they can be read again. Keeps references to its arguments.
MissingOptions missing_options(const Context& context, const Training& training);

void warn_unless_converged(const Context& context, const Completion& completion);

/// The estimate from the statistics, in which missing numbers are completed as --missing asks. From
/// statistics files: means and variances are those of the values present.
Model estimate_with_missing(const Context& context, const Training& training,
                            const EstimateOptions& options);

}  // namespace suffice::cli
