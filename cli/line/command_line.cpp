#include "cli/line/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>

#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/line/help.hpp"
#include "cli/line/option_table.hpp"
#include "cli/line/suggest.hpp"

namespace suffice::cli {
namespace {

bool is_one_of(const OptionRow& option, std::string_view word) {
  std::string_view names = option.names;
  const std::size_t comma = names.find(',');
  if (comma == std::string_view::npos) return names == word;
  return names.substr(0, comma) == word || names.substr(comma + 1) == word;
}

std::vector<std::string> flags_of(Verbs verbs) {
  std::vector<std::string> flags;
  for (const OptionRow& option : option_table())
    if (option.verbs & verbs && option.name().starts_with("--")) flags.emplace_back(option.name());
  return flags;
}

const VerbRow& verb_of(const std::string& word) {
  std::vector<std::string> names;
  for (const VerbRow& verb : verb_table()) {
    if (verb.name == word) return verb;
    names.emplace_back(verb.name);
  }
  if (word.starts_with("-") && word.size() > 1)
    fail("the verb comes first ({}), then flags like {}", fmt::join(names, ", "), word);
  const std::string near = nearest(word, names);
  if (near.empty()) fail("unknown verb '{}'; there are {}", word, fmt::join(names, ", "));
  fail("unknown verb '{}'; did you mean {}?", word, near);
}

[[noreturn]] void fail_unknown_flag(const VerbRow& verb, const std::string& word) {
  const std::string flag = word.substr(0, word.find('='));
  std::vector<std::string> others;
  for (const VerbRow& other : verb_table())
    for (const OptionRow& option : option_table())
      if (option.verbs & other.bit && is_one_of(option, flag)) others.emplace_back(other.name);
  if (!others.empty())
    fail("{} has no flag {}; it belongs to {}", verb.name, flag, fmt::join(others, ", "));
  const std::string near = nearest(flag, flags_of(verb.bit));
  if (near.empty()) fail("unknown flag {}; suffice {} --help shows what there is", flag, verb.name);
  fail("unknown flag {}; did you mean {}?", flag, near);
}

/// A flag of one verb with the values it got.
struct Given {
  const OptionRow* row;
  std::vector<std::string> values;
  CLI::Option* option = nullptr;
};

/// The words between "MODEL" and the end, as `verb` wants them.
void store_words(const VerbRow& verb, std::vector<std::string> words, Options& options) {
  const std::size_t first = verb.has_model ? 1 : 0;
  if (std::find(words.begin(), words.end(), "") != words.end())
    fail("one of the file names is empty");
  if (words.size() < first + verb.at_least)
    fail("{} needs more: suffice {} {}", verb.name, verb.name, verb.usage);
  if (words.size() - first > verb.at_most)
    fail("{} has no use for '{}': suffice {} {}", verb.name, words[first + verb.at_most], verb.name,
         verb.usage);
  if (verb.has_model) options.model = words.front();
  options.input.paths.assign(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
}

void store(const VerbRow& verb, const Given& given, Options& options) {
  const std::string_view flag = given.row->name();
  if (given.row->placeholder.empty()) {
    given.row->store(options, flag, {});
    return;
  }
  if (given.values.size() > 1 && !given.row->repeatable)
    fail("{} is given twice: '{}' and '{}'", flag, given.values[0], given.values[1]);
  for (const std::string& value : given.values) {
    // What looks like a flag of this verb is one: its neighbour lacks its value.
    for (const OptionRow& other : option_table())
      if (other.verbs & verb.bit && is_one_of(other, value))
        fail("{} needs a value ({}), but {} follows", flag, given.row->placeholder, value);
    if (value.empty() && flag != "--na") fail("{} needs a value: {}", flag, given.row->placeholder);
    given.row->store(options, flag, value);
  }
}

void read_threads_from_environment(Options& options) {
  const char* text = std::getenv("SUFFICE_THREADS");
  if (options.threads > 0 || !text || !*text) return;
  for (const OptionRow& option : option_table())
    if (option.name() == "--threads") option.store(options, "SUFFICE_THREADS", text);
}

Options parse_verb(const VerbRow& verb, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();  // unknown flags, for which we have better words
  std::deque<Given> flags;
  for (const OptionRow& row : option_table()) {
    if (!(row.verbs & verb.bit)) continue;
    Given& given = flags.emplace_back(Given{&row, {}});
    if (row.placeholder.empty()) {
      given.option = app.add_flag(std::string(row.names))->disable_flag_override();
    } else {
      given.option = app.add_option(std::string(row.names), given.values)
                         ->expected(1)
                         ->allow_extra_args(false)
                         ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  std::vector<std::string> files;
  app.add_option("words", files);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    for (const Given& given : flags) {
      if (given.row->placeholder.empty() && !words.empty())
        for (const std::string& word : words)
          if (word.starts_with(std::string(given.row->name()) + "="))
            fail("{} takes no value", given.row->name());
      if (!words.empty() && !given.row->placeholder.empty() && is_one_of(*given.row, words.back()))
        fail("{} needs a value: {}", given.row->name(), given.row->placeholder);
    }
    throw UsageError(error.what());
  }
  for (const std::string& unknown : app.remaining())
    if (unknown != "--") fail_unknown_flag(verb, unknown);

  Options options;
  options.verb = verb.name;
  std::vector<std::string_view> names;
  for (const Given& given : flags)
    if (given.option->count() > 0) {
      store(verb, given, options);
      names.push_back(given.row->name());
    }
  read_threads_from_environment(options);
  store_words(verb, std::move(files), options);
  if (options.verb == "fit" && options.output.empty()) options.output = "model.suffice";
  check_contradictions(options, verb, names);
  return options;
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

}  // namespace

std::variant<Options, Answer> parse_command_line(const std::vector<std::string>& words) {
  if (words.empty()) fail("say what to do; suffice --help shows how");
  const std::string& first = words.front();
  if (asks_for_help(first) || first == "help") {
    if (words.size() > 1 && !words[1].starts_with("-")) return Answer{verb_help(verb_of(words[1]))};
    return Answer{program_help()};
  }
  if (first == "--version") return Answer{version_text()};
  if (first == "--help-markdown") return Answer{command_line_page()};
  const VerbRow& verb = verb_of(first);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  const auto end = std::find(rest.begin(), rest.end(), "--");
  if (std::any_of(rest.begin(), end, asks_for_help)) return Answer{verb_help(verb)};
  return parse_verb(verb, rest);
}

}  // namespace suffice::cli
