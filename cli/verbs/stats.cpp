#include <cmath>
#include <utility>

#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/stats_sql.hpp"
#include "cli/verbs/table_rows.hpp"
#include "cli/words/show_remarks.hpp"
#include "suffice/fit/gather.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void check_stats(const Command& command) {
  if (!check_sql(command)) require_label(command);
  if (count_statistics(command) > 0)
    throw UsageError("stats reads tables, not statistics", "suffice merge adds statistics files");
  require_no_found_transforms(command);
}

void stats(const Context& context) {
  if (context.options.sql.dialect) return write_sums_query(context);
  if (context.options.sql.answer) return read_sums_answer(context);
  TableRows table(context);
  GatherOptions wanted{.estimate = context.options.fit.estimate};
  if (context.options.reservoir > 0)
    wanted.reservoir = {.rows = static_cast<Index>(context.options.reservoir),
                        .numbers = HUGE_VAL,
                        .seed = context.options.seed};
  Gathered found = gather(table, wanted, context.execution);
  show_remarks(found.remarks, context.terminal);
  show_notes(found.notes, context.terminal);
  save_statistics(context, {std::move(found.statistics), std::move(found.reservoir)},
                  files_in_words(table.files()));
}

}  // namespace suffice::cli
