#pragma once
// A verb, described once: its row in cli/verbs/verbs.cpp is all that the parser, the help, the
// checks and main know of it.

#include <limits>
#include <string_view>
#include <vector>

#include "cli/line/flag.hpp"

namespace suffice::cli {

struct Command;
struct Context;

/// The file that a verb writes, and so what -o means.
struct Output {
  std::string_view kind = {};         ///< model, statistics, CSV; empty: no file is written
  std::string_view description = {};  ///< of -o
  /// The name without -o; "-": standard output; empty: -o must be given.
  std::string_view fallback = {};
  std::string_view ending = {};  ///< what a name should end in; those of other formats are refused
  bool is_extra = false;         ///< beside what is printed; not written without -o
  bool is_table = false;         ///< rows in a format that the name's ending chooses
};

/// How many files DATA may be.
struct Count {
  std::size_t at_least = 0, at_most = 0;
};
constexpr Count one_or_more = {1, std::numeric_limits<std::size_t>::max()};

struct Verb {
  std::string_view name;
  std::string_view usage;    ///< what follows the name
  std::string_view summary;  ///< one line of `suffice --help`
  std::string_view text;     ///< one paragraph of `suffice VERB --help`
  bool has_model = false;    ///< the first word is a model or statistics file
  Count data = {};           ///< the words after it
  Output output = {};
  std::vector<FlagGroup> flags = {};  ///< in the order of the help
  /// What is wrong with the command, known before any file is opened. Throws UsageError.
  void (*check)(const Command& command) = nullptr;
  /// Does the work; throws what is wrong, and has written no half file when it does.
  void (*run)(const Context& context);

  /// The flag with this name, short or long; null if the verb has none.
  const Flag* find(std::string_view flag) const;
};

/// Rows of a table of verbs, made whole: each gets its -o and the flags of every verb.
std::vector<Verb> with_common_flags(std::vector<Verb> verbs);

/// A parsed command.
struct Command {
  const Verb* verb = nullptr;
  Options options = {};
  std::vector<std::string_view> given = {};  ///< names of the flags on the line

  bool has(std::string_view flag) const;
};

}  // namespace suffice::cli
