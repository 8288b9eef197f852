#include <fmt/format.h>

#include "cli/commands/files.hpp"
#include "cli/context.hpp"
#include "cli/output/text.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void merge_files(const Context& context) {
  const Options& options = context.options;
  const std::vector<std::string> paths = statistics_paths(options);
  Statistics all = open_statistics(paths.front());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    if (context.execution.stop.stop_requested()) throw Cancelled();
    const Statistics part = open_statistics(paths[i]);
    try {
      all = merge(std::move(all), part);
    } catch (const FileError&) {
      throw;
    } catch (const Error& error) {
      throw FileError(fmt::format("cannot add '{}' to '{}'{}: {}", paths[i], paths.front(),
                                  i > 1 ? " and those before it" : "", error.what()),
                      paths[i]);
    }
  }
  save(all, options.output);
  report_statistics(context, all, counted(static_cast<double>(paths.size()), "file") + " merged");
}

}  // namespace suffice::cli
