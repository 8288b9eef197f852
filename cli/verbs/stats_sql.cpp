#include "cli/verbs/stats_sql.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "cli/input/table.hpp"
#include "cli/line/fail.hpp"
#include "cli/line/option_values.hpp"
#include "cli/line/suggest.hpp"
#include "cli/output/json.hpp"
#include "cli/output/text.hpp"
#include "cli/output/writer.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/table_rows.hpp"
#include "cli/words/show_remarks.hpp"
#include "suffice/database/sums_answer.hpp"
#include "suffice/database/sums_query.hpp"

namespace suffice::cli {
namespace {

bool is_pattern(const std::string& name) { return name.find_first_of("*?") != std::string::npos; }

/// The columns that the flags name, where neither a file nor a table has them.
std::vector<std::string> named_columns(const ColumnOptions& columns) {
  std::vector<std::string> names = columns.features;
  if (names.empty())
    for (const auto& [column, family] : columns.families)
      if (!is_pattern(column) && std::ranges::find(names, column) == names.end())
        names.push_back(column);
  return names;
}

/// A family or transformation of none of the named columns would be lost.
template <class Rules>
void require_named(std::string_view flag, const Rules& rules,
                   const std::vector<std::string>& names) {
  for (const auto& rule : rules)
    if (std::ranges::none_of(names,
                             [&](const std::string& name) { return matches(rule.first, name); }))
      throw UsageError(fmt::format("{}: there is no column '{}'", flag, rule.first),
                       fmt::format("the columns are {}", list_for_message(names)));
}

Schema schema_of_names(const ColumnOptions& columns) {
  std::vector<Feature> features;
  for (const std::string& name : named_columns(columns)) {
    Feature& feature = features.emplace_back(Feature{.name = name});
    for (const auto& [pattern, family] : columns.families)
      if (matches(pattern, name)) feature.family = family;
    for (const auto& [pattern, transform] : columns.transforms) {
      if (!matches(pattern, name)) continue;
      if (feature.family == Family::gaussian)
        feature.transform = *transform;
      else if (pattern == name && *transform != Transform::none)
        throw UsageError(
            fmt::format("--transform: column '{}' is {}", name, to_string(feature.family)),
            "only columns of numbers (gaussian) are transformed");
    }
  }
  return Schema(std::move(features)).with_label(columns.label);
}

/// From DATA, from --like or from the flags alone.
Schema schema_of_command(const Context& context) {
  const ColumnOptions& columns = context.options.columns;
  if (!context.options.input.paths.empty()) {
    Table table(context.options.input, context.execution);
    return plan_of(context, table).schema;
  }
  if (columns.like.empty()) return schema_of_names(columns);
  const Schema schema = file_kind(columns.like) == FileKind::model
                            ? load_model(columns.like).schema()
                            : load_statistics(columns.like).schema();
  if (columns.unlabelled) return schema.with_label("");
  return columns.label.empty() ? schema : schema.with_label(columns.label);
}

/// A cell that must be a whole number, or be missing: then it is −1.
Index index_in(double cell, const Place& place) {
  if (std::isnan(cell)) return -1;
  if (!(cell >= 0 && cell < 1e15) || cell != std::floor(cell))
    throw FileError(place, fmt::format("{} is no number of a column or part", cell));
  return static_cast<Index>(cell);
}

}  // namespace

bool check_sql(const Command& command) {
  const Options& options = command.options;
  const ColumnOptions& columns = options.columns;
  if (!options.sql.dialect && !options.sql.answer) {
    if (command.has("--table")) fail("--table names the table of a query, which --sql asks for");
    if (options.input.paths.empty())
      throw UsageError("stats needs DATA, the tables to sum up",
                       "with --sql it writes a query for a table of a database instead");
    return false;
  }
  if (options.sql.answer) {
    for (const std::string_view flag :
         {"--sql", "--table", "--label", "--labels", "--no-label", "--features", "--ignore",
          "--family", "--transform", "--like", "--weight", "--covariance", "--reservoir"})
      if (command.has(flag))
        throw UsageError(fmt::format("--from-sql and {} contradict each other", flag),
                         fmt::format("leave {} out: it belongs to the query, and the answer "
                                     "says what it was",
                                     flag));
    if (options.input.paths.empty())
      fail("stats --from-sql needs DATA, the answer of the query as CSV or Parquet");
    return true;
  }
  for (const std::string_view flag : {"--labels", "--reservoir"})
    if (command.has(flag)) fail("{} is for rows that are read, and --sql reads none", flag);
  if (options.json && (options.output.empty() || options.output == "-"))
    fail("--json says what was written to a file; give -o FILE");
  if (!options.input.paths.empty() || !columns.like.empty()) {
    if (columns.label.empty() && columns.like.empty() && !columns.unlabelled)
      fail("stats --sql needs --label COLUMN, the column of the table that has the classes");
    if (options.input.paths.empty())
      for (const std::string_view flag : {"--features", "--ignore", "--family", "--transform"})
        if (command.has(flag))
          throw UsageError(
              fmt::format("--like and {} contradict each other", flag),
              fmt::format("leave {} out: the columns are those of '{}'", flag, columns.like));
    return true;
  }
  const std::vector<std::string> names = named_columns(columns);
  if (names.empty())
    throw UsageError("stats --sql does not know the columns of the table",
                     "name them with --features and --family, give a file that has them with "
                     "--like, or some rows of the table as DATA");
  for (const std::string& name : names)
    if (is_pattern(name))
      throw UsageError(fmt::format("--features '{}': without DATA or --like there are no columns "
                                   "that a pattern could match",
                                   name),
                       "name the columns");
  require_named("--family", columns.families, names);
  require_named("--transform", columns.transforms, names);
  if (command.has("--ignore")) fail("--ignore leaves out columns of DATA, and there is no DATA");
  if (columns.label.empty() && !columns.unlabelled)
    fail("stats --sql needs --label COLUMN, the column of the table that has the classes");
  return true;
}

void write_sums_query(const Context& context) {
  const Options& options = context.options;
  const Schema schema = schema_of_command(context);
  const std::string query = sums_query(
      schema,
      {.dialect = *options.sql.dialect,
       .table = options.sql.table.empty() ? "data" : options.sql.table,
       .weight = options.columns.weight,
       .scatter = needs_dense_scatter(options.fit.estimate) ? Scatter::dense : Scatter::diagonal,
       .one_class = options.columns.unlabelled ? "inlier" : ""});
  const std::string output = options.output.empty() ? "-" : options.output;
  require_folder(output);
  Writer writer(output);
  writer.write(query);
  writer.finish();
  if (options.json)
    context.terminal.print(dump(Json{
        {"file", output}, {"dialect", to_string(*options.sql.dialect)}, {"bytes", query.size()}}));
  else if (output != "-")
    context.terminal.note(
        fmt::format("{} bytes in {}; suffice stats --from-sql makes statistics of its answer",
                    query.size(), output));
}

void read_sums_answer(const Context& context) {
  require_folder(context.options.output);
  Table table(context.options.input, context.execution);
  require_not_an_input(table.files(), context.options.output);
  const std::string& file = table.files().front();
  const std::vector<std::string> there = names_of(table.columns());
  Table::Selection selection;
  for (const std::string_view name : sums_answer_columns) {
    if (std::ranges::find(there, name) == there.end())
      throw FileError({.path = file},
                      fmt::format("{} has no column '{}', so it is not the answer of a query "
                                  "that suffice stats --sql wrote",
                                  called(file), name),
                      fmt::format("it has {}", list_for_message(there)));
    const bool is_text = name == "class" || name == "kind" || name == "name";
    Index& slots = is_text ? selection.layout.texts : selection.layout.numbers;
    selection.targets.emplace_back(
        name, Target{.kind = is_text ? Target::Kind::text : Target::Kind::number,
                     .slot = slots++,
                     .verbatim = is_text});
  }
  table.select(std::move(selection));
  SumsAnswer answer;
  try {
    for (Rows rows = table.make_rows(); table.next(rows);)
      with_places(rows, [&] {
        for (Index i = 0; i < rows.size(); ++i) {
          const auto text = [&](std::size_t slot) {
            const TextColumn& column = rows.texts()[slot];
            return column.is_missing(i) ? std::nullopt : std::optional(column[i]);
          };
          const double* numbers = rows.numbers(i);
          const Place place = rows.place(i);
          answer.add({.label = text(0),
                      .part = index_in(numbers[0], place),
                      .kind = text(1).value_or(""),
                      .i = index_in(numbers[1], place),
                      .j = index_in(numbers[2], place),
                      .name = text(2),
                      .value = numbers[3]});
        }
      });
    const Statistics statistics = answer.statistics();
    if (answer.unlabelled_rows() > 0)
      context.terminal.warn(fmt::format("{} of the table without a label left out",
                                        counted(answer.unlabelled_rows(), "row")));
    show_remarks(remarks_on(statistics), context.terminal);
    save_statistics(context, {statistics}, files_in_words(table.files()));
  } catch (const FileError&) {
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    throw FileError({.path = file}, Sentence(called(file) + ": ") + error.message());
  }
}

}  // namespace suffice::cli
