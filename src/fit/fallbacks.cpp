#include "fit/fallbacks.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/compensated_sum.hpp"
#include "core/few_digits.hpp"
#include "data/weights.hpp"
#include "estimate/rows_used.hpp"
#include "fit/choice.hpp"
#include "fit/densities.hpp"
#include "select/whole_numbers.hpp"
#include "stats/filled.hpp"
#include "suffice/data/positions.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/predict/predictor.hpp"

namespace suffice {

bool takes_any_model(const FitOptions& options) {
  const bool names_nothing = std::ranges::all_of(options.fixed, [&](const std::string& name) {
    return estimate_option(name).is_default(options.estimate);
  });
  return options.chooses() && names_nothing && !options.mixes() && !options.by_groups;
}

void fill_gaps(Training& training) {
  std::optional<Filled> found = filled(training.statistics());
  if (!found) return;
  for (Sentence& note : found->notes) training.warn(std::move(note));
  training.put_in.emplace_back(training.statistics().schema(), std::move(found->values));
  training.gathered.statistics = std::move(found->statistics);
  training.fills = true;
}

// ---- simpler models --------------------------------------------------------------------------

namespace {

/// What `attempt` makes, or nothing and why not.
template <class Attempt>
std::optional<Model> possible(Sentence& why, const Attempt& attempt) {
  try {
    return attempt();
  } catch (const SingularError& error) {
    why = error.message();
  } catch (const InvalidArgument& error) {
    why = error.message();
  } catch (const DataError& error) {  // numbers too large
    why = error.message();
  }
  return std::nullopt;
}

/// One variance for all classes, as it is.
EstimateOptions simplest_options() {
  return resolve({.covariance = Covariance::tied_diag,
                  .smoothing = Smoothing::automatic(),
                  .shrinkage = Shrinkage::none()});
}

/// Of the columns that are no numbers, or the class frequencies.
Model without_numbers(const Statistics& statistics, const Execution& execution) {
  Statistics::Parts sums = statistics.parts();
  const EstimateOptions options = simplest_options();
  Model::Parts parts{.schema = sums.schema,
                     .labels = sums.labels,
                     .weights = sums.weights,
                     .densities = {},
                     .options = options};
  bool others = false;
  for (std::size_t b = 0; b < sums.blocks.size(); ++b) {
    auto* const numbers = std::get_if<GaussianStatistics>(&sums.blocks[b]);
    if (!numbers) {
      others = true;
      continue;
    }
    const Index d = std::ssize(sums.schema.blocks()[b].features);
    *numbers = {.kind = Scatter::diagonal, .classes = {}, .pooled = {}};
    numbers->classes.resize(static_cast<std::size_t>(sums.labels.size()));
    GaussianDensity density{.structure = Covariance::tied_diag,
                            .mean = Matrix(sums.labels.size(), d),
                            .covariance = {Matrix(1, d)}};
    for (Index j = 0; j < d; ++j) density.constant.push_back(j);
    parts.densities.emplace_back(std::move(density));
  }
  return others ? estimate(Statistics(std::move(sums)), options, execution)
                : Model(std::move(parts), execution);
}

/// Columns of few whole numbers that lack some, as categories.
std::optional<SchemaVariant> codes_with_gaps(Training& training) {
  constexpr Index most_codes = 20;
  const Statistics& statistics = training.statistics();
  const Vector missing = statistics.missing();
  std::vector<Index> columns;
  for (Index j = 0; j < missing.size(); ++j)
    if (const Feature& feature = statistics.schema().feature(j);
        missing[j] > 0 && feature.family == Family::gaussian && !feature.indicator &&
        feature.transform == Transform::none)
      columns.push_back(j);
  return whole_numbers_as_categories(statistics.schema(), *training.gathered.sample, columns,
                                     most_codes);
}

Model fallback_model(Training& training, std::optional<Choice>& choice, const Sentence& why) {
  Statistics& statistics = training.gathered.statistics;
  Sentence reason = why;
  choice.reset();
  if (training.gathered.sample && training.source() && training.can_read_again()) {
    if (const auto codes = codes_with_gaps(training)) {
      const auto found = possible(reason, [&] {
        statistics = training.read_again(codes->schema);
        choice = chosen_model(training);
        if (!choice || !choice->best()) throw InvalidArgument("no model can be chosen");
        return choice->model(statistics, training.execution);
      });
      if (found) {
        training.warn(codes->words + ", since numbers with these gaps have no joint model: " + why);
        return *found;
      }
      choice.reset();
    }
  }
  if (scatter_of(statistics) != Scatter::diagonal) {
    const auto apart = possible(reason, [&] {
      statistics = with_scatter(statistics, Scatter::diagonal);
      choice = chosen_model(training);
      if (!choice)
        return estimate_with_missing(training,
                                     options_without_choice(training.options, statistics));
      return choice->model(statistics, training.execution);
    });
    if (apart) {
      training.warn("correlations have no part in the model, which is of each column by itself: " +
                    why);
      return *apart;
    }
  }
  choice.reset();
  if (const auto tied = possible(
          reason, [&] { return estimate(statistics, simplest_options(), training.execution); })) {
    training.warn("each column has the same variance in all classes: " + why);
    return *tied;
  }
  Model model = without_numbers(statistics, training.execution);
  training.warn("no number has a part in the model: " + reason);
  return model;
}

// ---- no worse than nothing -------------------------------------------------------------------

/// Log-losses of the sampled rows, each as many times as it stands for rows of the table.
struct Losses {
  double model = 0, frequencies = 0;
};

Losses losses_of(const Model& model, const SampledRows& sample, const Execution& execution) {
  const RowBlock rows = sample.rows();
  Vector memory;
  const double* const weights = read_weights(rows, memory);
  const Priors priors = Priors::from_counts(model);
  Predictor predictor(model, {.wanted = {.decisions = false, .log_posteriors = true}});
  const std::vector<Index> truth = positions(model.labels(), rows.labels());
  CompensatedSum total, of_model, of_frequencies;
  const Index at_once = std::max<Index>((Index{1} << 20) / model.labels().size(), 1);
  for (Index first = 0; first < rows.rows(); first += at_once) {
    const Index count = std::min(at_once, rows.rows() - first);
    const Predictions& answers = predictor(rows.slice(first, count), execution);
    for (Index i = 0; i < count; ++i) {
      const Index c = truth[static_cast<std::size_t>(first + i)];
      const double weight = weights[first + i] * sample.importance()[first + i];
      if (c < 0 || !(weight > 0)) continue;
      total.add(weight);
      of_model.add(-weight * answers.log_posteriors(i, c));
      of_frequencies.add(-weight * priors.log()[c]);
    }
  }
  if (!(total.value() > 0)) return {};
  return {of_model.value() / total.value(), of_frequencies.value() / total.value()};
}

Calibration scaled(const Model& model, double by) {
  Calibration result = model.calibration().value_or(Calibration());
  if (result.scale.empty()) {
    result.scale = Vector(score_parts(model.parts()));
    std::ranges::fill(result.scale, 1.0);
    result.offset = Vector(model.labels().size());
  }
  for (double& scale : result.scale) scale *= by;
  for (double& offset : result.offset) offset *= by;
  return result;
}

/// `model`, or one whose scores count less where it predicts the sampled rows badly.
Model no_worse_than_frequencies(Training& training, Model model) {
  constexpr double most = 1.05, least_share = 1e-3;
  if (!training.gathered.sample) return model;
  const auto is_good = [&](const Model& of) {
    const Losses losses = losses_of(of, *training.gathered.sample, training.execution);
    return losses.model <= most * losses.frequencies;
  };
  if (is_good(model)) return model;
  // The loss is convex in the scale, and at 0 that of the frequencies.
  for (double by = 0.5; by > least_share; by /= 2) {
    Model less = model.with_calibration(scaled(model, by));
    if (!is_good(less)) continue;
    training.warn(
        "the class frequencies predict these rows better than the model does: its "
        "scores are multiplied by " +
        name_of(few_digits(by, 2)));
    return less;
  }
  training.warn(
      "the class frequencies predict these rows better than the model does: they are its answer");
  return model.with_calibration(scaled(model, 0));
}

/// The same model, which counts as present what was, and not what stands for it.
Model with_true_counts(const Training& training, Model model) {
  const Statistics& statistics = training.statistics();
  const auto put_in = std::ranges::find(training.put_in, statistics.schema(),
                                        [](const auto& of) { return of.first; });
  if (put_in == training.put_in.end() || std::ranges::max(put_in->second) == 0) return model;
  EstimateFound found = model.parts().found;
  const double rows = statistics.weights().map().sum();
  const bool dense = is_dense(model.parts().options->covariance), em = !found.em_passes.empty();
  if (found.complete_rows.empty() && scatter_of(statistics) != Scatter::diagonal)
    found.complete_rows = joint_rows(statistics);
  const bool counted = !found.present_values.empty();
  std::size_t g = 0;
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b) {
    const Block& block = statistics.schema().blocks()[b];
    if (block.family != Family::gaussian) continue;
    const auto features = static_cast<double>(block.features.size());
    if (!counted) {
      found.present_values.push_back(rows * features);
      found.used_rows.push_back(dense && !em ? found.complete_rows[g] : rows);
      found.used_values.push_back(dense && !em ? found.complete_rows[g] * features
                                               : rows * features);
    }
    found.present_values[g] -= put_in->second[b];
    if (!dense || em) found.used_values[g] = found.present_values[g];
    ++g;
  }
  return model.with_found(std::move(found));
}

}  // namespace

Model any_model_of(Training& training, std::optional<Choice>& choice,
                   const std::function<Model()>& usual) {
  Sentence why;
  std::optional<Model> model = possible(why, usual);
  if (!model) model = fallback_model(training, choice, why);
  model = with_true_counts(training, *std::move(model));
  return no_worse_than_frequencies(training, *std::move(model));
}

}  // namespace suffice
