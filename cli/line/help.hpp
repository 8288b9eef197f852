#pragma once
// The option table as text: on a terminal, and as the page docs/cli.md.

#include <string>

#include "cli/line/option_table.hpp"

namespace suffice::cli {

/// `suffice --help`: fits a screen of 24 lines of 80 characters.
std::string program_help();
/// `suffice VERB --help`: the verb's flags by group.
std::string verb_help(const VerbRow& verb);
std::string version_text();

}  // namespace suffice::cli
