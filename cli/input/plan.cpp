#include "cli/input/plan.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cli/line/error.hpp"
#include "cli/line/suggest.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {
namespace {

[[noreturn]] void no_column(Table& table, const std::string& name, const std::string& flag) {
  const std::string& file = table.files().front();
  std::string message = flag + ": " + called(file) + " has no column '" + name + "'.";
  message += did_you_mean(name, names_of(table.columns()));
  // A table without a line of names shows by its numbers.
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.-+eE") == std::string::npos;
  };
  const std::vector<std::string> names = names_of(table.columns());
  if (std::count_if(names.begin(), names.end(), is_number) * 2 > std::ssize(names))
    message += " The first line seems to be a row: with --no-header the columns are x0, x1, …";
  throw FileError({.path = file}, message);
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, name); });
}

/// The index of a data frame is left out by default; --features or --family can name it.
bool is_left_out(const std::string& name, const ColumnOptions& options) {
  const auto is_named = [&](const auto& rules, auto pattern_of) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const auto& rule) { return pattern_of(rule) == name; });
  };
  return is_index_column(name) &&
         !is_named(options.features, [](const std::string& pattern) { return pattern; }) &&
         !is_named(options.families, [](const auto& rule) { return rule.first; });
}

/// Every pattern must mean something, or it was misspelt.
void require_used(Table& table, const std::vector<std::string>& patterns, const std::string& flag) {
  for (const std::string& pattern : patterns)
    if (std::none_of(table.columns().begin(), table.columns().end(),
                     [&](const SourceColumn& column) { return matches(pattern, column.name); }))
      no_column(table, pattern, flag);
}

std::unordered_set<std::string_view> names_there(Table& table) {
  std::unordered_set<std::string_view> names;
  for (const SourceColumn& column : table.columns()) names.insert(column.name);
  return names;
}

/// The slots for a schema's columns, then the label's and the weight's.
class Slots {
 public:
  explicit Slots(const Table& table) : table_(table), sparse_(table.is_sparse()) {}

  void add_columns(Plan& plan, bool is_fixed) {
    const Schema& schema = plan.schema;
    if (sparse_) return add_sparse(plan);
    for (Index j = 0; j < schema.column_count(); ++j) {
      Target target;
      if (schema.has_strings(j)) {
        target = {Target::Kind::text, layout_.texts++};
      } else {
        target = {.kind = Target::Kind::number,
                  .slot = layout_.numbers++,
                  .words = schema.reader(j).family == Family::bernoulli,
                  .is_fixed = is_fixed};
      }
      plan.columns.push_back(target);
      plan.selection.targets.emplace_back(schema.reader(j).column(), target);
    }
  }
  void add_label(Plan& plan, const std::string& column) {
    plan.label = layout_.texts++;
    plan.selection.targets.emplace_back(column, Target{Target::Kind::text, plan.label});
  }
  void add_weight(Plan& plan, const std::string& column) {
    plan.weight = layout_.numbers++;
    plan.selection.targets.emplace_back(
        column, Target{.kind = Target::Kind::number, .slot = plan.weight, .is_fixed = true});
  }
  void add_fold(Plan& plan, const std::string& column) {
    plan.fold = layout_.texts++;
    plan.selection.targets.emplace_back(column, Target{Target::Kind::text, plan.fold});
  }
  void finish(Plan& plan) const {
    plan.selection.layout = layout_;
    plan.selection.block_rows = rows_per_block(plan.schema, sparse_);
  }

 private:
  /// Indices are columns as they are, unless the schema has others, or another order.
  void add_sparse(Plan& plan) {
    layout_.sparse = plan.schema.column_count();
    std::vector<std::int32_t> slots;
    bool same = true;
    for (Index j = 0; j < layout_.sparse; ++j) {
      const std::optional<Index> index = table_.sparse_index(plan.schema.reader(j).column());
      same = same && index == j;
      if (!index) continue;
      if (*index >= std::ssize(slots)) slots.resize(static_cast<std::size_t>(*index) + 1, -1);
      slots[static_cast<std::size_t>(*index)] = static_cast<std::int32_t>(j);
    }
    if (!same) plan.selection.slots = std::move(slots);
  }

  const Table& table_;
  bool sparse_;
  Layout layout_;
};

/// The column with the labels, as --label, the format or --labels has it.
std::string label_column(Table& table, const std::string& wanted) {
  if (!table.own_label().empty()) {
    // A name that is no column of the table is what the labels of the file beside it are called.
    const bool is_other = !wanted.empty() && wanted != table.own_label() && table.has(wanted);
    return is_other ? wanted : table.own_label();
  }
  if (!table.has(wanted)) no_column(table, wanted, "--label");
  return wanted;
}

Family family_of(Table& table, const SourceColumn& column, const ColumnOptions& options) {
  for (auto rule = options.families.rbegin(); rule != options.families.rend(); ++rule)
    if (matches(rule->first, column.name)) return rule->second;
  if (column.kind == CellKind::unsupported)
    throw FileError({.path = table.files().front()},
                    "column '" + column.name + "' of '" + table.files().front() +
                        "' has the type " + column.type + ", which no family describes",
                    "leave it out with --ignore '" + column.name + "', or convert it");
  return column.kind == CellKind::text ? Family::categorical : Family::gaussian;
}

/// Numbers only: words and counts have no logarithm here. What is found by the rows is none at
/// first.
Transform transform_of(Table& table, const Feature& feature, const ColumnOptions& options) {
  for (auto rule = options.transforms.rbegin(); rule != options.transforms.rend(); ++rule) {
    if (!matches(rule->first, feature.name)) continue;
    const Transform transform = rule->second.value_or(Transform::none);
    if (feature.family == Family::gaussian || transform == Transform::none) return transform;
    if (rule->first != feature.name) continue;  // a pattern means the numbers that it matches
    throw FileError({.path = table.files().front()},
                    "--transform: column '" + feature.name + "' of '" + table.files().front() +
                        "' is " + std::string(to_string(feature.family)),
                    "only columns of numbers (gaussian) are transformed");
  }
  return Transform::none;
}

/// A column has one place to go.
void require_no_feature(const Schema& schema, const std::string& column, const std::string& flag) {
  for (Index j = 0; j < schema.column_count(); ++j)
    if (schema.reader(j).column() == column)
      throw InvalidArgument(flag + ": column '" + column + "' is one of the features of the model",
                            "name another one");
}

}  // namespace

Plan plan_training(Table& table, const ColumnOptions& options) {
  const std::string label = options.unlabelled ? "" : label_column(table, options.label);
  if (!options.weight.empty() && !table.has(options.weight))
    no_column(table, options.weight, "--weight");
  if (!options.fold.empty() && !table.has(options.fold))
    no_column(table, options.fold, "--fold-column");
  if (!label.empty() && (options.weight == label || options.fold == label))
    throw FileError({.path = table.files().front()},
                    "column '" + label + "' cannot be both the label and the " +
                        (options.fold == label ? "fold" : "weight"));
  require_used(table, options.features, "--features");
  require_used(table, options.ignore, "--ignore");
  std::vector<std::string> patterns;
  for (const auto& [pattern, family] : options.families) patterns.push_back(pattern);
  require_used(table, patterns, "--family");
  patterns.clear();
  for (const auto& [pattern, transform] : options.transforms) patterns.push_back(pattern);
  require_used(table, patterns, "--transform");

  Plan plan;
  std::vector<Feature> features;
  features.reserve(table.columns().size());
  for (const SourceColumn& column : table.columns()) {
    if ((!label.empty() && column.name == label) || column.name == options.weight ||
        column.name == options.fold || column.name == table.own_label())
      continue;
    if ((!options.features.empty() && !any_matches(options.features, column.name)) ||
        any_matches(options.ignore, column.name) || is_left_out(column.name, options)) {
      plan.skipped.push_back(column.name);
      continue;
    }
    features.push_back({column.name, family_of(table, column, options)});
    plan.chosen.push_back(
        std::any_of(options.families.begin(), options.families.end(),
                    [&](const auto& rule) { return matches(rule.first, column.name); }));
    features.back().transform = transform_of(table, features.back(), options);
    if (features.back().family == Family::text) features.back().text = options.text;
  }
  if (!options.text_flag.empty() &&
      std::ranges::none_of(features, [](const Feature& f) { return f.family == Family::text; }))
    throw FileError({.path = table.files().front()},
                    options.text_flag + " is for text columns, and " +
                        called(table.files().front()) + " has none",
                    "use --family COLUMN=text for the column that has the documents");
  if (features.empty())
    throw FileError({.path = table.files().front()},
                    called(table.files().front()) + " has no column left to learn from" +
                        (label.empty() ? "" : " beside '" + label + "'"));
  plan.schema =
      Schema(std::move(features)).with_label(options.label.empty() ? label : options.label);
  Slots slots(table);
  slots.add_columns(plan, false);
  plan.one_class = options.unlabelled;
  if (!plan.one_class) slots.add_label(plan, label);
  if (!options.weight.empty()) slots.add_weight(plan, options.weight);
  if (!options.fold.empty()) slots.add_fold(plan, options.fold);
  slots.finish(plan);
  return plan;
}

void require_columns(Table& table, const Schema& schema) {
  if (table.is_sparse()) {  // a column that is absent is all 0, but not all of them
    const auto is_there = [&](Index j) {
      return table.sparse_index(schema.reader(j).column()).has_value();
    };
    Index first = 0;
    while (first < schema.column_count() && !is_there(first)) ++first;
    if (first == schema.column_count())
      throw FileError({.path = table.files().front()},
                      called(table.files().front()) + " has none of the model's columns, " +
                          list_for_message(schema.columns()),
                      Option{"names"} + " gives the columns of a LIBSVM file their names");
    return;
  }
  const std::unordered_set<std::string_view> there = names_there(table);
  std::vector<std::string> absent;
  for (const std::string& name : schema.columns())
    if (!there.contains(name)) absent.push_back(name);
  if (absent.size() == 1) no_column(table, absent.front(), "the model's columns");
  if (!absent.empty())
    throw FileError({.path = table.files().front()},
                    called(table.files().front()) + " lacks " + std::to_string(absent.size()) +
                        " of the model's " + std::to_string(schema.columns().size()) +
                        " columns: " + list_for_message(absent) + ". It has " +
                        list_for_message(names_of(table.columns())));
}

Plan plan_scoring(Table& table, const Schema& schema, const std::string& label,
                  const std::string& weight, const std::string& fold, bool is_fixed) {
  require_columns(table, schema);
  Plan plan;
  plan.schema = schema;
  plan.chosen.assign(static_cast<std::size_t>(schema.column_count()), true);
  Slots slots(table);
  slots.add_columns(plan, is_fixed);
  if (!label.empty()) {
    const std::string column = label_column(table, label);
    require_no_feature(schema, column, "--label");
    slots.add_label(plan, column);
  }
  if (!weight.empty()) {
    if (!table.has(weight)) no_column(table, weight, "--weight");
    require_no_feature(schema, weight, "--weight");
    slots.add_weight(plan, weight);
  }
  if (!fold.empty()) {
    if (!table.has(fold)) no_column(table, fold, "--fold-column");
    require_no_feature(schema, fold, "--fold-column");
    slots.add_fold(plan, fold);
  }
  slots.finish(plan);
  return plan;
}

void keep_columns(Plan& plan, Table& table, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return;
  if (table.is_sparse())
    throw FileError({.path = table.files().front()},
                    "--keep: " + called(table.files().front()) + " has no columns to keep",
                    "a sparse table has numbered features only");
  require_used(table, patterns, "--keep");
  for (const SourceColumn& column : table.columns()) {
    if (!any_matches(patterns, column.name)) continue;
    auto& targets = plan.selection.targets;
    const auto used = std::find_if(targets.begin(), targets.end(),
                                   [&](const auto& target) { return target.first == column.name; });
    if (used == targets.end()) {
      const Index slot = plan.selection.layout.texts++;
      targets.emplace_back(column.name,
                           Target{.kind = Target::Kind::text, .slot = slot, .verbatim = true});
      plan.kept.push_back(targets.back());
    } else {
      plan.kept.push_back(*used);
    }
  }
}

Index drop_unlabelled(const Plan& plan, Rows& rows) {
  if (plan.label < 0) return 0;
  const TextColumn& labels = rows.texts()[plan.label];
  const Index missing = labels.missing();
  if (missing == 0) return 0;
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(rows.size()));
  for (Index i = 0; i < rows.size(); ++i) keep[i] = !labels.is_missing(i);
  rows.keep_only(keep);
  return missing;
}

RowBlock view(const Plan& plan, const Rows& rows) {
  RowBlock block(rows.size());
  const Index stride = plan.selection.layout.numbers;
  if (plan.selection.layout.sparse > 0) {
    const SparseRows& sparse = rows.sparse();
    block.features(SparseView(rows.size(), plan.selection.layout.sparse, sparse.row_start.data(),
                              sparse.column.data(), sparse.value.data()));
  } else {
    // Neighbouring numbers are one matrix.
    for (std::size_t j = 0; j < plan.columns.size();) {
      const Target& first = plan.columns[j];
      if (first.kind == Target::Kind::text) {
        block.feature(rows.texts()[first.slot].column());
        ++j;
        continue;
      }
      Index count = 0;
      for (; j < plan.columns.size() && plan.columns[j].kind == Target::Kind::number; ++j) ++count;
      block.features(MatrixView(rows.numbers(0) + first.slot, rows.size(), count, stride));
    }
  }
  if (plan.label >= 0) block.labels(rows.texts()[plan.label].column());
  if (plan.one_class) {
    static constexpr std::int32_t code = 0;
    static const std::vector<std::string> name = {"inlier"};
    block.labels(Column(&code, rows.size(), Strings(name), {}, 0));
  }
  if (plan.weight >= 0) block.weights(Column(rows.numbers(0) + plan.weight, rows.size(), stride));
  return block;
}

}  // namespace suffice::cli
