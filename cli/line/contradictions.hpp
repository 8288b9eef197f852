#pragma once
// What cannot be right together, known before any file is opened.

#include "cli/line/verb.hpp"

namespace suffice::cli {

/// What holds for every verb, its own check, and the output. Throws UsageError that says which
/// words contradict each other and what to write instead.
void check_contradictions(const Command& command);

// For the checks of verbs. Each throws UsageError.

/// Training needs to know where the classes are.
void require_label(const Command& command);
/// Columns are changed by what their rows say in fit only.
void require_no_found_transforms(const Command& command);
/// Statistics are read from files only.
void require_statistics_files(const Command& command);

/// Whether rows or labels come from there, so that they can be read only once.
bool reads_standard_input(const InputOptions& input);
/// How many of the files are statistics, by their names.
std::size_t count_statistics(const Command& command);

}  // namespace suffice::cli
