#include <fmt/format.h>

#include "cli/commands/context.hpp"
#include "cli/commands/files.hpp"
#include "cli/line/contradictions.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void check_subtract(const Command& command) { require_statistics_files(command); }

void subtract_files(const Context& context) {
  const Options& options = context.options;
  const std::string& all_path = options.input.paths[0];
  const std::string& part_path = options.input.paths[1];
  const Statistics all = open_statistics(all_path);
  const Statistics part = open_statistics(part_path);
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
  save(result.rest, options.output);
  for (const std::string& warning : result.warnings) context.terminal.warn(warning);
  report_statistics(context, result.rest, "subtracted");
}

}  // namespace suffice::cli
