#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/stats_sql.hpp"
#include "cli/verbs/training.hpp"
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
  Training training = read_training(context, Purpose::file);
  save_statistics(context, {std::move(training.statistics), std::move(training.reservoir)},
                  files_in_words(training.files));
}

}  // namespace suffice::cli
