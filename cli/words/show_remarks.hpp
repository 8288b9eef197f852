#pragma once
// Remarks on a table, and notes on what training did, as the command line writes them.

#include <vector>

#include "cli/output/terminal.hpp"
#include "suffice/fit/gather.hpp"

namespace suffice::cli {

/// Hints are shown when the command has succeeded, all else are warnings; each says which flag
/// would help.
void show_remarks(const std::vector<Remark>& remarks, Terminal& terminal);
void show_notes(const std::vector<FitNote>& notes, Terminal& terminal);

}  // namespace suffice::cli
