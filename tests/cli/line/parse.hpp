#pragma once
// A command as a person types it, for the tests of the command line.

#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "cli/line/command_line.hpp"
#include "cli/line/error.hpp"
#include "cli/verbs/verbs.hpp"
#include "support/message_of.hpp"

namespace suffice::cli {

/// Split at blanks; a word that has some is given by the vector.
inline std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

inline Command command(const std::string& line) {
  return std::get<Command>(parse_command_line(words(line), verbs()));
}
inline Options parse(const std::vector<std::string>& line) {
  return std::get<Command>(parse_command_line(line, verbs())).options;
}
inline Options parse(const std::string& line) { return parse(words(line)); }

inline std::string answer(const std::string& line) {
  return std::get<Answer>(parse_command_line(words(line), verbs())).text;
}

/// What a wrong command is told.
inline std::string complaint(const std::vector<std::string>& line) {
  try {
    parse_command_line(line, verbs());
  } catch (const UsageError& error) {
    return error.text(flag_spelling);  // as main prints it
  }
  return "(nothing was thrown)";
}
inline std::string complaint(const std::string& line) { return complaint(words(line)); }

}  // namespace suffice::cli
