#pragma once
// Every verb and every flag, described once. The parser, the help and docs/cli.md follow from these
// two tables.

#include <span>
#include <string>
#include <string_view>

#include "cli/line/options.hpp"

namespace suffice::cli {

/// A set of verbs: one bit each.
using Verbs = unsigned;

struct VerbRow {
  Verbs bit;
  std::string_view name;
  std::string_view usage;         ///< what follows the name
  std::string_view summary;       ///< one line of `suffice --help`
  std::string_view text;          ///< one paragraph of `suffice VERB --help`
  bool has_model;                 ///< the first word is a model or statistics file
  std::size_t at_least, at_most;  ///< further words
};
std::span<const VerbRow> verb_table();

enum class Group { data, columns, model, choice, decision, output, everywhere };
std::string_view to_string(Group group);

struct OptionRow {
  std::string_view names;        ///< "-o,--out"
  std::string_view placeholder;  ///< of the value; empty: a switch
  Group group;
  Verbs verbs;
  std::string_view description;  ///< one sentence
  std::string_view fallback;     ///< what holds without the flag, in words; empty: nothing to say
  bool repeatable;
  void (*store)(Options& options, std::string_view flag, const std::string& value);

  /// "--out", or "-n" where it has no long name.
  std::string_view name() const;
};
std::span<const OptionRow> option_table();

}  // namespace suffice::cli
