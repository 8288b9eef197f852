// The words of a command, one on each line: what --prior, --cost, --family and all other flags are
// given.
#include <string>
#include <vector>

#include "cli/line/command_line.hpp"
#include "cli/line/error.hpp"
#include "cli/verbs/verbs.hpp"
#include "fuzz/fuzz.hpp"

FUZZ_TARGET(words) {
  using namespace suffice;
  fuzz::Choices choices(data, size);
  std::vector<std::string> words;
  while (!choices.empty() && words.size() < 64) words.emplace_back(choices.line());
  try {
    cli::parse_command_line(words, cli::verbs());
  } catch (const cli::UsageError& error) {
    fuzz::require(!error.text(cli::flag_spelling).empty(), "an error has a message");
  } catch (const Error&) {
  }
}
