#pragma once
// Verbs and flags as text: on a terminal, and as the page docs/cli.md.

#include <span>
#include <string>

#include "cli/line/verb.hpp"

namespace suffice::cli {

/// `suffice --help`: fits a screen of 24 lines of 80 characters.
std::string program_help(std::span<const Verb> verbs);
/// `suffice VERB --help`: the verb's flags by group.
std::string verb_help(const Verb& verb);
std::string version_text();
/// All verbs and flags as the page docs/cli.md.
std::string command_line_page(std::span<const Verb> verbs);

}  // namespace suffice::cli
