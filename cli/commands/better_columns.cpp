#include "cli/commands/better_columns.hpp"

#include <utility>
#include <vector>

#include "cli/input/table.hpp"
#include "cli/line/suggest.hpp"
#include "cli/output/text.hpp"
#include "suffice/evaluate/variants.hpp"

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
        is_free(feature))
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

/// From the rows that were kept, which are all.
Training learned_again(const Training& training, const Schema& schema, Scatter scatter,
                       const Execution& execution) {
  Training again = training;
  again.statistics = Statistics(schema, {.scatter = scatter});
  again.statistics.update(training.sample->rows(), execution);
  return again;
}

}  // namespace

void find_better_columns(const Context& context, Training& training,
                         std::optional<Choice>& chosen) {
  const Options& options = context.options;
  const bool asked = options.columns.finds_transforms();
  if (!training.sample || !options.columns.like.empty() || (!chosen && !asked)) return;
  const Schema& schema = training.statistics.schema();
  const VariantOptions variants{.transformable = transformable_columns(schema, options.columns)};
  const double labelled = training.rows - training.unlabelled_rows;
  const bool has_all_rows = static_cast<double>(training.sample->size()) == labelled;
  if (const auto once = read_only_once(options.input); once && !has_all_rows) {
    if (asked)
      context.terminal.note(
          "Columns stay as they are: --transform auto reads DATA a second time, "
          "which " +
          called(*once) + " does not allow (it is no file).");
    return;
  }
  const ChooseOptions candidates = chosen ? choose_options(options) : options_of_flags(options);
  const Choice choice =
      chosen ? *chosen
             : choose(training.statistics, *training.sample, candidates, context.execution);
  const BetterSchema better = better_schema(training.statistics, *training.sample, choice, variants,
                                            candidates, context.execution);
  if (!better.is_other()) return;
  Training again = has_all_rows
                       ? learned_again(training, better.schema, scatter_for(options, better.schema),
                                       context.execution)
                       : read_training(context, better.schema);
  Choice other = choose(again.statistics, *again.sample, candidates, context.execution);
  if (!other.best() || !(other.best()->log_loss < choice.best()->log_loss)) return;
  again.better_columns = {better.words, choice.best()->log_loss, other.best()->log_loss};
  training = std::move(again);
  if (chosen) chosen = std::move(other);
}

std::string better_columns_in_words(const Training& training) {
  if (!training.better_columns) return {};
  const auto& [changes, before, after] = *training.better_columns;
  std::string text;
  for (const std::string& change : changes) text += (text.empty() ? "" : "; ") + change;
  return text + ": leave-one-out log-loss " + rounded(after) + " instead of " + rounded(before) +
         "\n";
}

void add_better_columns(Json& json, const Training& training) {
  if (!training.better_columns) return;
  const auto& [changes, before, after] = *training.better_columns;
  json["better_columns"] = {
      {"changes", changes}, {"log_loss_before", to_json(before)}, {"log_loss", to_json(after)}};
}

}  // namespace suffice::cli
