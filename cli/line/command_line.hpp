#pragma once
// From the words of the command to a verb and its options.

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/line/verb.hpp"

namespace suffice::cli {

/// Text that was asked for instead of work: --help, --version, --help-markdown.
struct Answer {
  std::string text;
};

/// `words` are those after the program's name. Throws UsageError, whose message suggests the
/// nearest verb, flag or value.
std::variant<Command, Answer> parse_command_line(const std::vector<std::string>& words,
                                                 std::span<const Verb> verbs);

}  // namespace suffice::cli
