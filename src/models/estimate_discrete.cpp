#include <algorithm>
#include <numeric>
#include <string>

#include "models/estimate.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

[[noreturn]] void throw_nothing_counted(const EstimateContext& context, Index c,
                                        const std::string& of_what) {
  throw InvalidArgument("class '" + context.labels[c] + "' has no value of " + of_what +
                        ", and without pseudo-counts its probabilities are unknown; choose a "
                        "smoothing above 0, or leave this out");
}

/// (n + α) / (N + α L). A quotient above 1 can only be rounding in the sums n and N.
double share(double n, double total, double alpha, Index levels) {
  return std::min(1.0, (n + alpha) / (total + alpha * static_cast<double>(levels)));
}

std::string feature(const EstimateContext& context, Index j) {
  return "feature '" + context.name(j) + "'";
}

}  // namespace

BernoulliDensity estimate_bernoulli(const CountStatistics& statistics,
                                    const EstimateContext& context) {
  const double alpha = context.options.smoothing;
  BernoulliDensity density{Matrix(context.classes(), context.features())};
  for (Index c = 0; c < context.classes(); ++c) {
    if (!context.seen(c)) continue;
    for (Index j = 0; j < context.features(); ++j) {
      const double total = statistics.weight(c, j);
      if (!(total + alpha > 0)) throw_nothing_counted(context, c, feature(context, j));
      density.probability(c, j) = share(statistics.sum(c, j), total, alpha, 2);
    }
  }
  return density;
}

PoissonDensity estimate_poisson(const CountStatistics& statistics, const EstimateContext& context) {
  const double alpha = context.options.smoothing;
  PoissonDensity density{Matrix(context.classes(), context.features())};
  const bool bayes = context.options.inference == Inference::bayes;
  if (bayes) density.shape = Matrix(context.classes(), context.features());
  for (Index j = 0; j < context.features(); ++j) {
    double sum = 0, weight = 0;
    for (Index c = 0; c < context.classes(); ++c) {
      sum += statistics.sum(c, j);
      weight += statistics.weight(c, j);
    }
    const double pooled = weight > 0 ? sum / weight : 0;
    for (Index c = 0; c < context.classes(); ++c) {
      if (!context.seen(c)) continue;
      const double rows = statistics.weight(c, j) + alpha;
      if (!(rows > 0)) throw_nothing_counted(context, c, feature(context, j));
      density.rate(c, j) = (statistics.sum(c, j) + alpha * pooled) / rows;
      if (bayes) density.shape(c, j) = statistics.sum(c, j) + alpha * pooled;
    }
  }
  return density;
}

MultinomialDensity estimate_multinomial(const CountStatistics& statistics,
                                        const EstimateContext& context) {
  const double alpha = context.options.smoothing;
  MultinomialDensity density{Matrix(context.classes(), context.features())};
  const bool bayes = context.options.inference == Inference::bayes;
  if (bayes) density.concentration = Vector(context.classes());
  context.workers.run_ranges(context.classes(), [&](Index c) {
    if (!context.seen(c)) return;
    const auto counts = statistics.sum.row(c);
    const double total = std::reduce(counts.begin(), counts.end());
    if (!(total + alpha > 0)) throw_nothing_counted(context, c, "the counts of its documents");
    const auto probability = density.probability.row(c);
    for (std::size_t j = 0; j < counts.size(); ++j)
      probability[j] = share(counts[j], total, alpha, context.features());
    if (bayes) density.concentration[c] = total + alpha * static_cast<double>(context.features());
  });
  return density;
}

CategoricalDensity estimate_categorical(const CategoricalStatistics& statistics,
                                        const EstimateContext& context) {
  const double alpha = context.options.smoothing;
  CategoricalDensity density{.levels = statistics.levels, .probability = {}};
  for (Index j = 0; j < context.features(); ++j) {
    const Matrix& count = statistics.count[j];
    const Index levels = statistics.levels[j].size();
    Matrix probability(context.classes(), levels);
    for (Index c = 0; c < context.classes() && levels > 0; ++c) {
      if (!context.seen(c)) continue;
      const auto counts = count.row(c);
      const double total = std::reduce(counts.begin(), counts.end());
      if (!(total + alpha > 0)) throw_nothing_counted(context, c, feature(context, j));
      for (Index l = 0; l < levels; ++l)
        probability(c, l) = share(count(c, l), total, alpha, levels);
    }
    density.probability.push_back(std::move(probability));
  }
  return density;
}

}  // namespace suffice
