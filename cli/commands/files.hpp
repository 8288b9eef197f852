#pragma once
// Statistics and model files as the commands open them: where one kind stands in place of the
// other, the message says what the file is and what can be done with it.

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

/// Throws FileError.
Statistics open_statistics(const std::string& path);
Model open_model(const std::string& path);

/// The files of `merge`, with patterns that the shell has left expanded, and the output not among
/// them. Throws FileError.
std::vector<std::string> statistics_paths(const Options& options);

/// Throws FileError where the output would overwrite one of the files that are read.
void require_not_an_input(const std::vector<std::string>& files, const std::string& output);

/// The file's name, "standard input", or "7 files".
std::string files_in_words(const std::vector<std::string>& files);

/// What `merge` and `subtract` say when they are done: rows per class, and the file.
void report_statistics(const Context& context, const Statistics& statistics, std::string_view done);

}  // namespace suffice::cli
