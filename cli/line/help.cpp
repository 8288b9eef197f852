#include "cli/line/help.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/line/flags.hpp"

namespace suffice::cli {
namespace {

constexpr std::string_view examples =
    "  suffice fit penguins.csv --label species -o penguins.suffice\n"
    "  suffice evaluate penguins.suffice test.csv --prior uniform\n"
    "  cat rows.csv | suffice predict penguins.suffice - --output proba | head\n";

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

/// Words in lines of at most 80 characters; all but the first line begin with `indent` blanks.
/// `column` is where the first one begins.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t column) {
  std::string result;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + characters(word) > 80) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += characters(word);
  }
  return result + '\n';
}

/// "-o, --out FILE".
std::string spelling(const Flag& flag) {
  std::string text(flag.names);
  if (const std::size_t comma = text.find(','); comma != std::string::npos)
    text.insert(comma + 1, " ");
  if (!flag.is_switch()) text += ' ' + std::string(flag.value);
  return text;
}

std::string description(const Flag& flag) {
  std::string text(flag.description);
  if (!flag.fallback.empty()) text += fmt::format(" Default: {}.", flag.fallback);
  return text;
}

/// Whether group `g` begins another heading than the one before it.
bool has_new_heading(const std::vector<FlagGroup>& groups, std::size_t g) {
  return g == 0 || groups[g].heading != groups[g - 1].heading;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

constexpr std::string_view priors_and_costs = R"(## Priors and costs

`--prior` takes one of these:

| form | example |
|---|---|
| a word | `--prior train`, `--prior uniform` |
| training frequencies with pseudo-counts | `--prior train:1`, `--prior train:spam=2,ham=5` |
| a number for each class, by name | `--prior spam=0.1,ham=0.9` |
| numbers in the order of the classes, which is sorted | `--prior 3,1` |
| a file | `--prior prior.csv`, `--prior prior.json` |

Numbers that do not sum to 1, such as counts, are scaled, with a note. A class with prior 0 is never decided. A file has one line per class, with or without a header; or a line of class names above a line of numbers; or it is a JSON object:

```
class,prior        ham,spam        {"ham": 0.9, "spam": 0.1}
ham,0.9            0.9,0.1
spam,0.1
```

`--cost` takes `true>decided=cost` for pairs of classes, as in `--cost 'spam>ham=1,ham>spam=20'`, or a file. What is not named costs 1 for a mistake and 0 for a right decision. A file has a matrix, in which each line is a true class and each column a decision; or the columns true class, decided class and cost, under any header; or a JSON object of objects:

```
,ham,spam          true,decided,cost        {"ham": {"spam": 20}}
ham,0,20           ham,spam,20
spam,1,0           spam,ham,1
```

The first cell of a matrix may hold anything, and the names may have a common prefix, as in `decided:ham,decided:spam`. Without the column of names the lines are in the order of the first one; without any names, in the sorted order of the classes.

A name with a comma, `=` or `>` stands in double quotes, in which a quote is doubled: `--prior '"New York, NY"=0.3,Boston=0.7'`, `--cost '">50K">"<=50K"=5'`. In a file it needs no more than CSV does.

)";

constexpr std::string_view table_head = "| flag | meaning | default |\n|---|---|---|\n";

std::string table_rows(const FlagGroup& group) {
  std::string text;
  for (const Flag& flag : group.flags) {
    std::string name;
    for (const char c : spelling(flag)) name += c == '|' ? std::string("\\|") : std::string(1, c);
    text += fmt::format("| `{}` | {}{} | {} |\n", name, escaped(flag.description),
                        flag.repeatable ? " May be repeated." : "", escaped(flag.fallback));
  }
  return text;
}

/// The tables of a verb, one for each heading; without the flags that every verb has.
std::string tables_of(const Verb& verb) {
  std::string text;
  for (std::size_t g = 0; g + 1 < verb.flags.size(); ++g) {
    if (has_new_heading(verb.flags, g))
      text += fmt::format("{}**{}**\n\n{}", g == 0 ? "" : "\n", verb.flags[g].heading, table_head);
    text += table_rows(verb.flags[g]);
  }
  return verb.flags.size() > 1 ? text + '\n' : text;
}

}  // namespace

std::string version_text() { return "suffice " SUFFICE_VERSION "\n"; }

std::string program_help(std::span<const Verb> verbs) {
  std::string text = "suffice: generative classification in one pass over the data\n";
  for (const Verb& verb : verbs) text += fmt::format("  {:<10}{}\n", verb.name, verb.summary);
  text += fmt::format("\n{}", examples);
  text += "DATA: files, globs, folders or -. suffice VERB --help shows the flags of a verb.\n";
  return text;
}

std::string verb_help(const Verb& verb) {
  constexpr std::size_t indent = 25;
  std::string text = fmt::format("suffice {} {}\n\n", verb.name, verb.usage);
  text += wrapped(verb.text, 0, 0);
  for (std::size_t g = 0; g < verb.flags.size(); ++g) {
    if (has_new_heading(verb.flags, g)) text += fmt::format("\n{}\n", verb.flags[g].heading);
    for (const Flag& flag : verb.flags[g].flags) {
      const std::string name = "  " + spelling(flag);
      text += name;
      if (characters(name) + 2 > indent) {
        text += '\n' + std::string(indent, ' ');
      } else {
        text.append(indent - characters(name), ' ');
      }
      text += wrapped(description(flag), indent, indent);
    }
  }
  return text;
}

std::string command_line_page(std::span<const Verb> verbs) {
  std::string page =
      "# The command line\n\n"
      "<!-- Written by script/docs from the tables of the program (cli/verbs/verbs.cpp). -->\n\n"
      "```\n";
  for (const Verb& verb : verbs) page += fmt::format("suffice {:<8} {}\n", verb.name, verb.usage);
  page +=
      "```\n\n"
      "DATA are files, globs, folders or `-` for standard input: `.csv .tsv .ndjson .jsonl` "
      "(also `.gz .zst`), `.parquet`, `.arrow .feather`, `.npy`, IDX (`*-ubyte`, also `.gz`), "
      "`.libsvm .svm` ([formats.md](formats.md) describes each). Several are read as one table, "
      "with columns matched by name.\n\n"
      "Exit codes: 0 done; 2 the command is wrong, which is known before any file is opened; 1 "
      "everything else; 130 on Ctrl-C. Output files appear whole or not at all. Messages, notes "
      "and progress go to standard error, results to standard output. With --json an error is "
      "still "
      "a sentence on standard error, and standard output is empty.\n\n";
  for (const Verb& verb : verbs) {
    page += fmt::format("## {}\n\n```\nsuffice {} {}\n```\n\n{}\n\n", verb.name, verb.name,
                        verb.usage, verb.text);
    page += tables_of(verb);
  }
  page += priors_and_costs;
  page += "## Everywhere\n\n";
  page += fmt::format("{}{}\n", table_head, table_rows(common_flags()));
  page +=
      "`suffice --help` and `suffice VERB --help` show the same on a terminal; `suffice --version` "
      "says which version it is. Colours appear only on a terminal and never where `NO_COLOR` is "
      "set.\n";
  return page;
}

}  // namespace suffice::cli
