#include "cli/verbs/set_choice.hpp"

#include <fmt/format.h>

#include <string>

#include "cli/line/error.hpp"

namespace suffice::cli {

SetOptions set_options(const SetChoice& choice) {
  return {.coverage = choice.coverage.value_or(0.9),
          .per_class = choice.per_class,
          .allow_empty = choice.allow_empty};
}

std::string set_text(const ClassSets& sets, Index row) {
  std::string text;
  bool is_first = true;
  for (Index c = 0; c < sets.labels.size(); ++c) {
    if (!sets.has(row, c)) continue;
    if (!is_first) text += '|';
    is_first = false;
    for (const char character : sets.labels[c]) {
      if (character == '|') text += '\\';
      text += character;
    }
  }
  return text;
}

void check_sets(const Command& command, bool wanted, const char* how) {
  for (const char* flag : {"--coverage", "--per-class", "--allow-empty"})
    if (command.has(flag) && !wanted) throw UsageError(fmt::format("{} is for sets", flag), how);
  const bool other_priors = command.options.decision.prior.kind != PriorOption::Kind::train;
  if (wanted && other_priors && !command.options.sets.per_class)
    throw UsageError(
        "the coverage of sets holds for the class shares of training, and --prior names "
        "others",
        "--per-class makes sets that hold under any shares");
}

}  // namespace suffice::cli
