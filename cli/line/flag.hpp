#pragma once
// A flag, described once: the parser, the help and docs/cli.md follow from its row.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/options.hpp"

namespace suffice::cli {

struct Flag {
  std::string_view names;             ///< "--label" or "-o,--out"
  std::string_view value = {};        ///< what stands for it in the help; empty: a switch
  std::string_view description = {};  ///< one sentence
  std::string_view fallback = {};     ///< what holds without the flag, in words; empty: nothing
  std::string_view alone = {};        ///< its value where none of no and yes follows it
  bool repeatable = false;
  /// Puts the text behind the flag into the options; `flag` is for messages. Throws UsageError.
  std::function<void(Options& options, std::string_view flag, const std::string& text)> store;

  /// "--out", or "-n" where it has no long name.
  std::string_view name() const { return names.substr(names.find(',') + 1); }
  /// "-o", or the name where it has no short one.
  std::string_view short_name() const { return names.substr(0, names.find(',')); }
  bool is_switch() const { return value.empty(); }
};

/// Flags that verbs share, under a heading of the help.
struct FlagGroup {
  std::string_view heading;
  std::vector<Flag> flags;
};

}  // namespace suffice::cli
