#include "suffice/fit/fit.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/contradictions.hpp"
#include "cli/line/error.hpp"
#include "cli/line/fail.hpp"
#include "cli/verbs/calibration.hpp"
#include "cli/verbs/evaluation.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/fit_wishes.hpp"
#include "cli/verbs/table_rows.hpp"
#include "cli/words/fit_text.hpp"
#include "cli/words/show_remarks.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {
namespace {

/// The flag that is about telling classes apart, if there is one.
std::optional<Sentence> flag_for_classes(const Options& options) {
  if (auto wish = needs_classes(fit_options(options))) return wish;
  if (!options.calibration_files.empty()) return Option{"calibration"};
  if (options.training_error) return Option{"training_error"};
  return std::nullopt;
}

/// Throws InvalidArgument.
void require_no_flag_for_classes(const Options& options) {
  if (const std::optional<Sentence> flag = flag_for_classes(options))
    throw InvalidArgument(*flag + " is about telling classes apart, and there is one class only",
                          "leave it out");
}

Gathered sums_of_files(const std::vector<std::string>& files, const Execution& execution) {
  MergedFiles merged = merge_all(files, execution);
  const double rows = merged.all.statistics.weights().map().sum();
  Gathered result{.statistics = std::move(merged.all.statistics), .rows = rows};
  if (merged.all.rows) result.sample = merged.all.rows->limited(ReservoirOptions().rows).sample();
  return result;
}

/// The fit; where columns make a covariance singular, the advice names the flag that leaves them
/// out.
Fit fit_with_advice(Gathered first, const FitOptions& options, const Execution& execution) {
  try {
    return fit(std::move(first), options, execution);
  } catch (const SingularError& error) {
    if (error.features().empty()) throw;
    throw error.advising(error.advice() + " (--ignore leaves columns out)");
  }
}

/// A pipe is not opened for what it cannot give.
void require_possible(const Context& context) {
  const Options& options = context.options;
  const auto once = read_only_once(options.input, context.execution.stop);
  if (!once) return;
  require_possible(fit_options(options), Material::rows_kept, called(*once));
  if (options.training_error)
    throw InvalidArgument(
        "--training-error reads the rows a second time, which " + called(*once) + " does not allow",
        "write them to a file first");
}

/// Reads the tables a second time.
std::optional<Report> training_error(const Context& context, const Model& model) {
  const Options& options = context.options;
  if (!options.training_error) return std::nullopt;
  Table table(options.input, context.execution);
  const Plan plan =
      plan_scoring(table, model.schema(), model.schema().label(), options.columns.weight);
  const Decision decision{Priors::from_counts(model), {}, {}, {}};
  return evaluate_table(context, table, plan, model, decision).report;
}

/// .stats files have columns that are settled, and no rows.
void check_statistics(const Command& command) {
  if (count_statistics(command) < command.options.input.paths.size())
    throw UsageError("fit reads either tables or .stats files, not both",
                     "suffice stats makes one of a table");
  if (command.options.training_error)
    throw UsageError("--training-error needs the rows again, and a .stats file has only their sums",
                     "suffice evaluate takes a table");
  for (const FlagGroup& group : command.verb->flags)
    for (const Flag& flag : group.flags)
      if ((group.heading == "Data" || group.heading == "Columns") && command.has(flag.name()))
        throw UsageError(fmt::format("{} is for tables", flag.name()),
                         "it was settled when the .stats file was made");
}

/// Flags that change nothing without another.
void check_companions(const Command& command) {
  const FitOptions& options = command.options.fit;
  if (options.missing == MissingNumbers::complete && !options.mixes())
    for (const char* const flag : {"--iterations", "--tolerance"})
      if (command.has(flag)) fail("{} is for EM, and --missing complete has none", flag);
  if (command.has("--unlabelled-weight") && !options.use_unlabelled)
    fail("--unlabelled-weight is for --unlabelled use");
  if (command.has("--restarts") && options.estimate.components.is_one())
    fail("--restarts is for --components");
}

}  // namespace

void check_fit(const Command& command) {
  const Options& options = command.options;
  require_label(command);
  if (options.columns.unlabelled) {
    as_usage([&] { require_no_flag_for_classes(options); });
    if (options.fit.use_unlabelled)
      fail(
          "--unlabelled use and --no-label cannot be combined: without labels all rows are of one "
          "class");
  }
  const bool from_statistics = count_statistics(command) > 0;
  if (from_statistics) check_statistics(command);
  check_companions(command);
  const bool once = reads_standard_input(options.input);
  if (options.training_error && once)
    fail("--training-error reads the rows a second time, which standard input (-) does not allow");
  const Material material = from_statistics ? Material::sample
                            : once          ? Material::rows_kept
                                            : Material::rows;
  as_usage([&] { require_possible(fit_options(options), material, "standard input (-)"); });
}

void fit(const Context& context) {
  const Options& options = context.options;
  Terminal& terminal = context.terminal;
  std::optional<TableRows> table;
  std::vector<std::string> files;
  if (are_statistics(options.input.paths)) {
    files = statistics_paths(context);
  } else {
    require_possible(context);
    files = table.emplace(context).files();
  }
  FitOptions wanted = fit_options(options, table ? &table->schema() : nullptr);
  wanted.progress = [&](std::string_view what, double done) {
    terminal.progress(what, {.share = done});
  };
  Gathered first = table ? gather_for(*table, wanted, context.execution)
                         : sums_of_files(files, context.execution);
  show_remarks(first.remarks, terminal);
  show_notes(std::exchange(first.notes, {}), terminal);
  if (first.statistics.labels().size() == 1) require_no_flag_for_classes(options);
  Fit found = fit_with_advice(std::move(first), wanted, context.execution);
  if (table || options.calibration_files.empty()) show_notes(found.notes, terminal);
  if (!options.calibration_files.empty()) {
    InputOptions rows = options.input;
    rows.paths = options.calibration_files;
    rows.labels_file.clear();
    found.model = calibrate_by_tables(context, found.model, rows).model;
  }
  const std::optional<Report> error = training_error(context, found.model);
  save(found.model, options.output);
  const FitSummary summary{found, files, table ? table->skipped() : std::vector<std::string>(),
                           error};
  if (options.json)
    terminal.print(dump(fit_json(context, summary)));
  else if (!options.quiet)
    terminal.print(fit_text(context, summary));
  else if (error)  // what was asked for is no note
    terminal.print(training_error_text(*error));
}

}  // namespace suffice::cli
