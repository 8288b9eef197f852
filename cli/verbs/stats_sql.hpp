#pragma once
// stats --sql and --from-sql: sums that a database computes.

#include "cli/line/verb.hpp"
#include "cli/verbs/context.hpp"

namespace suffice::cli {

/// Throws UsageError. Whether the command is one of the two.
bool check_sql(const Command& command);

/// --sql: writes the query.
void write_sums_query(const Context& context);
/// --from-sql: reads the answer and writes statistics.
void read_sums_answer(const Context& context);

}  // namespace suffice::cli
