#pragma once
// From the words of the command to Options.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/line/options.hpp"

namespace suffice::cli {

/// Text that was asked for instead of work: --help, --version, --help-markdown.
struct Answer {
  std::string text;
};

/// `words` are those after the program's name. Throws UsageError, whose message suggests the
/// nearest verb, flag or value.
std::variant<Options, Answer> parse_command_line(const std::vector<std::string>& words);

/// All verbs and flags as the page docs/cli.md.
std::string command_line_page();

}  // namespace suffice::cli
