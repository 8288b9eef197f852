#pragma once
// What cannot be right together, known before any file is opened.

#include "cli/line/option_table.hpp"

namespace suffice::cli {

/// Throws UsageError that says which words contradict each other and what to write instead.
/// `given(flag)` tells whether a flag was on the line.
void check_contradictions(const Options& options, const VerbRow& verb,
                          const std::vector<std::string_view>& given);

}  // namespace suffice::cli
