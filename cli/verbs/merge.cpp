#include "cli/line/contradictions.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/files.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void check_merge(const Command& command) { require_statistics_files(command); }

void merge_files(const Context& context) {
  const std::vector<std::string> paths = statistics_paths(context);
  const MergedFiles merged = merge_all(paths, context.execution);
  if (merged.lost_rows)
    context.terminal.warn(
        "some of the files have no sampled rows, so the merged one has none: they would not stand "
        "for all rows");
  save_statistics(context, merged.all,
                  counted(static_cast<double>(paths.size()), "file") + " merged");
}

}  // namespace suffice::cli
