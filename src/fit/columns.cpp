#include "fit/columns.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fit/some_columns.hpp"
#include "suffice/core/names.hpp"
#include "suffice/select/variants.hpp"
#include "suffice/stats/indicators.hpp"

namespace suffice {
namespace {

/// What the options allow to change. Where the model is chosen, all that nobody has named.
ChangeableColumns changeable_columns(const Training& training, bool chosen) {
  const FitOptions& options = training.options;
  const Schema& schema = training.statistics().schema();
  ChangeableColumns result;
  const auto fallback = chosen ? Categories::automatic : Categories::apart;
  result.categories = options.categories.value_or(fallback) == Categories::automatic &&
                      std::ranges::any_of(schema.features(), [](const Feature& feature) {
                        return feature.family == Family::categorical;
                      });
  const bool in_components = !options.estimate.components.is_one() || options.start;
  const auto by_default =
      chosen && !in_components ? MissingIndicators::automatic : MissingIndicators::no;
  result.missing_indicators =
      options.missing_indicators.value_or(by_default) == MissingIndicators::automatic &&
      !training.source()->is_sparse() &&
      !columns_with_missing_values(training.statistics()).empty();
  const auto& wanted = options.find_transforms;
  if (!wanted && !chosen) return result;
  for (Index j = 0; j < schema.size(); ++j) {
    const Feature& feature = schema.feature(j);
    if (feature.family == Family::gaussian && feature.transform == Transform::none &&
        !feature.indicator && (!wanted || std::ranges::count(*wanted, feature.name) > 0))
      result.transformable.push_back(j);
  }
  return result;
}

/// The model of the options is the only candidate.
ChooseOptions options_as_they_are(const FitOptions& options) {
  ChooseOptions result{.fixed = {}, .given = options.estimate};
  for (const EstimateOption& option : estimate_options()) result.fixed.emplace_back(option.name);
  return result;
}

/// Columns that stay apart though indicators were asked for.
void note_columns_apart(const Indicators& found, Training& training) {
  if (!found.too_many.empty())
    training.note("Categorical columns with too many levels (400 in all are allowed) stay apart: " +
                  list_for_message(found.too_many) + ".");
  if (!found.too_few.empty())
    training.note("Categorical columns with a single level stay apart: " +
                  list_for_message(found.too_few) + ".");
}

/// What cannot be read again, where it cannot.
std::optional<std::string> gone_rows(const Training& training) {
  return training.gathered.has_all_rows() ? std::nullopt : training.source()->read_only_once();
}

/// The statistics become those under another schema, for which `option` asks.
void read_again_under(const Schema& schema, const Option& option, Training& training) {
  if (const std::optional<std::string> once = gone_rows(training))
    throw InvalidArgument(
        option + Sentence(" reads the rows a second time, which " + *once + " does not allow"),
        "write them to a file first");
  training.gathered.statistics = training.read_again(schema);
}

}  // namespace

void put_categories_within(Training& training) {
  if (training.options.categories != Categories::within) return;
  const Indicators found = indicators_of(training.statistics());
  note_columns_apart(found, training);
  if (found.columns.empty()) return;
  read_again_under(found.schema, {"categories", "within"}, training);
}

void add_missing_indicators(Training& training) {
  if (training.options.missing_indicators != MissingIndicators::yes) return;
  const auto columns = columns_with_missing_values(training.statistics());
  if (columns.empty()) return;
  read_again_under(with_missing_indicators(training.statistics().schema(), columns),
                   {"missing_indicators", "yes"}, training);
}

std::optional<ColumnChanges> find_better_columns(Training& training,
                                                 std::optional<Choice>& choice) {
  const FitOptions& options = training.options;
  if (!training.source() || !training.gathered.sample || options.by_groups) return std::nullopt;
  const ChangeableColumns columns = changeable_columns(training, choice.has_value());
  if (columns.is_none()) return std::nullopt;
  if (const std::optional<std::string> once = gone_rows(training)) {
    if (options.compares_columns())
      training.note("Columns stay as they are: " + *needs_more_than(Material::rows_once, options) +
                    " reads the rows a second time, which " + *once + " does not allow.");
    return std::nullopt;
  }
  ChooseOptions candidates = choice ? training.choose_options() : options_as_they_are(options);
  candidates.missing = training.missing();
  const SampledRows& sample = *training.gathered.sample;
  training.gathered.source =
      std::make_shared<SomeColumns>(training.gathered.source, training.source()->schema());
  const auto read = [&](const Schema& schema) { return training.read_again(schema); };
  const Choice first =
      choice ? *choice : choose(training.statistics(), sample, candidates, training.execution);
  ChosenColumns found = choose_columns(training.statistics(), sample, first, columns, read,
                                       candidates, training.execution);
  if (found.changes.empty()) return std::nullopt;
  ColumnChanges changes{.changes = std::move(found.changes),
                        .log_loss_before = first.best()->log_loss,
                        .log_loss = found.choice.best()->log_loss,
                        .in_folds = found.choice.sample_folds > 0};
  training.gathered.statistics = std::move(found.statistics);
  if (choice) choice = std::move(found.choice);
  return changes;
}

}  // namespace suffice
