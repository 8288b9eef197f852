#include "estimate/estimate_discrete.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "suffice/core/error.hpp"

namespace suffice {

void throw_nothing_counted(const EstimateContext& context, Index c, const std::string& of_what) {
  throw InvalidArgument("class '" + context.labels[c] + "' has no value of " + of_what +
                            ", and without pseudo-counts its probabilities are unknown",
                        "use " + Option{"smoothing"} + " above 0, or leave this out");
}

void throw_impossible_value(const EstimateContext& context, Index c, Index j, double value,
                            std::string_view requirement) {
  throw InvalidArgument("feature '" + context.name(j) + "' of class '" + context.labels[c] +
                            "' would have the parameter " + name_of(value),
                        std::string(requirement) + ". Use " + Option{"smoothing"} +
                            " above 0, another family, or leave the feature out");
}

double pooled_mean(const CountStatistics& statistics, Index j) {
  double sum = 0, weight = 0;
  for (Index c = 0; c < statistics.sum.rows(); ++c) {
    sum += statistics.sum(c, j);
    weight += statistics.weight(c, j);
  }
  return weight > 0 ? sum / weight : 0;
}

Matrix sums_of_others(const Matrix& sums) {
  Vector all(sums.cols());
  for (Index c = 0; c < sums.rows(); ++c)
    for (Index j = 0; j < sums.cols(); ++j) all[j] += sums(c, j);
  Matrix others(sums.rows(), sums.cols());
  for (Index c = 0; c < sums.rows(); ++c)
    for (Index j = 0; j < sums.cols(); ++j) others(c, j) = std::max(all[j] - sums(c, j), 0.0);
  return others;
}

MultinomialDensity estimate_multinomial(const CountStatistics& statistics,
                                        const EstimateContext& context) {
  const double alpha = context.alpha;
  MultinomialDensity density{Matrix(context.classes(), context.features())};
  const bool bayes = context.options.inference == Inference::bayes;
  const EventModel event_model = context.options.event_model;
  if (event_model == EventModel::bernoulli)
    throw InvalidArgument(
        "multinomial columns have no event model 'bernoulli': their sums do not "
        "tell how many rows have a word",
        "use the family bernoulli for words that are there or not, or text");
  if (bayes && (event_model != EventModel::multinomial || context.options.length_power != 1))
    throw InvalidArgument(Option{"estimate", "bayes"} + " is for the event model multinomial and " +
                              "documents of their own length",
                          "leave " + Option{"event_model"} + " and " + Option{"length_power"} +
                              " out, or use " + Option{"estimate", "plugin"});
  density.event_model = event_model;
  if (context.options.length_power != 1) density.length_power = {context.options.length_power};
  const bool complement = event_model == EventModel::complement;
  const Matrix others = complement ? sums_of_others(statistics.sum) : Matrix();
  const Matrix& sums = complement ? others : statistics.sum;
  if (bayes) density.concentration = Vector(context.classes());
  context.workers.run_ranges(context.classes(), [&](Index c) {
    if (!context.seen(c)) return;
    const auto counts = sums.row(c);
    const double total = std::reduce(counts.begin(), counts.end());
    if (!(total + alpha > 0)) throw_nothing_counted(context, c, "the counts of its documents");
    const auto probability = density.probability.row(c);
    for (std::size_t j = 0; j < counts.size(); ++j)
      probability[j] = smoothed_share(counts[j], total, alpha, context.features());
    if (bayes) density.concentration[c] = total + alpha * static_cast<double>(context.features());
  });
  return density;
}

CategoricalDensity estimate_categorical(const CategoricalStatistics& statistics,
                                        const EstimateContext& context) {
  const double alpha = context.alpha;
  CategoricalDensity density{.levels = statistics.levels, .probability = {}};
  for (Index j = 0; j < context.features(); ++j) {
    const Matrix& count = statistics.count[j];
    const Index levels = statistics.levels[j].size();
    Matrix probability(context.classes(), levels);
    for (Index c = 0; c < context.classes() && levels > 0; ++c) {
      if (!context.seen(c)) continue;
      const auto counts = count.row(c);
      const double total = std::reduce(counts.begin(), counts.end());
      if (!(total + alpha > 0))
        throw_nothing_counted(context, c, "feature '" + context.name(j) + "'");
      for (Index l = 0; l < levels; ++l)
        probability(c, l) = smoothed_share(count(c, l), total, alpha, levels);
    }
    density.probability.push_back(std::move(probability));
  }
  return density;
}

}  // namespace suffice
