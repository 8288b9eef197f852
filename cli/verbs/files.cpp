#include "cli/verbs/files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "cli/input/table.hpp"
#include "cli/line/paths.hpp"
#include "cli/output/json.hpp"
#include "cli/output/text.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

FileKind kind_of(const std::string& path, std::string_view wanted) {
  std::error_code ignored;
  if (has_table_ending(path) && std::filesystem::is_regular_file(path, ignored))
    throw FileError({.path = path},
                    fmt::format("'{}' is a table, but {} is needed here", path, wanted));
  return file_kind(path);
}

bool are_statistics(const std::vector<std::string>& paths) {
  std::optional<std::string> table, statistics;
  for (const std::string& path : paths) {
    bool is_statistics = false;
    std::error_code ignored;
    if (has_ending(path, ".stats")) {
      is_statistics = true;
    } else if (!has_table_ending(path) && std::filesystem::is_regular_file(path, ignored)) {
      try {
        is_statistics = file_kind(path) == FileKind::statistics;
      } catch (const FileError&) {  // some table without a known ending
      }
    }
    (is_statistics ? statistics : table) = path;
  }
  if (table && statistics)
    throw FileError({.path = *table},
                    "'" + *statistics + "' holds statistics and '" + *table + "' does not",
                    "make statistics of the tables with 'suffice stats --like " + *statistics +
                        "' and merge them");
  return statistics.has_value();
}

StatisticsFile open_statistics(const std::string& path) {
  if (kind_of(path, "a file of statistics") == FileKind::model)
    throw FileError({.path = path},
                    fmt::format("'{}' is a model, but statistics are needed here", path),
                    "a model does not keep the sums; suffice stats makes statistics from the data");
  return load_statistics_file(path);
}

Model open_model(const std::string& path) {
  if (kind_of(path, "a model") == FileKind::statistics)
    throw FileError({.path = path},
                    fmt::format("'{}' has statistics, but a model is needed here", path),
                    fmt::format("suffice fit {} -o model.suffice makes one from them", path));
  return load_model(path);
}

std::vector<std::string> statistics_paths(const Context& context) {
  std::vector<std::string> paths =
      expand_paths(context.options.input.paths, context.execution.stop);
  require_not_an_input(paths, context.options.output);
  return paths;
}

RowFormat row_format_of(const std::string& path) {
  if (has_ending(path, ".parquet") || has_ending(path, ".pq")) return ArrowFileFormat::parquet;
  if (has_ending(path, ".arrow") || has_ending(path, ".feather") || has_ending(path, ".ipc"))
    return ArrowFileFormat::arrow;
  const std::string_view name = without_packing(path);
  const bool is_tsv = has_ending(name, ".tsv") || has_ending(name, ".tab");
  return TextFormat{.separator = is_tsv ? '\t' : ','};
}

RowFormat row_format(const Options& options) {
  if (options.json && options.output == "-") return TextFormat{.is_json = true};
  RowFormat format = row_format_of(options.output);
  if (auto* text = std::get_if<TextFormat>(&format)) text->is_safe = options.safe_csv;
  return format;
}

void require_folder(const std::string& output) {
  if (output.empty() || output == "-") return;
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw FileError({.path = output}, fmt::format("cannot write '{}': there is no folder '{}'",
                                                  output, folder.string()));
}

MergedFiles merge_all(const std::vector<std::string>& files, const Execution& execution) {
  MergedFiles merged{open_statistics(files.front())};
  Statistics& all = merged.all.statistics;
  std::optional<Reservoir>& rows = merged.all.rows;
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const StatisticsFile part = open_statistics(files[i]);
    try {
      all = merge(std::move(all), part.statistics);
      merged.lost_rows = merged.lost_rows || rows.has_value() != part.rows.has_value();
      if (merged.lost_rows)
        rows.reset();
      else if (rows)
        rows = merge(*rows, *part.rows);
    } catch (const Error& error) {
      throw FileError(
          {.path = files[i]},
          fmt::format("cannot add '{}' to '{}'{}: ", files[i], files.front(),
                      i > 1 ? " and those before it" : "") +
              error.message(),
          fmt::format("parts that are read with --like {} fit together", files.front()));
    }
  }
  return merged;
}

void require_not_an_input(const std::vector<std::string>& files, const std::string& output) {
  for (const std::string& file : files)
    if (!output.empty() && output != "-" && same_file(file, output))
      throw FileError(
          {.path = file},
          fmt::format("'{}' is an input and would be overwritten by the output '{}'", file, output),
          "write to another file");
}

std::string files_in_words(const std::vector<std::string>& files) {
  if (files.size() > 1) return counted(static_cast<double>(files.size()), "file");
  return files.front() == "-" ? "standard input" : files.front();
}

void save_statistics(const Context& context, const StatisticsFile& file, std::string_view done) {
  const Options& options = context.options;
  const auto& [statistics, kept] = file;
  if (kept)
    save(statistics, *kept, options.output);
  else
    save(statistics, options.output);
  const Vector& weights = statistics.weights();
  const double rows = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (options.json) {
    Json answer;
    answer["file"] = options.output;
    answer["rows"] = to_json(rows);
    answer["labels"] = to_json(statistics.labels());
    answer["weights"] = to_json(weights);
    if (kept) answer["sampled_rows"] = kept->size();
    answer["warnings"] = context.terminal.warnings();
    context.terminal.print(dump(answer));
    return;
  }
  context.terminal.note(
      fmt::format("{}: {} of {} in {}", done, counted(rows, "row"),
                  counted(static_cast<double>(statistics.labels().size()), "class", "classes"),
                  options.output));
  if (kept)
    context.terminal.note(
        fmt::format("The file holds {} of the data as they are: whoever has it can read them.",
                    counted(static_cast<double>(kept->size()), "row")));
}

}  // namespace suffice::cli
