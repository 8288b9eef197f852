#include "cli/verbs/table_rows.hpp"

#include <cmath>
#include <utility>

#include "cli/verbs/files.hpp"
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

namespace {

/// Rows that are kept take that many bytes at most.
constexpr double most_kept_bytes = 1e9;

double bytes_of(const Rows& rows) {
  const Layout& layout = rows.layout();
  return static_cast<double>(rows.capacity()) * static_cast<double>(layout.numbers) * 8 +
         static_cast<double>(rows.size()) * static_cast<double>(layout.texts) * 32 +
         static_cast<double>(rows.sparse().value.size()) * 16;
}

double rows_without_label(const Plan& plan, const Rows& rows) {
  if (plan.label < 0) return 0;
  return static_cast<double>(rows.texts()[static_cast<std::size_t>(plan.label)].missing());
}

}  // namespace

TableRows::TableRows(const Context& context)
    : TableRows(context, context.options.input,
                [&](Table& table) { return plan_of(context, table); }) {}

TableRows::TableRows(const Context& context, InputOptions input,
                     const std::function<Plan(Table& table)>& plan)
    : context_(context), input_(std::move(input)) {
  require_folder(context.options.output);
  table_.emplace(input_, context.execution);
  files_ = table_->files();
  require_not_an_input(files_, context.options.output);
  is_sparse_ = table_->is_sparse();
  plan_ = plan(*table_);
  keep_columns(plan_, *table_, context.options.kept_columns);
  if (const auto once = cli::read_only_once(input_, context.execution.stop)) once_ = called(*once);
}

std::optional<std::string> TableRows::read_only_once() const {
  return kept_.empty() ? once_ : std::nullopt;
}

RowCounts TableRows::read(const Reading& reading, const Use& use) {
  if (!kept_.empty() && reading.schema.columns() == plan_.schema.columns())
    return read_kept(reading, use);
  std::optional<Table> table;
  const bool is_first = table_.has_value();
  if (is_first) {
    table.swap(table_);
  } else {
    table.emplace(input_, context_.execution);
  }
  Plan plan = is_first ? plan_ : plan_again(*table, reading.schema);
  table->select(plan.selection);
  RowCounts counts;
  std::vector<Rows> kept;
  double bytes = is_first && reading.often ? 0 : HUGE_VAL;  // of those that are kept
  for (Rows rows = table->make_rows(); table->next(rows);) {
    bytes += bytes_of(rows);
    if (bytes <= most_kept_bytes)
      kept.push_back(rows);
    else
      kept.clear();
    const double unlabelled = rows_without_label(plan, rows);
    counts.unlabelled += unlabelled;
    if (unlabelled > 0 && !reading.unlabelled) drop_unlabelled(plan, rows);
    hand_over(plan, rows, use);
    if (reading.what.empty()) continue;
    const Extent extent = table->extent();
    context_.terminal.progress(reading.what, {extent.done, extent.total, table->rows_read()});
  }
  if (!reading.what.empty()) context_.terminal.end_progress();
  counts.rows = static_cast<double>(table->rows_read());
  if (!is_first) return counts;
  require_labelled_rows(*table, plan, counts.unlabelled);
  kept_ = std::move(kept);
  kept_counts_ = counts;
  return counts;
}

void TableRows::hand_over(const Plan& plan, const Rows& rows, const Use& use) {
  at_hand_ = &rows;
  with_places(rows, [&] {
    use(view(plan, rows),
        plan.fold < 0 ? Column() : rows.texts()[static_cast<std::size_t>(plan.fold)].column());
  });
}

RowCounts TableRows::read_kept(const Reading& reading, const Use& use) {
  for (const Rows& rows : kept_) {
    if (context_.execution.stop.stop_requested()) throw Cancelled();
    if (reading.unlabelled || rows_without_label(plan_, rows) == 0) {
      hand_over(plan_, rows, use);
    } else {
      Rows labelled = rows;
      drop_unlabelled(plan_, labelled);
      hand_over(plan_, labelled, use);
    }
  }
  return kept_counts_;
}

Plan TableRows::plan_again(Table& table, const Schema& schema) const {
  const ColumnOptions& columns = context_.options.columns;
  Plan plan = plan_scoring(table, schema, schema.label(), columns.weight, columns.fold);
  plan.one_class = columns.unlabelled;
  keep_columns(plan, table, context_.options.kept_columns);
  return plan;
}

}  // namespace suffice::cli
