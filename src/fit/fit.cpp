#include "suffice/fit/fit.hpp"

#include <string>
#include <utility>

#include "fit/advice.hpp"
#include "fit/choice.hpp"
#include "fit/columns.hpp"
#include "fit/densities.hpp"
#include "fit/fallbacks.hpp"
#include "fit/held_out.hpp"
#include "fit/training.hpp"
#include "fit/usable_columns.hpp"

namespace suffice {
namespace {

/// Throws InvalidArgument where the options need more than there is after the first pass.
void require_possible(const FitOptions& options, const Gathered& gathered) {
  if (!gathered.source)
    return require_possible(options, gathered.sample ? Material::sample : Material::sums);
  const std::optional<std::string> once = gathered.source->read_only_once();
  require_possible(options, once ? Material::rows_once : Material::rows, once.value_or(""));
}

/// Refuses data without anything to learn from: columns that have no value, where these are not
/// left out.
void require_something_to_learn(const Statistics& statistics, bool may_lack_values) {
  const double rows = statistics.weights().map().sum();
  if (!(rows > 0)) throw DataError("no row has a weight above 0");
  if (may_lack_values) return;
  const Vector missing = statistics.missing();
  std::vector<std::string> empty;
  for (Index j = 0; j < missing.size(); ++j)
    if (missing[j] >= rows) empty.push_back(statistics.schema().feature(j).name);
  if (!empty.empty())
    throw DataError({.features = std::move(empty)}, "there is no value in any row",
                    "leave them out with " + Sentence(Option{"ignore"}));
}

/// A model of one class knows how usual a row is. Returns whether it is one.
bool is_of_one_class(Training& training) {
  const Statistics& statistics = training.statistics();
  if (statistics.labels().size() != 1) return false;
  if (const std::optional<Sentence> wish = needs_classes(training.options))
    throw InvalidArgument(*wish + " is about telling classes apart, and there is one class only",
                          "leave it out");
  if (!statistics.schema().label().empty())
    training.warn("all rows have the label '" + statistics.labels()[0] +
                  "': the model has one class, so it finds outliers (predict " + Option{"outlier"} +
                  ") and tells no classes apart");
  return true;
}

/// What was asked for and changes nothing, whatever the rows.
void warn_of_idle_options(Training& training) {
  const EstimateOptions& given = training.options.estimate;
  if (training.options.chooses() || given.discriminative) return;
  const EstimateOptions used = resolve(given);
  if (given.shrinkage && given.shrinkage->kind() == Shrinkage::Kind::share &&
      given.shrinkage != used.shrinkage)
    training.warn(
        Option{"shrinkage", to_string(*given.shrinkage)} + Sentence(" changes nothing: ") +
        Option{"covariance", std::string(to_string(given.covariance))} + " is its own target");
  if (given.standardize != used.standardize)
    training.warn(Option{"standardize"} + Sentence(" changes nothing without ") + Option{"pca"});
  if (given.normalize != used.normalize && !given.shrink_means)
    training.warn(Option{"normalize", std::string(to_string(given.normalize))} +
                  Sentence(" has no effect together with a prior; it is for ") +
                  Option{"shrinkage", "0"});
}

}  // namespace

Fit fit(Gathered gathered, const FitOptions& options, const Execution& execution) {
  require_possible(options, gathered);
  FitOptions seeded = options;
  seeded.passes.seed = options.seed;
  Training training{std::move(gathered),
                    seeded,
                    {.threads = execution.threads, .stop = execution.stop, .pool = execution.pool}};
  const Statistics& statistics = training.statistics();
  const bool any_model = takes_any_model(options);
  require_something_to_learn(statistics, any_model);
  require_possible(seeded.passes);
  if (any_model) leave_out_empty_columns(training);
  const bool one_class = is_of_one_class(training);
  put_categories_within(training);
  add_missing_indicators(training);
  if (any_model) fill_gaps(training);
  warn_of_idle_options(training);

  EstimateOptions given = options_without_choice(options, statistics);
  const auto strength = chosen_strength(training);
  if (strength) given.shrinkage = strength->shrinkage;
  const auto threshold = chosen_threshold(training, given);
  if (threshold) given.shrink_means = threshold->delta;
  std::optional<Choice> choice;
  std::optional<ColumnChanges> columns;
  std::optional<MixtureFit> mixture;
  const auto model_of_rows = [&] {
    if (!one_class) {
      choice = chosen_model(training);
      columns = find_better_columns(training, choice);
    }
    if (options.mixes()) {
      mixture = mixture_of(training, choice ? choice->options : given);
      // Where one component serves every class, it is the model that was chosen.
      if (mixture->model.mixture() || options.use_unlabelled) return mixture->model;
      given.components = 1;
    }
    if (given.discriminative) return discriminative_model(training, given);
    return choice ? choice->model(statistics, training.execution)
                  : estimate_with_missing(training, given);
  };
  Model model = any_model && !one_class ? any_model_of(training, choice, model_of_rows)
                                        : with_tried_advice(training, given, model_of_rows);
  if (choice) note_choice(training, *choice);
  const auto calibration = calibrate(training, model);
  Gathered& all = training.gathered;
  return {.model = std::move(model),
          .statistics = std::move(all.statistics),
          .rows = all.rows,
          .unlabelled_rows = all.unlabelled_rows,
          .strength = strength,
          .threshold = threshold,
          .choice = std::move(choice),
          .columns = std::move(columns),
          .calibration = calibration,
          .mixture = std::move(mixture),
          .remarks = std::move(all.remarks),
          .notes = std::move(all.notes)};
}

Fit fit(RowSource& rows, const FitOptions& options, const Execution& execution) {
  return fit(gather_for(rows, options, execution), options, execution);
}

Fit fit(Statistics statistics, const FitOptions& options, const Execution& execution) {
  const double rows = statistics.weights().map().sum();
  return fit(Gathered{.statistics = std::move(statistics), .rows = rows}, options, execution);
}

}  // namespace suffice
