#include "cli/commands/mistakes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "cli/commands/folded.hpp"
#include "cli/output/text.hpp"
#include "cli/readers/number_text.hpp"

namespace suffice::cli {
namespace {

constexpr Index enough_rows = 20;  // to tell an identifier from a coincidence

std::string ignore_flag(const std::string& name) { return "--ignore '" + name + "'"; }

/// Names that a person would take for one: 'a', 'A' and 'a ', 1 and 1.0. Empty where there are
/// none.
std::string alike_in_words(const Names& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    const std::size_t first = name.find_first_not_of(" \t");
    const std::size_t last = name.find_last_not_of(" \t");
    std::string plain = first == name.npos ? "" : name.substr(first, last - first + 1);
    if (const std::optional<double> number = parse_number(plain))
      plain = name_of(*number);
    else
      plain = folded(plain);
    const auto [other, is_new] = seen.emplace(plain, name);
    if (!is_new) return "'" + other->second + "' and '" + name + "'";
  }
  return {};
}

void warn_of_names_alike(const Statistics& statistics, Terminal& terminal) {
  const auto warn = [&](const std::string& column, const Names& names, const char* what) {
    if (const std::string alike = alike_in_words(names); !alike.empty())
      terminal.warn("column '" + column + "' has " + alike + ", which are different " + what +
                    " here: text is kept as it is written");
  };
  warn(statistics.schema().label(), statistics.labels(), "classes");
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b)
    if (const auto* block = std::get_if<CategoricalStatistics>(&statistics.blocks()[b]))
      for (std::size_t j = 0; j < block->levels.size(); ++j)
        warn(statistics.schema().feature(statistics.schema().blocks()[b].features[j]).name,
             block->levels[j], "levels");
}

/// Labels that are rather numbers or names: more than one for every ten rows.
void warn_of_many_classes(const Statistics& statistics, Terminal& terminal) {
  const auto classes = static_cast<double>(statistics.labels().size());
  const double rows = statistics.weights().map().sum();
  if (classes >= enough_rows && 10 * classes > rows)
    terminal.warn("column '" + statistics.schema().label() + "' has " +
                  counted(classes, "different label") + " in " + counted(rows, "row") +
                  ": is it a class?");
}

/// "1,5" and "1,234": numbers to a person.
bool has_comma_numbers(const Names& levels) {
  return std::all_of(levels.begin(), levels.end(),
                     [](const std::string& level) {
                       std::string plain = level;
                       std::replace(plain.begin(), plain.end(), ',', '.');
                       return parse_number(plain) ||
                              std::count(level.begin(), level.end(), ',') > 1;
                     }) &&
         std::any_of(levels.begin(), levels.end(),
                     [](const std::string& level) { return level.find(',') != level.npos; });
}

/// Categorical columns with a new level in every second row or more, and numbers with commas.
void warn_of_identifiers(const Statistics& statistics, Terminal& terminal) {
  const Vector missing = statistics.missing();
  const double rows = statistics.weights().map().sum();
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b) {
    const auto* block = std::get_if<CategoricalStatistics>(&statistics.blocks()[b]);
    if (!block) continue;
    for (std::size_t j = 0; j < block->levels.size(); ++j) {
      const Index feature = statistics.schema().blocks()[b].features[j];
      const double present = rows - missing[feature];
      const auto levels = static_cast<double>(block->levels[j].size());
      if (has_comma_numbers(block->levels[j])) {
        terminal.warn("column '" + statistics.schema().feature(feature).name +
                      "' looks like numbers with a comma ('" + block->levels[j][0] +
                      "') and was taken for text; write them with a decimal point, and without "
                      "separators of thousands");
        continue;
      }
      if (present < enough_rows || 2 * levels <= present) continue;
      const std::string& name = statistics.schema().feature(feature).name;
      terminal.warn("column '" + name + "' has " + counted(levels) + " different values in " +
                    counted(present, "row") +
                    ": it looks like an identifier or free text, which tells nothing about new "
                    "rows; " +
                    ignore_flag(name) + " leaves it out");
    }
  }
}

}  // namespace

void warn_of_row_numbers(const Plan& plan, const Rows& rows, Terminal& terminal) {
  if (rows.size() < enough_rows || plan.selection.layout.sparse > 0) return;
  for (Index j = 0; j < std::ssize(plan.columns); ++j) {
    const Feature& feature = plan.schema.reader(j);
    if (feature.family != Family::gaussian || feature.indicator) continue;
    const Index slot = plan.columns[static_cast<std::size_t>(j)].slot;
    bool counts = true;
    for (Index i = 1; counts && i < rows.size(); ++i)
      counts = rows.numbers(i)[slot] - rows.numbers(i - 1)[slot] == 1;  // false for infinities
    const std::string& name = feature.name;
    if (counts)
      terminal.warn("column '" + name + "' counts the rows, so it tells nothing about new ones; " +
                    ignore_flag(name) + " leaves it out");
  }
}

void warn_of_mistakes(const Statistics& statistics, Terminal& terminal) {
  warn_of_many_classes(statistics, terminal);
  warn_of_names_alike(statistics, terminal);
  warn_of_identifiers(statistics, terminal);
}

}  // namespace suffice::cli
