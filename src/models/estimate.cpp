#include "models/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

void check(const Statistics& statistics, const EstimateOptions& options) {
  double total = 0;
  for (const double weight : statistics.weights()) total += weight;
  if (!(total > 0))
    throw InvalidArgument(
        "there are no rows to estimate from: the statistics are empty, or all weights are 0");
  if (!(options.smoothing >= 0) || !std::isfinite(options.smoothing))
    throw InvalidArgument("the smoothing is " + name_of(options.smoothing) +
                          "; a pseudo-count is finite and not negative (0: none)");
  if (options.pooling.empty()) return;
  if (!is_tied(options.covariance))
    throw InvalidArgument("pooling weights are for a tied covariance, not for '" +
                          std::string(to_string(options.covariance)) + "'");
  if (std::ssize(options.pooling) != statistics.labels().size())
    throw InvalidArgument("there are " + std::to_string(statistics.labels().size()) +
                          " classes and " + std::to_string(options.pooling.size()) +
                          " pooling weights; give one for each class, in the order of the labels");
  double pooled = 0;
  for (Index c = 0; c < statistics.labels().size(); ++c) {
    const double weight = options.pooling[c];
    if (!(weight >= 0) || !std::isfinite(weight))
      throw InvalidArgument("the pooling weight of class '" + statistics.labels()[c] + "' is " +
                            name_of(weight) + "; it must be finite and not negative");
    if (weight > 0 && !(statistics.weights()[c] > 0))
      throw InvalidArgument("class '" + statistics.labels()[c] +
                            "' has a pooling weight but no rows; set it to 0");
    pooled += weight;
  }
  if (!(pooled > 0) || !std::isfinite(pooled))
    throw InvalidArgument("the pooling weights sum to " + name_of(pooled) +
                          "; their sum must be positive and finite");
}

Density estimate_block(const BlockStatistics& statistics, Family family,
                       const EstimateContext& context) {
  switch (family) {
    case Family::gaussian:
      return estimate_gaussian(std::get<GaussianStatistics>(statistics), context);
    case Family::bernoulli:
      return estimate_bernoulli(std::get<CountStatistics>(statistics), context);
    case Family::poisson:
      return estimate_poisson(std::get<CountStatistics>(statistics), context);
    case Family::multinomial:
      return estimate_multinomial(std::get<CountStatistics>(statistics), context);
    case Family::categorical:
      break;
  }
  return estimate_categorical(std::get<CategoricalStatistics>(statistics), context);
}

/// Some feature that was not the same in all rows, or is of another family.
bool can_tell_apart(const Density& density) {
  const auto* gaussian = std::get_if<GaussianDensity>(&density);
  return !gaussian || std::ssize(gaussian->constant) < gaussian->mean.cols();
}

std::vector<std::pair<std::string, std::string>> describe(const EstimateOptions& options) {
  std::vector<std::pair<std::string, std::string>> result{
      {"covariance", std::string(to_string(options.covariance))},
      {"normalize", std::string(to_string(options.normalize))},
      {"smoothing", name_of(options.smoothing)}};
  if (!options.pooling.empty()) {
    std::string list;
    for (const double weight : options.pooling) {
      if (!list.empty()) list += ',';
      list += name_of(weight);
    }
    result.emplace_back("pooling", std::move(list));
  }
  return result;
}

/// How many workers the blocks could keep busy: the classes of wide tables are worth several.
Index worthwhile_workers(const Statistics& statistics) {
  double numbers = 0;
  for (const Block& block : statistics.schema().blocks())
    numbers += static_cast<double>(block.features.size()) *
               static_cast<double>(statistics.labels().size());
  return static_cast<Index>(std::clamp(numbers / 1e5, 1.0, 1e4));
}

}  // namespace

std::string_view to_string(Normalize normalize) {
  return normalize == Normalize::mle ? "mle" : "unbiased";
}

Normalize normalize_from_string(std::string_view name) {
  if (name == "mle") return Normalize::mle;
  if (name == "unbiased") return Normalize::unbiased;
  throw InvalidArgument("there is no normalisation '" + std::string(name) +
                        "'; choose mle or unbiased");
}

Model estimate(const Statistics& statistics, const EstimateOptions& options,
               const Execution& execution) {
  check(statistics, options);
  Model::Parts parts{.schema = statistics.schema(),
                     .labels = statistics.labels(),
                     .weights = statistics.weights(),
                     .densities = {},
                     .options = describe(options)};
  const auto& blocks = statistics.schema().blocks();
  bool informed = false;
  Workers workers(execution, worthwhile_workers(statistics));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const EstimateContext context{.labels = statistics.labels(),
                                  .weights = statistics.weights(),
                                  .schema = statistics.schema(),
                                  .block = blocks[b],
                                  .options = options,
                                  .workers = workers};
    parts.densities.push_back(estimate_block(statistics.blocks()[b], blocks[b].family, context));
    informed = informed || can_tell_apart(parts.densities.back());
  }
  if (!informed)
    throw InvalidArgument(
        "every feature is constant over all rows, so there is nothing to tell classes apart; give "
        "rows that differ, or other features");
  return Model(std::move(parts), execution);
}

}  // namespace suffice
