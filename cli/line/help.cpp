#include "cli/line/help.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/line/command_line.hpp"

namespace suffice::cli {
namespace {

constexpr Group groups[] = {Group::data,     Group::columns, Group::model,     Group::choice,
                            Group::decision, Group::output,  Group::everywhere};

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
std::string spelling(const OptionRow& option) {
  std::string text(option.names);
  if (const std::size_t comma = text.find(','); comma != std::string::npos)
    text.insert(comma + 1, " ");
  if (!option.placeholder.empty()) text += ' ' + std::string(option.placeholder);
  return text;
}

std::string description(const OptionRow& option) {
  std::string text(option.description);
  if (!option.fallback.empty()) text += fmt::format(" Default: {}.", option.fallback);
  return text;
}

std::vector<const OptionRow*> options_of(const VerbRow& verb, Group group) {
  std::vector<const OptionRow*> rows;
  for (const OptionRow& option : option_table())
    if (option.group == group && option.verbs & verb.bit) rows.push_back(&option);
  return rows;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

void append_table(std::string& page, const std::vector<const OptionRow*>& rows) {
  page += "| flag | meaning | default |\n|---|---|---|\n";
  for (const OptionRow* row : rows) {
    std::string name;
    for (const char c : spelling(*row)) name += c == '|' ? std::string("\\|") : std::string(1, c);
    page += fmt::format("| `{}` | {}{} | {} |\n", name, escaped(row->description),
                        row->repeatable ? " May be repeated." : "", escaped(row->fallback));
  }
  page += '\n';
}

}  // namespace

std::string version_text() { return "suffice " SUFFICE_VERSION "\n"; }

std::string program_help() {
  std::string text = "suffice: generative classification in one pass over the data\n\n";
  for (const VerbRow& verb : verb_table())
    text += fmt::format("  {:<10}{}\n", verb.name, verb.summary);
  text += fmt::format("\nExamples\n{}\n", examples);
  text +=
      "DATA are files, globs, folders or - for standard input: CSV and TSV (also .gz\n"
      "and .zst), Parquet, Arrow, NPY, IDX, LIBSVM.\n"
      "suffice VERB --help shows the flags of a verb; docs/cli.md has them all.\n"
      "suffice --version says which version this is.\n";
  return text;
}

std::string verb_help(const VerbRow& verb) {
  constexpr std::size_t indent = 25;
  std::string text = fmt::format("suffice {} {}\n\n", verb.name, verb.usage);
  text += wrapped(verb.text, 0, 0);
  for (const Group group : groups) {
    const std::vector<const OptionRow*> rows = options_of(verb, group);
    if (rows.empty()) continue;
    text += fmt::format("\n{}\n", to_string(group));
    for (const OptionRow* row : rows) {
      const std::string name = "  " + spelling(*row);
      text += name;
      if (characters(name) + 2 > indent) {
        text += '\n' + std::string(indent, ' ');
      } else {
        text.append(indent - characters(name), ' ');
      }
      text += wrapped(description(*row), indent, indent);
    }
  }
  return text;
}

std::string command_line_page() {
  std::string page =
      "# The command line\n\n"
      "<!-- Written by script/docs from cli/line/option_table.cpp; edit that. -->\n\n"
      "```\n";
  for (const VerbRow& verb : verb_table())
    page += fmt::format("suffice {:<8} {}\n", verb.name, verb.usage);
  page +=
      "```\n\n"
      "DATA are files, globs, folders or `-` for standard input: `.csv .tsv` (also `.gz .zst`), "
      "`.parquet`, `.arrow .feather`, `.npy`, IDX (`*-ubyte`, also `.gz`), `.libsvm`. Several are "
      "read as one table, with columns matched by name.\n\n"
      "Exit codes: 0 done; 2 the command is wrong, which is known before any file is opened; 1 "
      "everything else; 130 on Ctrl-C. Output files appear whole or not at all. Messages, notes "
      "and progress go to standard error, results to standard output. With --json an error is "
      "still "
      "a sentence on standard error, and standard output is empty.\n\n";
  for (const VerbRow& verb : verb_table()) {
    page += fmt::format("## {}\n\n```\nsuffice {} {}\n```\n\n{}\n\n", verb.name, verb.name,
                        verb.usage, verb.text);
    for (const Group group : groups) {
      if (group == Group::everywhere) continue;
      const std::vector<const OptionRow*> rows = options_of(verb, group);
      if (rows.empty()) continue;
      page += fmt::format("**{}**\n\n", to_string(group));
      append_table(page, rows);
    }
  }
  page += "## Everywhere\n\n";
  append_table(page, options_of(verb_table().front(), Group::everywhere));
  page +=
      "`suffice --help` and `suffice VERB --help` show the same on a terminal; `suffice --version` "
      "says which version it is. Colours appear only on a terminal and never where `NO_COLOR` is "
      "set.\n";
  return page;
}

}  // namespace suffice::cli
