#include "estimate/keep.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/few_digits.hpp"
#include "estimate/estimate_parts.hpp"
#include "models/feature_divergence.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// Those of the naive model, which uses only the means and variances of single features.
EstimateOptions options_of_naive(const EstimateOptions& given) {
  EstimateOptions naive = given;
  naive.keep = {};
  naive.keep_above = {};
  naive.covariance = is_tied(given.covariance) ? Covariance::tied_diag : Covariance::diag;
  naive.shrinkage = {};
  naive.target = {};
  naive.target_share = {};
  naive.towards_tied = 0;
  naive.pca = {};
  naive.lda = {};
  naive.standardize = false;
  naive.tails = {};
  naive.shrink_means = {};
  naive.inference = Inference::plugin;
  naive.normalize = Normalize::mle;
  naive.pooling = {};
  naive.discriminative = false;
  naive.penalty = {};
  naive.components = 1;
  return resolve(std::move(naive));
}

}  // namespace

Vector divergences_to_keep(const Statistics& statistics, const EstimateOptions& options,
                           const Execution& execution) {
  const auto seen = std::count_if(statistics.weights().begin(), statistics.weights().end(),
                                  [](double weight) { return weight > 0; });
  if (seen == 1)
    throw InvalidArgument(
        Option{options.keep ? "keep" : "keep_above"} + " compares classes, and only one has rows",
        "leave it out");
  const Model::Parts naive = estimate_parts(statistics, options_of_naive(options), execution);
  return feature_divergences(naive.schema, naive.weights, naive.densities);
}

KeptFeatures kept_features(const Statistics& statistics, const EstimateOptions& options,
                           const Execution& execution) {
  KeptFeatures kept{.features = {},
                    .divergence = divergences_to_keep(statistics, options, execution)};
  std::vector<Index> order(at(kept.divergence.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return kept.divergence[a] > kept.divergence[b]; });
  std::size_t count = order.size();
  if (options.keep) {
    count = std::min(count, at(*options.keep));
  } else {
    count = at(std::count_if(order.begin(), order.end(),
                             [&](Index j) { return kept.divergence[j] > *options.keep_above; }));
    if (count == 0)
      throw InvalidArgument("no feature separates the classes by more than " +
                                name_of(*options.keep_above) + ": the largest divergence is " +
                                name_of(few_digits(kept.divergence[order.front()], 3)) + ", of '" +
                                statistics.schema().feature(order.front()).name + "'",
                            "choose a smaller " + Option{"keep_above"});
  }
  order.resize(count);
  std::sort(order.begin(), order.end());
  kept.features = std::move(order);
  return kept;
}

EstimateOptions without_keep(EstimateOptions options) {
  options.keep = {};
  options.keep_above = {};
  return options;
}

EstimateFound found_of(const KeptFeatures& kept) {
  EstimateFound found;
  found.all_features = {static_cast<double>(kept.divergence.size())};
  found.kept_features = {static_cast<double>(kept.features.size())};
  std::vector<bool> is_kept(at(kept.divergence.size()));
  for (const Index j : kept.features) is_kept[at(j)] = true;
  for (Index j = 0; j < kept.divergence.size(); ++j) {
    std::vector<double>& bound = is_kept[at(j)] ? found.least_divergence : found.next_divergence;
    const double value = kept.divergence[j];
    if (bound.empty())
      bound = {value};
    else
      bound[0] = is_kept[at(j)] ? std::min(bound[0], value) : std::max(bound[0], value);
  }
  return found;
}

Model with_kept(const Model& model, const EstimateOptions& given, const EstimateFound& of_choice) {
  EstimateFound found = model.parts().found;
  found.all_features = of_choice.all_features;
  found.kept_features = of_choice.kept_features;
  found.least_divergence = of_choice.least_divergence;
  found.next_divergence = of_choice.next_divergence;
  EstimateOptions options = *model.parts().options;
  options.keep = given.keep;
  options.keep_above = given.keep_above;
  return model.with_found(std::move(found)).with_options(std::move(options));
}

}  // namespace suffice
