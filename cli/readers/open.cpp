#include <algorithm>
#include <array>
#include <utility>

#include "cli/line/paths.hpp"
#include "cli/readers/formats.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

enum class Format { unknown, csv, tsv, ndjson, arrow, npy, idx, libsvm };

struct Ending {
  std::string_view text;
  Format format;
};

constexpr std::array<Ending, 17> endings = {{{".csv", Format::csv},
                                             {".tsv", Format::tsv},
                                             {".tab", Format::tsv},
                                             {".ndjson", Format::ndjson},
                                             {".jsonl", Format::ndjson},
                                             {".txt", Format::unknown},
                                             {".data", Format::unknown},
                                             {".parquet", Format::arrow},
                                             {".pq", Format::arrow},
                                             {".arrow", Format::arrow},
                                             {".feather", Format::arrow},
                                             {".ipc", Format::arrow},
                                             {".npy", Format::npy},
                                             {"-ubyte", Format::idx},
                                             {".idx", Format::idx},
                                             {".libsvm", Format::libsvm},
                                             {".svm", Format::libsvm}}};

Format format_of_name(std::string_view path) {
  path = without_packing(path);
  for (const auto& [text, format] : endings)
    if (has_ending(path, text)) return format;
  return Format::unknown;
}

/// --format's values are the endings without their dot.
Format format_of_flag(std::string_view name) {
  for (const auto& [text, format] : endings)
    if (text.substr(1) == name) return format;
  return Format::unknown;
}

/// By the first bytes; what nothing else claims is text.
Format format_of_bytes(std::string_view first, const std::string& path) {
  if (first.starts_with("PAR1") || first.starts_with("ARROW1") ||
      first.starts_with("\xff\xff\xff\xff"))
    return Format::arrow;
  if (first.starts_with("\x93NUMPY")) return Format::npy;
  if (first.size() >= 4 && first[0] == 0 && first[1] == 0 && first[2] >= 8 && first[2] <= 14)
    return Format::idx;
  const auto fail = [&](const std::string& what, const std::string& advice) {
    throw FileError({.path = path}, called(path) + " is " + what, advice);
  };
  if (first.starts_with("PK\x03\x04"))
    fail("a zip archive or a spreadsheet", "save the table as CSV, or unpack it");
  if (first.size() > 9 && first[8] == '{' && first[9] == '"')
    fail("a file of statistics or a model, where a table belongs", "");
  const std::size_t begin = std::min(first.find_first_not_of(" \t\r\n"), first.size());
  if (first.substr(begin).starts_with("[{"))
    fail("a JSON list", "write one object per line (jq -c '.[]' does)");
  if (first.substr(begin).starts_with('{')) return Format::ndjson;
  return Format::csv;
}

}  // namespace

Index rows_to_look_at(Index columns) {
  return std::clamp<Index>(4'000'000 / std::max<Index>(columns, 1), 10, 10'000);
}

std::vector<std::string> names_of(const std::vector<SourceColumn>& columns) {
  std::vector<std::string> names;
  for (const SourceColumn& column : columns) names.push_back(column.name);
  return names;
}

std::string unnamed_column(std::size_t j) { return "Unnamed: " + std::to_string(j); }

bool is_index_column(std::string_view name) {
  const auto is_numbered = [&](std::string_view before, std::string_view after) {
    if (!name.starts_with(before) || !name.ends_with(after)) return false;
    const std::size_t digits = name.size() - std::min(name.size(), before.size() + after.size());
    return digits > 0 && name.substr(before.size(), digits).find_first_not_of("0123456789") ==
                             std::string_view::npos;
  };
  return is_numbered("Unnamed: ", "") || is_numbered("__index_level_", "__");
}

std::string called(const std::string& path) {
  return path == "-" ? "standard input" : "'" + path + "'";
}

bool has_table_ending(std::string_view path) {
  path = without_packing(path);
  for (const auto& [text, format] : endings)
    if (has_ending(path, text)) return true;
  return false;
}

std::unique_ptr<Source> open_source(const std::string& path, const SourceOptions& options) {
  Format format =
      options.input.format.empty() ? format_of_name(path) : format_of_flag(options.input.format);
  if (format == Format::arrow) return open_arrow(path, options);
  if (format == Format::libsvm) return open_libsvm(path, options);
  auto bytes =
      std::make_unique<PeekedBytes>(open_bytes(path, options.execution.stop), std::size_t{64});
  if (format == Format::unknown || format == Format::csv) {
    const Format found = format_of_bytes(bytes->first(), path);
    if (format == Format::unknown || found != Format::csv) format = found;
  }
  switch (format) {
    case Format::npy:
      return open_npy(path, std::move(bytes), options);
    case Format::idx:
      return open_idx(path, std::move(bytes), options);
    case Format::arrow:
      if (path == "-")
        throw FileError({.path = path}, "standard input has an Arrow or Parquet table",
                        "say --format arrow (a "
                        "stream), or save it to a file first (Parquet)");
      return open_arrow(path, options);
    case Format::ndjson:
      return open_ndjson(path, std::move(bytes), options);
    case Format::tsv:
      return open_csv(path, std::move(bytes),
                      options.input.separator ? options.input.separator : '\t', options);
    default:
      return open_csv(path, std::move(bytes), options.input.separator, options);
  }
}

}  // namespace suffice::cli
