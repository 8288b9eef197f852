#pragma once
// Remarks on a table as the command line writes them.

#include <vector>

#include "cli/output/terminal.hpp"
#include "suffice/stats/remarks.hpp"

namespace suffice::cli {

/// Hints are shown when the command has succeeded, all else are warnings; each says which flag
/// would help.
void show_remarks(const std::vector<Remark>& remarks, Terminal& terminal);

}  // namespace suffice::cli
