#include "cli/commands/training.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "cli/commands/files.hpp"
#include "cli/input/plan.hpp"
#include "cli/output/text.hpp"
#include "cli/readers/number_text.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {
namespace {

constexpr Index enough_rows = 20;  // to tell an identifier from a coincidence

std::string ignore_flag(const std::string& name) { return "--ignore '" + name + "'"; }

/// Columns that count the rows: each number is the one before plus 1.
void warn_of_row_numbers(const Plan& plan, const Rows& rows, Terminal& terminal) {
  if (rows.size() < enough_rows || plan.selection.layout.sparse > 0) return;
  for (std::size_t j = 0; j < plan.features.size(); ++j) {
    if (plan.schema.features()[j].family != Family::gaussian) continue;
    const Index slot = plan.features[j].slot;
    bool counts = true;
    for (Index i = 1; counts && i < rows.size(); ++i)
      counts = rows.numbers(i)[slot] - rows.numbers(i - 1)[slot] == 1;  // false for infinities
    const std::string& name = plan.schema.features()[j].name;
    if (counts)
      terminal.warn("column '" + name + "' counts the rows, so it tells nothing about new ones; " +
                    ignore_flag(name) + " leaves it out");
  }
}

/// Names that a person would take for one: 'a' and 'a ', 1 and 1.0. Empty where there are none.
std::string alike_in_words(const Names& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    const std::size_t first = name.find_first_not_of(" \t");
    const std::size_t last = name.find_last_not_of(" \t");
    std::string plain = first == name.npos ? "" : name.substr(first, last - first + 1);
    if (const std::optional<double> number = parse_number(plain)) plain = name_of(*number);
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

/// Classes that are numbers rather: nearly as many as a tenth of the rows.
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

/// Takes out the rows that have no label; returns how many.
Index drop_unlabelled(const Plan& plan, Rows& rows) {
  const TextColumn& labels = rows.texts()[plan.label];
  const Index missing = labels.missing();
  if (missing == 0) return 0;
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(rows.size()));
  for (Index i = 0; i < rows.size(); ++i) keep[i] = !labels.is_missing(i);
  rows.keep_only(keep);
  return missing;
}

Plan plan_of(const Context& context, const Table& table) {
  const ColumnOptions& columns = context.options.columns;
  if (columns.like.empty()) return plan_training(table, columns);
  const Schema schema = file_kind(columns.like) == FileKind::model
                            ? load_model(columns.like).schema()
                            : load_statistics(columns.like).schema();
  std::string label = columns.label.empty() ? schema.label() : columns.label;
  if (label.empty()) label = table.own_label();
  if (label.empty())
    throw InvalidArgument("'" + columns.like + "' does not say which column has the labels; name " +
                          "it with --label");
  Plan plan = plan_scoring(table, schema, label, columns.weight);
  plan.schema = plan.schema.with_label(label);
  return plan;
}

/// A wide table may ask for more sums than there is memory.
Statistics empty_statistics(const Schema& schema, Scatter scatter) {
  try {
    return Statistics(schema, {.scatter = scatter});
  } catch (const InvalidArgument& error) {
    if (scatter == Scatter::diagonal) throw;
    throw InvalidArgument(std::string(error.what()) +
                          ". Here: --covariance diag, --features or --ignore");
  }
}

}  // namespace

Training read_training(const Context& context, Scatter scatter) {
  require_folder(context.options.output);
  Table table(context.options.input, context.execution);
  require_not_an_input(table.files(), context.options.output);
  const Plan plan = plan_of(context, table);
  table.select(plan.selection);
  Training training{empty_statistics(plan.schema, scatter), table.files()};
  training.skipped = plan.skipped;
  Rows rows = table.make_rows();
  for (bool first = true; table.next(rows); first = false) {
    training.unlabelled_rows += static_cast<double>(drop_unlabelled(plan, rows));
    if (first) warn_of_row_numbers(plan, rows, context.terminal);
    with_places(rows, [&] { training.statistics.update(view(plan, rows), context.execution); });
    const Extent extent = table.extent();
    context.terminal.progress("reading", {extent.done, extent.total, table.rows_read()});
  }
  context.terminal.end_progress();
  training.rows = static_cast<double>(table.rows_read());
  if (training.rows == 0)
    throw FileError(called(table.files().front()) + " has no rows" +
                        (table.files().size() > 1 ? ", nor have the files after it" : ""),
                    table.files().front());
  if (training.rows == training.unlabelled_rows)
    throw FileError("no row has a label: column '" + plan.schema.label() + "' of '" +
                        table.files().front() + "' is empty",
                    table.files().front());
  warn_of_many_classes(training.statistics, context.terminal);
  warn_of_names_alike(training.statistics, context.terminal);
  warn_of_identifiers(training.statistics, context.terminal);
  return training;
}

bool are_statistics(const std::vector<std::string>& paths) {
  std::optional<std::string> table, statistics;
  for (const std::string& path : paths) {
    bool is_statistics = false;
    std::error_code ignored;
    if (path.ends_with(".stats")) {
      is_statistics = true;
    } else if (!has_table_ending(path) && std::filesystem::is_regular_file(path, ignored)) {
      try {
        is_statistics = file_kind(path) == FileKind::statistics;
      } catch (const FileError&) {  // some table without a known ending
      }
    }
    (is_statistics ? statistics : table) = path;
  }
  if (table && statistics)
    throw FileError("'" + *statistics + "' holds statistics and '" + *table +
                        "' does not; make statistics of the tables with 'suffice stats --like " +
                        *statistics + "' and merge them",
                    *table);
  return statistics.has_value();
}

}  // namespace suffice::cli
