#include "cli/verbs/better_columns.hpp"

#include <utility>
#include <vector>

#include "cli/input/table.hpp"
#include "cli/line/suggest.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/missing.hpp"
#include "suffice/select/variants.hpp"
#include "suffice/stats/indicators.hpp"

namespace suffice::cli {
namespace {

/// Columns of numbers whose transformation nobody named.
std::vector<Index> transformable_columns(const Schema& schema, const ColumnOptions& columns) {
  const auto is_free = [&](const Feature& feature) {
    for (auto rule = columns.transforms.rbegin(); rule != columns.transforms.rend(); ++rule)
      if (matches(rule->first, feature.name)) return !rule->second;
    return columns.transforms.empty();
  };
  std::vector<Index> result;
  for (Index j = 0; j < schema.size(); ++j) {
    const Feature& feature = schema.feature(j);
    if (feature.family == Family::gaussian && feature.transform == Transform::none &&
        !feature.indicator && is_free(feature))
      result.push_back(j);
  }
  return result;
}

/// The model of the flags is the only candidate.
ChooseOptions options_of_flags(const Options& options) {
  ChooseOptions result{.fixed = {}, .given = options.estimate};
  for (const EstimateOption& option : estimate_options()) result.fixed.emplace_back(option.name);
  return result;
}

/// From the rows that were kept, if these are all.
Statistics statistics_again(const Context& context, const Training& training,
                            const Schema& schema) {
  if (!has_all_rows(training))
    return read_training(context, purpose_of_fit(context.options), schema).statistics;
  Statistics statistics(
      schema, {.scatter = scatter_for(context.options, schema, purpose_of_fit(context.options),
                                      training.sample->size())});
  statistics.update(training.sample->rows(), context.execution);
  return statistics;
}

/// Columns that stay apart though indicators were asked for.
void note_columns_apart(const Indicators& found, Terminal& terminal) {
  if (!found.too_many.empty())
    terminal.note("Categorical columns with too many levels (400 in all are allowed) stay apart: " +
                  list_for_message(found.too_many) + ".");
  if (!found.too_few.empty())
    terminal.note("Categorical columns with a single level stay apart: " +
                  list_for_message(found.too_few) + ".");
}

/// Where categories could be put within: not with --like, whose columns are given.
bool tries_categories(const Options& options, bool chooses) {
  using enum ColumnOptions::Categories;
  return options.columns.categories.value_or(chooses ? automatic : apart) == automatic;
}

}  // namespace

void put_categories_within(const Context& context, Training& training) {
  const Options& options = context.options;
  if (options.columns.categories != ColumnOptions::Categories::within) return;
  const Indicators found = indicators_of(training.statistics);
  note_columns_apart(found, context.terminal);
  if (found.columns.empty()) return;
  if (const auto once = read_only_once(options.input, context.execution.stop);
      once && !has_all_rows(training))
    throw FileError({.path = *once},
                    "--categories within reads DATA a second time, which " + called(*once) +
                        " does not allow (it is no file)",
                    "write it to a file first");
  training.statistics = statistics_again(context, training, found.schema);
}

void find_better_columns(const Context& context, Training& training,
                         std::optional<Choice>& chosen) {
  const Options& options = context.options;
  const bool asked = options.columns.compares();
  if (!training.sample || !options.columns.like.empty() || (!chosen && !asked)) return;
  const Schema& schema = training.statistics.schema();
  ChangeableColumns columns{.categories = tries_categories(options, chosen.has_value())};
  if (chosen || options.columns.finds_transforms())
    columns.transformable = transformable_columns(schema, options.columns);
  if (const auto once = read_only_once(options.input, context.execution.stop);
      once && !has_all_rows(training)) {
    if (asked)
      context.terminal.note(
          "Columns stay as they are: " +
          std::string(options.columns.finds_transforms() ? "--transform" : "--categories") +
          " auto reads DATA a second time, which " + called(*once) +
          " does not allow (it is no file).");
    return;
  }
  ChooseOptions candidates = chosen ? choose_options(options) : options_of_flags(options);
  candidates.missing = missing_options(context, training);
  const Choice choice =
      chosen ? *chosen
             : choose(training.statistics, *training.sample, candidates, context.execution);
  ChosenColumns found = choose_columns(
      training.statistics, *training.sample, choice, columns,
      [&](const Schema& other) { return statistics_again(context, training, other); }, candidates,
      context.execution);
  if (found.changes.empty()) return;
  training.better_columns = {std::move(found.changes), choice.best()->log_loss,
                             found.choice.best()->log_loss, found.choice.sample_folds > 0};
  training.statistics = std::move(found.statistics);
  if (chosen) chosen = std::move(found.choice);
}

std::string better_columns_in_words(const Training& training) {
  if (!training.better_columns) return {};
  const auto& [changes, before, after, in_folds] = *training.better_columns;
  std::string text;
  for (const std::string& change : changes) text += (text.empty() ? "" : "; ") + change;
  return text + (in_folds ? ": log-loss of folds " : ": leave-one-out log-loss ") + rounded(after) +
         " instead of " + rounded(before) + "\n";
}

void add_better_columns(Json& json, const Training& training) {
  if (!training.better_columns) return;
  const auto& [changes, before, after, in_folds] = *training.better_columns;
  json["better_columns"] = {
      {"changes", changes}, {"log_loss_before", to_json(before)}, {"log_loss", to_json(after)}};
}

}  // namespace suffice::cli
