#include "suffice/contrast/drift.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/contradictions.hpp"
#include "cli/line/error.hpp"
#include "cli/output/json.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/table_rows.hpp"
#include "cli/words/drift_text.hpp"
#include "suffice/fit/gather.hpp"

namespace suffice::cli {
namespace {

/// Rows of a table that are kept for the rank tests.
constexpr Index kept_rows = 10000;

/// One of the two files.
class Side {
 public:
  Side(const Context& context, const std::string& path)
      : context_(context), path_(path), input_(context.options.input) {
    input_.paths = {path};
    if (are_statistics({path}))
      sums_ = open_statistics(path);
    else
      require_no_model();
  }

  bool is_table() const { return !sums_.has_value(); }
  const Schema& schema() const { return sums_->statistics.schema(); }
  StatisticsFile take() { return std::move(*sums_); }

  /// Sums the table up. With a schema its columns are those.
  void read(const Schema* like, bool common) {
    ColumnOptions columns = context_.options.columns;
    TableRows rows(context_, input_,
                   [&](Table& table) { return plan(context_, table, like, columns, common); });
    GatherOptions wanted{.estimate = context_.options.fit.estimate};
    wanted.reservoir = {.rows = kept_rows, .seed = context_.options.seed};
    Gathered found = gather(rows, wanted, context_.execution);
    sums_ = {std::move(found.statistics), std::move(found.reservoir)};
  }

 private:
  void require_no_model() const {
    try {
      if (kind_of(path_, "a table or statistics") == FileKind::model)
        throw InvalidArgument("'" + path_ + "' is a model, which does not keep the sums",
                              "suffice stats makes statistics from the data that it was fitted to");
    } catch (const FileError&) {  // a table
    }
  }

  static Plan plan(const Context& context, Table& table, const Schema* like, ColumnOptions& columns,
                   bool common) {
    if (!like) {
      if (!columns.like.empty()) return plan_of(context, table);
      if (columns.label.empty() && table.own_label().empty()) columns.unlabelled = true;
      return plan_training(table, columns);
    }
    Schema schema = *like;
    if (common) {
      std::vector<Index> there;
      for (Index j = 0; j < schema.size(); ++j)
        if (table.has(schema.feature(j).column())) there.push_back(j);
      if (there.empty())
        throw FileError({.path = table.files().front()},
                        "'" + table.files().front() + "' has no column of the other side");
      schema = schema.subset(there);
    }
    std::string label = columns.label.empty() ? like->label() : columns.label;
    if (columns.label.empty() && !label.empty() && !table.has(label)) label.clear();
    Plan plan = plan_scoring(table, schema, label, columns.weight);
    plan.schema = plan.schema.with_label(label);
    plan.one_class = label.empty();
    return plan;
  }

  const Context& context_;
  std::string path_;
  InputOptions input_;
  std::optional<StatisticsFile> sums_;
};

/// What both have, where --common asks for it.
void keep_common(StatisticsFile& before, StatisticsFile& after) {
  const auto names = common_columns(before.statistics.schema(), after.statistics.schema());
  before.statistics = with_columns(before.statistics, names);
  after.statistics = with_columns(after.statistics, names);
}

/// The columns of a second table that the first lacks: it has all of the first's.
void require_no_more_columns(const Context& context, const Schema& schema,
                             const std::string& path) {
  InputOptions input = context.options.input;
  input.paths = {path};
  Table table(input, context.execution);
  if (table.is_sparse()) return;
  const ColumnOptions& options = context.options.columns;
  if (!options.features.empty() || !options.ignore.empty()) return;
  std::vector<std::string> more;
  for (const SourceColumn& column : table.columns())
    if (std::ranges::find(schema.columns(), column.name) == schema.columns().end() &&
        column.name != options.label && column.name != options.weight &&
        column.name != table.own_label())
      more.push_back(column.name);
  if (!more.empty())
    throw FileError({.path = path},
                    "'" + path + "' has columns that the old side lacks: " + list_for_message(more),
                    "--common compares what both have");
}

}  // namespace

void check_drift(const Command& command) {
  if (command.options.input.paths.size() == 2 &&
      command.options.input.paths[0] == command.options.input.paths[1] &&
      command.options.input.paths[0] != "-")
    throw UsageError("OLD and NEW are the same file '" + command.options.input.paths[0] + "'",
                     "compare two files");
  require_no_found_transforms(command);
}

void compare_files(const Context& context) {
  const Options& options = context.options;
  const std::string &old_path = options.input.paths[0], &new_path = options.input.paths[1];
  Side before(context, old_path), after(context, new_path);
  const bool both_tables = before.is_table() && after.is_table();
  if (before.is_table())
    before.read(after.is_table() ? nullptr : &after.schema(), options.drift.common);
  if (after.is_table()) {
    if (both_tables && !options.drift.common && new_path != "-")
      require_no_more_columns(context, before.schema(), new_path);
    after.read(&before.schema(), options.drift.common);
  }
  StatisticsFile old_sums = before.take(), new_sums = after.take();
  if (options.drift.common) keep_common(old_sums, new_sums);
  const auto rows_of = [](const StatisticsFile& file) { return file.rows ? &*file.rows : nullptr; };
  DriftOptions wanted = options.drift.options;
  wanted.seed = options.seed;
  std::optional<Drift> found;
  try {
    found = drift({old_sums.statistics, rows_of(old_sums)},
                  {new_sums.statistics, rows_of(new_sums)}, wanted, context.execution);
  } catch (const InvalidArgument& error) {
    throw FileError(
        {.path = new_path},
        "'" + old_path + "' and '" + new_path + "' cannot be compared: " + error.sentence(),
        error.advice().empty() && !options.drift.common
            ? Sentence("--common compares the columns that both have")
            : error.advice());
  }
  if (options.json)
    context.terminal.print(dump(to_json(drift_figures(*found))));
  else
    context.terminal.print(drift_text(context, *found));
  if (!options.drift.fail_above) return;
  if (!found->joint)
    throw InvalidArgument(
        "--fail-above is about all columns together, which are not compared here: " +
            found->notes.back(),
        "leave it out, or look at 'flagged' of --json");
  const double auc = std::max(found->joint->auc, found->joint->auc_quadratic);
  if (found->joint->found && auc > *options.drift.fail_above) throw Alarm();
}

}  // namespace suffice::cli
