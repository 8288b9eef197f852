#pragma once
// Statistics and model files as the commands open them: where a command gets one kind
// instead of the other, the message says what the file is and what can be done with it.

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/row_writer.hpp"
#include "cli/verbs/context.hpp"
#include "suffice/io/file.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

/// What a file holds; for a table FileError says that `wanted` belongs there.
FileKind kind_of(const std::string& path, std::string_view wanted);

/// Whether the inputs are statistics files. Throws FileError for a mixture, and for a model.
bool are_statistics(const std::vector<std::string>& paths);

/// Throws FileError.
StatisticsFile open_statistics(const std::string& path);
Model open_model(const std::string& path);

/// The files of `merge`, with patterns that the shell has left expanded, and the output not among
/// them. Throws FileError.
std::vector<std::string> statistics_paths(const Context& context);

/// Throws FileError where the output would overwrite one of the files that are read.
void require_not_an_input(const std::vector<std::string>& files, const std::string& output);

/// Throws FileError where the output's folder does not exist, before anything is read.
void require_folder(const std::string& output);

struct MergedFiles {
  StatisticsFile all;
  bool lost_rows = false;  ///< some files have sampled rows and some do not
};

/// The statistics of all files together, and their sampled rows where all have some. Throws
/// FileError that names the file which does not fit, Cancelled.
MergedFiles merge_all(const std::vector<std::string>& files, const Execution& execution);

/// What predict and sample write: JSON to standard output where --json asks for it; otherwise CSV,
/// or TSV, Parquet or Arrow by the ending of the output.
RowFormat row_format(const Options& options);
/// By the ending of a file's name: CSV, TSV, Parquet or Arrow.
RowFormat row_format_of(const std::string& path);

/// The file's name, "standard input", or "7 files".
std::string files_in_words(const std::vector<std::string>& files);

/// Writes the output of the command, and says what was done: rows per class, the file, and whether
/// it has rows.
void save_statistics(const Context& context, const StatisticsFile& file, std::string_view done);

}  // namespace suffice::cli
