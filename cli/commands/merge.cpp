#include "cli/commands/context.hpp"
#include "cli/commands/files.hpp"
#include "cli/line/contradictions.hpp"
#include "cli/output/text.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void check_merge(const Command& command) { require_statistics_files(command); }

void merge_files(const Context& context) {
  const Options& options = context.options;
  const std::vector<std::string> paths = statistics_paths(options);
  const Statistics all = merge_all(paths, context.execution);
  save(all, options.output);
  report_statistics(context, all, counted(static_cast<double>(paths.size()), "file") + " merged");
}

}  // namespace suffice::cli
