#include "suffice/estimate/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "estimate/estimate_discrete.hpp"
#include "estimate/estimate_gaussian.hpp"
#include "estimate/estimate_parts.hpp"
#include "estimate/estimate_text.hpp"
#include "estimate/keep.hpp"
#include "estimate/projected.hpp"
#include "estimate/rows_used.hpp"
#include "estimate/smoothing.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

void check(const Statistics& statistics, const EstimateOptions& options) {
  double total = 0;
  for (const double weight : statistics.weights()) total += weight;
  if (!(total > 0))
    throw InvalidArgument(
        "there are no rows to estimate from: the statistics are empty, or all weights are 0");
  if (options.pooling.empty()) return;
  if (std::ssize(options.pooling) != statistics.labels().size())
    throw InvalidArgument("there are " + std::to_string(statistics.labels().size()) +
                              " classes and " + std::to_string(options.pooling.size()) +
                              " pooling weights",
                          "give one for each class, in the order of the labels");
  double pooled = 0;
  for (Index c = 0; c < statistics.labels().size(); ++c) {
    const double weight = options.pooling[c];
    if (!(weight >= 0) || !std::isfinite(weight))
      throw InvalidArgument(
          "the pooling weight of class '" + statistics.labels()[c] + "' is " + name_of(weight),
          "it must be finite and not negative");
    if (weight > 0 && !(statistics.weights()[c] > 0))
      throw InvalidArgument(
          "class '" + statistics.labels()[c] + "' has a pooling weight but no rows", "set it to 0");
    pooled += weight;
  }
  if (!(pooled > 0) || !std::isfinite(pooled))
    throw InvalidArgument("the pooling weights sum to " + name_of(pooled),
                          "their sum must be positive and finite");
}

/// The estimate of one block, by its density.
struct EstimateBlock {
  const BlockStatistics& statistics;
  const EstimateContext& context;
  std::vector<GaussianStrength>& strengths;

  Density operator()(const GaussianDensity&) const {
    GaussianEstimate result = estimate_gaussian(std::get<GaussianStatistics>(statistics), context);
    strengths.push_back(std::move(result.strength));
    return std::move(result.density);
  }
  template <FeatureDensity Features>
  Density operator()(const Features&) const {
    return estimate_features<Features>(std::get<CountStatistics>(statistics), context);
  }
  Density operator()(const MultinomialDensity&) const {
    return estimate_multinomial(std::get<CountStatistics>(statistics), context);
  }
  Density operator()(const CategoricalDensity&) const {
    return estimate_categorical(std::get<CategoricalStatistics>(statistics), context);
  }
  Density operator()(const TextDensity&) const {
    return estimate_text(std::get<TextStatistics>(statistics), context);
  }
};

Density estimate_block(const BlockStatistics& statistics, const EstimateContext& context,
                       std::vector<GaussianStrength>& strengths) {
  const Family family = context.block.family;
  if (family != Family::gaussian && context.options.inference == Inference::bayes &&
      !(context.alpha > 0))
    throw InvalidArgument(
        "estimate 'bayes' needs a prior for the " + std::string(to_string(family)) + " feature '" +
            context.name(0) + "'",
        "use " + Option{"smoothing"} + " above 0, or " + Option{"estimate", "plugin"});
  return std::visit(EstimateBlock{statistics, context, strengths}, empty_density(family));
}

/// Some feature that was not the same in all rows, or is of another family.
bool can_tell_apart(const Density& density) {
  const auto* gaussian = std::get_if<GaussianDensity>(&density);
  return !gaussian || std::ssize(gaussian->constant) < gaussian->mean.cols();
}

/// Of one Gaussian block after the other.
void add_strengths(const std::vector<GaussianStrength>& strengths, EstimateFound& found) {
  for (const GaussianStrength& strength : strengths) {
    found.shrinkage_shares.insert(found.shrinkage_shares.end(), strength.shares.begin(),
                                  strength.shares.end());
    if (strength.rows) found.shrinkage_rows.push_back(*strength.rows);
    if (strength.target_rows) found.target_rows.push_back(*strength.target_rows);
  }
}

/// How many workers the blocks could keep busy: the classes of wide tables are worth several, and
/// so are eigenvalues.
Index workers_for_estimate(const Statistics& statistics, const EstimateOptions& options) {
  const bool eigenvalues = options.covariance == Covariance::full &&
                           options.shrinkage->kind() == Shrinkage::Kind::automatic;
  double work = 0;
  for (const Block& block : statistics.schema().blocks()) {
    const auto d = static_cast<double>(block.features.size());
    const bool cubic = eigenvalues && block.family == Family::gaussian;
    work += (cubic ? d + d * d * d / 10 : d) * static_cast<double>(statistics.labels().size());
  }
  return static_cast<Index>(std::clamp(work / 1e5, 1.0, 1e4));
}

}  // namespace

Model::Parts estimate_parts(const Statistics& statistics, const EstimateOptions& options,
                            const Execution& execution) {
  if (options.discriminative)
    throw InvalidArgument(Option{"discriminative", "yes"} +
                              " is fitted by passes over rows, and an estimate has their sums only",
                          "give rows");
  if (!options.components.is_one())
    throw InvalidArgument(Option{"components", to_string(options.components)} +
                              " is fitted by passes over rows, and an estimate has their sums only",
                          "give rows");
  check(statistics, options);
  Model::Parts parts{.schema = statistics.schema(),
                     .labels = statistics.labels(),
                     .weights = statistics.weights(),
                     .densities = {}};
  const auto& blocks = statistics.schema().blocks();
  std::vector<GaussianStrength> strengths;
  std::vector<double> pseudo_counts;
  bool informed = false;
  Workers workers(execution, workers_for_estimate(statistics, options));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    double alpha = options.smoothing.value();
    if (options.smoothing.is_automatic() && blocks[b].family != Family::gaussian)
      pseudo_counts.push_back(
          alpha = best_pseudo_count(statistics.blocks()[b], blocks[b].family, options));
    const EstimateContext context{.labels = statistics.labels(),
                                  .weights = statistics.weights(),
                                  .schema = statistics.schema(),
                                  .block = blocks[b],
                                  .options = options,
                                  .alpha = alpha,
                                  .workers = workers};
    parts.densities.push_back(estimate_block(statistics.blocks()[b], context, strengths));
    informed = informed || can_tell_apart(parts.densities.back());
  }
  if (!informed)
    throw InvalidArgument(
        "every feature is constant over all rows, so there is nothing to tell classes apart",
        "give rows that differ, or other features");
  parts.options = options;
  parts.found = rows_used(statistics, options.covariance);
  add_strengths(strengths, parts.found);
  parts.found.pseudo_counts = std::move(pseudo_counts);
  return parts;
}

namespace {

/// Whether "auto" would shrink a covariance that is singular with these options.
bool auto_helps(const EstimateOptions& options) {
  return options.shrinkage->kind() == Shrinkage::Kind::share &&
         options.inference == Inference::plugin && options.towards_tied == 0 &&
         options.pooling.empty() &&
         (is_dense(options.covariance) || options.covariance == Covariance::diag);
}

/// The model of `parts`; the advice on a singular covariance knows the options.
template <class MakeParts>
Model make_model(const EstimateOptions& options, const Execution& execution,
                 const MakeParts& parts) {
  try {
    return Model(parts(), execution);
  } catch (const SingularError& error) {
    if (!auto_helps(options)) throw;
    throw error.advising("use " + Option{"shrinkage", "auto"} + " (the default); otherwise " +
                         error.advice());
  }
}

}  // namespace

Model estimate(const Statistics& statistics, const EstimateOptions& given,
               const Execution& execution) {
  const EstimateOptions options = resolve(given);
  if (keeps_some(options)) {
    const KeptFeatures kept = kept_features(statistics, options, execution);
    return with_kept(estimate(subset(statistics, kept.features), without_keep(options), execution),
                     options, found_of(kept));
  }
  if (options.pca || options.lda) {
    check(statistics, options);  // before the work
    return estimate(project(statistics, components_of(options), options.lda, execution), options,
                    execution);
  }
  return make_model(options, execution,
                    [&] { return estimate_parts(statistics, options, execution); });
}

Model estimate(const ProjectedStatistics& projected, const EstimateOptions& given,
               const Execution& execution) {
  const EstimateOptions options = resolve(given);
  return make_model(options, execution, [&] {
    Model::Parts parts = estimate_parts(projected.statistics, options, execution);
    std::get<GaussianDensity>(parts.densities[projected.block]).projection = projected.map;
    parts.schema = projected.schema;
    if (projected.components) {
      parts.found.pca_components = {static_cast<double>(projected.components->count)};
      parts.found.pca_explained = {projected.components->explained};
    }
    return parts;
  });
}

}  // namespace suffice
