#pragma once
// The words behind a verb, told apart: flags with their values, and files.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/verb.hpp"

namespace suffice::cli {

struct Words {
  std::vector<std::pair<const Flag*, std::string>> flags;  ///< as given; the text of a switch is ""
  std::vector<std::string> files;
};

/// Flags may stand anywhere before "--", after which every word is a file. A value is the next
/// word, whatever it begins with, or attached: --label=y, -om.suffice. A lone "-" is a file.
/// Throws UsageError for a flag that `verb` lacks (with the nearest that it has, or the verbs that
/// have it), one without its value, and a switch with one.
Words split_words(const Verb& verb, std::span<const Verb> verbs,
                  std::span<const std::string> words);

}  // namespace suffice::cli
