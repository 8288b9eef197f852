#include <fmt/format.h>

#include "cli/line/contradictions.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/files.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void check_subtract(const Command& command) { require_statistics_files(command); }

void subtract_files(const Context& context) {
  const Options& options = context.options;
  const std::string& all_path = options.input.paths[0];
  const std::string& part_path = options.input.paths[1];
  const StatisticsFile whole = open_statistics(all_path);
  const Statistics& all = whole.statistics;
  const Statistics part = open_statistics(part_path).statistics;
  SubtractResult result = [&] {
    try {
      return subtract(all, part);
    } catch (const Error& error) {
      throw FileError(
          {.path = part_path},
          fmt::format("cannot take '{}' out of '{}': ", part_path, all_path) + error.message());
    }
  }();
  if (context.execution.stop.stop_requested()) throw Cancelled();
  for (const std::string& warning : result.warnings) context.terminal.warn(warning);
  if (whole.rows)
    context.terminal.warn(fmt::format(
        "the sampled rows of '{}' are dropped: some of them may be among those that were taken out",
        all_path));
  save_statistics(context, {std::move(result.rest)}, "subtracted");
}

}  // namespace suffice::cli
