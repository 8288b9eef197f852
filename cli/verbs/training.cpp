#include "cli/verbs/training.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/input/plan.hpp"
#include "cli/line/paths.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/show_remarks.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

namespace {

/// Columns that a flag names otherwise than the file of --like has them.
template <class Rules, class Value>
void require_like(const ColumnOptions& columns, const Schema& schema, const char* flag,
                  const Rules& rules, Value Feature::*value) {
  for (const auto& [column, wanted] : rules)
    for (const Feature& feature : schema.features())
      if (feature.name == column && feature.*value != wanted)
        throw InvalidArgument(std::string(flag) + " " + column + "=" +
                              std::string(to_string(wanted)) + " contradicts --like: '" +
                              columns.like + "' has " + std::string(to_string(feature.*value)) +
                              " there");
}

}  // namespace

Plan plan_of(const Context& context, Table& table) {
  if (context.execution.stop.stop_requested()) throw Cancelled();  // a million columns take seconds
  const ColumnOptions& columns = context.options.columns;
  if (columns.like.empty()) return plan_training(table, columns);
  const Schema schema = file_kind(columns.like) == FileKind::model
                            ? load_model(columns.like).schema()
                            : load_statistics(columns.like).schema();
  require_like(columns, schema, "--family", columns.families, &Feature::family);
  std::vector<std::pair<std::string, Transform>> transforms;  // with --like all are named
  for (const auto& [column, transform] : columns.transforms)
    transforms.emplace_back(column, transform.value_or(Transform::none));
  require_like(columns, schema, "--transform", transforms, &Feature::transform);
  if (columns.unlabelled) {
    Plan plan = plan_scoring(table, schema, "", columns.weight, columns.fold);
    plan.schema = plan.schema.with_label("");
    plan.one_class = true;
    return plan;
  }
  std::string label = columns.label.empty() ? schema.label() : columns.label;
  if (label.empty()) label = table.own_label();
  if (label.empty())
    throw InvalidArgument("'" + columns.like + "' does not say which column has the labels",
                          "name it with --label");
  Plan plan = plan_scoring(table, schema, label, columns.weight, columns.fold);
  plan.schema = plan.schema.with_label(label);
  return plan;
}

namespace {

/// A wide table may ask for more sums than there is memory.
Statistics empty_statistics(const Schema& schema, Scatter scatter) {
  try {
    return Statistics(schema, {.scatter = scatter});
  } catch (const InvalidArgument& error) {
    if (scatter == Scatter::diagonal) throw;
    throw InvalidArgument(error.sentence(), "use --covariance diag, --features or --ignore");
  }
}

}  // namespace

void require_labelled_rows(const Table& table, const Plan& plan, double unlabelled_rows) {
  const std::string& file = table.files().front();
  if (table.rows_read() == 0)
    throw FileError({.path = file},
                    called(file) + " has no rows" +
                        (table.files().size() > 1 ? ", nor have the files after it" : ""));
  if (static_cast<double>(table.rows_read()) == unlabelled_rows)
    throw FileError({.path = file}, "no row has a label: column '" + plan.schema.label() +
                                        "' of '" + file + "' is empty");
}

ChooseOptions choose_options(const Options& options) {
  ChooseOptions result{.fixed = options.fixed,
                       .given = options.estimate,
                       .calibrate = options.calibrate.value_or(true)};
  result.given.components = 1;  // mixtures have the covariance that is chosen without them
  return result;
}

Purpose purpose_of_fit(const Options& options) {
  if (options.chooses()) return Purpose::choice;
  return options.columns.compares() ? Purpose::comparison : Purpose::estimate;
}

Scatter scatter_for(const Options& options, const Schema& schema, Purpose purpose,
                    std::optional<Index> rows) {
  if (purpose == Purpose::choice) return scatter_to_choose(schema, choose_options(options), rows);
  Scatter needed = options.mixes() && needs_dense_scatter(options.estimate)
                       ? Scatter::dense
                       : needed_scatter(options.estimate);
  if (purpose != Purpose::file) needed = smaller_scatter(needed, schema);
  const bool whole = needed != Scatter::diagonal;
  return rows && whole ? scatter_for_rows(needed, schema, *rows) : needed;
}

namespace {

/// Rows that are kept take that many bytes at most.
constexpr double most_kept_bytes = 1e9;

double bytes_of(const Rows& rows) {
  const Layout& layout = rows.layout();
  return static_cast<double>(rows.capacity()) * static_cast<double>(layout.numbers) * 8 +
         static_cast<double>(rows.size()) * static_cast<double>(layout.texts) * 32 +
         static_cast<double>(rows.sparse().value.size()) * 16;
}

}  // namespace

Training read_training(const Context& context, Purpose purpose,
                       const std::optional<Schema>& schema) {
  require_folder(context.options.output);
  Table table(context.options.input, context.execution);
  require_not_an_input(table.files(), context.options.output);
  Plan plan = plan_of(context, table);
  if (schema) {
    plan.schema = *schema;
    plan.selection.block_rows = rows_per_block(*schema, table.is_sparse());
  }
  table.select(plan.selection);
  Training training{Statistics(plan.schema, {.scatter = Scatter::thin}), table.files()};
  Scatter scatter = Scatter::thin;
  const auto choose_scatter = [&](Index rows_so_far, bool first) {
    // Sparse rows are never made dense for a choice: of many columns only naive models are tried.
    const bool by_rows = !table.is_sparse() || purpose != Purpose::choice;
    const Scatter wanted = scatter_for(context.options, plan.schema, purpose,
                                       by_rows ? std::optional(rows_so_far) : std::nullopt);
    if (wanted == scatter) return;
    Statistics empty = empty_statistics(plan.schema, wanted);  // there may not be room for it
    training.statistics = first ? std::move(empty) : with_scatter(training.statistics, wanted);
    scatter = wanted;
  };
  // A choice goes on with one scatter for all classes where there is no room for one for each.
  const auto add = [&](const Rows& more) {
    try {
      training.statistics.update(view(plan, more), context.execution);
    } catch (const InvalidArgument& error) {
      const auto& fixed = context.options.fixed;
      const bool named = std::ranges::any_of(fixed, [](const std::string& name) {
        return name == "covariance" || name == "pca" || name == "lda";
      });
      if (purpose != Purpose::choice || scatter != Scatter::dense || named) throw;
      training.statistics = with_scatter(training.statistics, Scatter::pooled);
      training.statistics.update(view(plan, more), context.execution);  // or what else is wrong
      scatter = Scatter::pooled;
      context.terminal.hint(
          "One scatter is kept for all classes together, and full covariances "
          "are not tried: " +
          error.sentence().text() + ".");
    }
  };
  training.skipped = plan.skipped;
  std::optional<Reservoir> reservoir;
  const bool compares = purpose == Purpose::comparison || purpose == Purpose::choice;
  if (compares)
    reservoir.emplace(plan.schema, ReservoirOptions{.seed = context.options.seed});
  else if (context.options.reservoir > 0)
    reservoir.emplace(plan.schema,
                      ReservoirOptions{.rows = static_cast<Index>(context.options.reservoir),
                                       .numbers = HUGE_VAL,
                                       .seed = context.options.seed});
  Rows rows = table.make_rows();
  const bool unlabelled = context.options.uses_unlabelled;
  auto kept = context.options.estimate.discriminative || context.options.mixes()
                  ? std::make_shared<KeptRows>()
                  : nullptr;
  if (kept) kept->plan = plan;
  double kept_bytes = 0;
  const auto keep = [&] {
    if (kept && (kept_bytes += bytes_of(rows)) <= most_kept_bytes)
      kept->blocks.push_back(rows);
    else
      kept = nullptr;
  };
  for (bool first = true; table.next(rows); first = false) {
    if (unlabelled) keep();
    training.unlabelled_rows += static_cast<double>(drop_unlabelled(plan, rows));
    if (first && !schema)
      show_remarks(remarks_on_first_rows(plan.schema, view(plan, rows), plan.chosen),
                   context.terminal);
    if (first || scatter == Scatter::thin) choose_scatter(table.rows_read(), first);
    with_places(rows, [&] {
      add(rows);
      if (reservoir) reservoir->update(view(plan, rows));
    });
    if (!unlabelled) keep();
    const Extent extent = table.extent();
    context.terminal.progress(schema ? "reading again" : "reading",
                              {extent.done, extent.total, table.rows_read()});
  }
  context.terminal.end_progress();
  training.rows = static_cast<double>(table.rows_read());
  require_labelled_rows(table, plan, training.unlabelled_rows);
  if (!schema) show_remarks(remarks_on(training.statistics), context.terminal);
  if (!schema && is_thin(training.statistics))
    context.terminal.hint(
        "More columns than rows: covariances are kept as thin factors, exact and no larger than "
        "the table.");
  if (!schema && purpose == Purpose::estimate && scatter == Scatter::pooled)
    context.terminal.hint(
        "Many columns: one scatter is kept for all classes together, which is all that these "
        "models need.");
  training.kept = std::move(kept);
  if (compares)
    training.sample = reservoir->sample();
  else
    training.reservoir = std::move(reservoir);
  return training;
}

bool are_statistics(const std::vector<std::string>& paths) {
  std::optional<std::string> table, statistics;
  for (const std::string& path : paths) {
    bool is_statistics = false;
    std::error_code ignored;
    if (has_ending(path, ".stats")) {
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
    throw FileError({.path = *table},
                    "'" + *statistics + "' holds statistics and '" + *table + "' does not",
                    "make statistics of the tables with 'suffice stats --like " + *statistics +
                        "' and merge them");
  return statistics.has_value();
}

}  // namespace suffice::cli
