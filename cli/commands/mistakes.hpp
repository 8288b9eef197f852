#pragma once
// Tables that can be learnt from, but were probably not meant so: identifiers as features, labels
// that differ in a blank or in case, numbers with commas. Each is a warning that says what would be
// better.

#include "cli/input/plan.hpp"
#include "cli/output/terminal.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

/// Columns of these rows, the first ones of a table, that count the rows: each number is the one
/// before plus 1.
void warn_of_row_numbers(const Plan& plan, const Rows& rows, Terminal& terminal);

/// What the sums show when the table has been read.
void warn_of_mistakes(const Statistics& statistics, Terminal& terminal);

}  // namespace suffice::cli
