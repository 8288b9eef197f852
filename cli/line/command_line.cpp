#include "cli/line/command_line.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/line/help.hpp"
#include "cli/line/suggest.hpp"
#include "cli/line/words.hpp"

namespace suffice::cli {
namespace {

const Verb& verb_of(const std::string& word, std::span<const Verb> verbs) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    if (verb.name == word) return verb;
    names.emplace_back(verb.name);
  }
  if (word.starts_with("-") && word.size() > 1)
    fail("the verb comes first ({}), then flags like {}", fmt::join(names, ", "), word);
  const std::string near = nearest(word, names);
  throw UsageError(fmt::format("unknown verb '{}'", word),
                   near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

/// The model, if the verb has one, and DATA.
void store_files(const Verb& verb, std::vector<std::string> files, Options& options) {
  const std::size_t first = verb.has_model ? 1 : 0;
  if (std::ranges::find(files, "") != files.end()) fail("one of the file names is empty");
  if (files.size() < first + verb.data.at_least)
    fail("{} needs more: suffice {} {}", verb.name, verb.name, verb.usage);
  if (files.size() - first > verb.data.at_most)
    fail("{} has no use for '{}': suffice {} {}", verb.name, files[first + verb.data.at_most],
         verb.name, verb.usage);
  if (verb.has_model) options.model = files.front();
  options.input.paths.assign(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
}

void store_flag(const Flag& flag, const Words& words, Command& command) {
  const std::string* before = nullptr;
  for (const auto& [given, text] : words.flags) {
    if (given != &flag) continue;
    if (before && !flag.repeatable && !flag.is_switch())
      fail("{} is given twice: '{}' and '{}'", flag.name(), *before, text);
    if (text.empty() && !flag.is_switch() && flag.name() != "--na")
      fail("{} needs a value: {}", flag.name(), flag.value);
    if (!before) command.given.push_back(flag.name());
    before = &text;
  }
  for (const auto& [given, text] : words.flags)
    if (given == &flag) flag.store(command.options, flag.name(), text);
}

void read_threads_from_environment(const Verb& verb, Options& options) {
  const char* text = std::getenv("SUFFICE_THREADS");
  if (options.threads > 0 || !text || !*text) return;
  if (const Flag* threads = verb.find("--threads"))
    threads->store(options, "SUFFICE_THREADS", text);
}

Command parse_verb(const Verb& verb, std::span<const Verb> verbs,
                   std::span<const std::string> rest) {
  Words words = split_words(verb, verbs, rest);
  Command command{.verb = &verb};
  // In the order of the table, so that the order on the line does not matter.
  for (const FlagGroup& group : verb.flags)
    for (const Flag& flag : group.flags) store_flag(flag, words, command);
  read_threads_from_environment(verb, command.options);
  store_files(verb, std::move(words.files), command.options);
  if (command.options.output.empty()) command.options.output = verb.output.fallback;
  check_contradictions(command);
  return command;
}

/// A word that a shell reads as it is.
std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

}  // namespace

std::variant<Command, Answer> parse_command_line(const std::vector<std::string>& words,
                                                 std::span<const Verb> verbs) {
  if (words.empty()) throw UsageError("no command was given", "suffice --help shows what there is");
  const std::string& first = words.front();
  if (asks_for_help(first) || first == "help") {
    if (words.size() > 1 && !words[1].starts_with("-"))
      return Answer{verb_help(verb_of(words[1], verbs))};
    return Answer{program_help(verbs)};
  }
  if (first == "--version") return Answer{version_text()};
  if (first == "--help-markdown") return Answer{command_line_page(verbs)};
  const Verb& verb = verb_of(first, verbs);
  const auto rest = std::span(words).subspan(1);
  const auto end = std::ranges::find(rest, "--");
  if (std::any_of(rest.begin(), end, asks_for_help)) return Answer{verb_help(verb)};
  Command command = parse_verb(verb, verbs, rest);
  command.options.command = "suffice";
  for (const std::string& word : words) command.options.command += " " + shell_word(word);
  return command;
}

}  // namespace suffice::cli
