#include "cli/line/words.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/line/fail.hpp"
#include "cli/line/suggest.hpp"

namespace suffice::cli {
namespace {

/// A flag as it stands on the line.
struct Spelling {
  std::string_view name;
  std::optional<std::string> value = {};  ///< attached to it
};

bool begins_flag(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] != '.' && !(word[1] >= '0' && word[1] <= '9');  // -5 is a word like another
}

/// "no", "yes", or a list of them.
bool is_no_or_yes(std::string_view word) {
  return word == "no" || word == "yes" || word == "no,yes" || word == "yes,no";
}

/// --name, --name=value, -n, -nvalue, -n=value.
Spelling spelling_of(std::string_view word, const Verb& verb) {
  if (word.starts_with("--")) {
    const std::size_t sign = word.find('=');
    if (sign == word.npos) return {word};
    return {word.substr(0, sign), std::string(word.substr(sign + 1))};
  }
  const Flag* flag = verb.find(word.substr(0, 2));
  if (word.size() == 2 || !flag || flag->is_switch()) return {word.substr(0, word.find('='))};
  return {word.substr(0, 2), std::string(word.substr(word[2] == '=' ? 3 : 2))};
}

[[noreturn]] void fail_unknown_flag(const Verb& verb, std::span<const Verb> verbs,
                                    std::string_view flag) {
  std::vector<std::string_view> others;
  for (const Verb& other : verbs)
    if (other.find(flag)) others.push_back(other.name);
  if (!others.empty())
    throw UsageError(fmt::format("{} has no flag {}", verb.name, flag),
                     fmt::format("it belongs to {}", fmt::join(others, ", ")));
  std::vector<std::string> names;
  for (const FlagGroup& group : verb.flags)
    for (const Flag& own : group.flags)
      if (own.name().starts_with("--")) names.emplace_back(own.name().substr(2));
  // How much of a name may differ depends on its letters.
  const std::size_t dashes = std::min(flag.find_first_not_of('-'), flag.size());
  const std::string near = nearest(flag.substr(dashes), names);
  throw UsageError(fmt::format("unknown flag {}", flag),
                   near.empty() ? fmt::format("suffice {} --help shows what there is", verb.name)
                                : fmt::format("did you mean --{}?", near));
}

}  // namespace

Words split_words(const Verb& verb, std::span<const Verb> verbs,
                  std::span<const std::string> words) {
  Words result;
  bool only_files = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!only_files && word == "--") {
      only_files = true;
      continue;
    }
    if (only_files || !begins_flag(word)) {
      result.files.push_back(word);
      continue;
    }
    Spelling spelling = spelling_of(word, verb);
    const Flag* flag = verb.find(spelling.name);
    if (!flag) fail_unknown_flag(verb, verbs, spelling.name);
    if (flag->is_switch()) {
      if (spelling.value) fail("{} takes no value", flag->name());
    } else if (!spelling.value && !flag->alone.empty() &&
               (i + 1 == words.size() || !is_no_or_yes(words[i + 1]))) {
      spelling.value = flag->alone;
    } else if (!spelling.value) {
      if (++i == words.size()) fail("{} needs a value: {}", flag->name(), flag->value);
      // What looks like a flag of this verb is one.
      if (begins_flag(words[i]) && verb.find(spelling_of(words[i], verb).name))
        fail("{} needs a value ({}), but {} follows", flag->name(), flag->value, words[i]);
      spelling.value = words[i];
    }
    result.flags.emplace_back(flag, spelling.value.value_or(""));
  }
  return result;
}

}  // namespace suffice::cli
