// What options cannot stand beside, and what they are where they were not given.

#include <string>

#include "suffice/core/error.hpp"
#include "suffice/models/estimate_options.hpp"

namespace suffice {
namespace {

Option given(const char* name, std::string_view value) { return {name, std::string(value)}; }

/// A prior determines the covariance: nothing else can be mixed in.
void require_prior_alone(const EstimateOptions& options, const Option& who) {
  if (options.target == Target::spherical && !options.target_share)
    throw InvalidArgument(who + " has a target of its own, which does not depend on units",
                          "leave " + Option{"target"} + " at 'diag', give " + Option{"shrinkage"} +
                              " as a share, or give " + Option{"target_share"});
  if (options.towards_tied > 0)
    throw InvalidArgument(who + " shrinks the classes towards each other already",
                          "leave " + Option{"towards_tied"} + " at 0");
  if (!options.pooling.empty())
    throw InvalidArgument(who + " pools the classes by their rows",
                          "leave the pooling weights out");
}

void require_oas(const EstimateOptions& options) {
  if (!is_dense(options.covariance))
    throw InvalidArgument(given("shrinkage", "oas") +
                          " is for full and tied covariances, not for '" +
                          std::string(to_string(options.covariance)) + "'");
  if (options.target != Target::spherical)
    throw InvalidArgument(given("shrinkage", "oas") + " is the share for the spherical target",
                          "use " + given("target", "spherical") + ", or " +
                              given("shrinkage", "auto") +
                              ", whose target does not depend on units");
}

/// Shrinkage has no effect: the covariance is its own target.
bool shrinks_nothing(const EstimateOptions& options) {
  if (is_dense(options.covariance)) return false;
  switch (options.shrinkage->kind()) {
    case Shrinkage::Kind::share:
      return options.target == Target::diag || is_spherical(options.covariance);
    case Shrinkage::Kind::automatic:
      return options.covariance != Covariance::diag;
    case Shrinkage::Kind::rows:
    case Shrinkage::Kind::oas:
      break;
  }
  return false;
}

void require_shrunken_means(const EstimateOptions& options) {
  if (!options.shrink_means) return;
  const Option who{"shrink_means"};
  if (options.covariance != Covariance::diag && options.covariance != Covariance::tied_diag)
    throw InvalidArgument(
        who + " takes features one by one, and " +
            given("covariance", to_string(options.covariance)) + " does not",
        "use " + given("covariance", "tied-diag") + " or " + given("covariance", "diag"));
  if (options.pca || options.lda)
    throw InvalidArgument(who + " chooses among features, and " +
                              Option{options.pca ? "pca" : "lda"} + " replaces them",
                          "leave one of the two out");
  if (options.inference != Inference::plugin)
    throw InvalidArgument(who + " and " + given("estimate", to_string(options.inference)) +
                              " are two ways to regularise means",
                          "use " + given("estimate", "plugin"));
  if (options.discriminative)
    throw InvalidArgument(
        who + " is for densities, which " + given("discriminative", "yes") + " has none of",
        "leave one of the two out");
}

/// What is impossible whatever the shrinkage is.
void require_together(const EstimateOptions& options) {
  if (options.keep && options.keep_above)
    throw InvalidArgument(Option{"keep"} + " and " + Option{"keep_above"} +
                              " are two ways to say which features are kept",
                          "leave one of the two out");
  require_shrunken_means(options);
  const Option covariance = given("covariance", to_string(options.covariance));
  if (!options.pooling.empty() && !is_tied(options.covariance))
    throw InvalidArgument("pooling weights are for a tied covariance, not for " + covariance);
  if (options.lda && options.pca && options.pca->share == 0 &&
      *options.lda > options.pca->components)
    throw InvalidArgument(Option{"lda"} + " makes at most as many dimensions as " + Option{"pca"} +
                              " makes components, " + std::to_string(options.pca->components) +
                              " here, not " + std::to_string(*options.lda),
                          "choose a smaller " + Option{"lda"} + " or a larger " + Option{"pca"});
  if (options.towards_tied > 0 && is_tied(options.covariance))
    throw InvalidArgument(covariance + " is one for all classes already",
                          Option{"towards_tied"} + " must be 0");
  if (options.inference == Inference::bayes && options.tails && !options.tails->is_normal())
    throw InvalidArgument(
        given("estimate", "bayes") +
            " has densities of Student's t already, whose degrees of "
            "freedom follow from the number of rows",
        "use " + given("tails", "normal") + ", or " + given("estimate", "plugin"));
  if (options.event_model != EventModel::multinomial && !options.smoothing.is_automatic() &&
      options.smoothing.value() == 0)
    throw InvalidArgument(given("event_model", to_string(options.event_model)) +
                              " needs pseudo-counts: otherwise one word decides alone",
                          "use " + Option{"smoothing"} + " above 0");
  if (options.target == Target::spherical && !options.shrinkage && !options.target_share)
    throw InvalidArgument(
        given("target", "spherical") +
            " is what a share of shrinkage shrinks towards, and no share is given",
        "use " + Option{"shrinkage"} + " from 0 to 1, or " + given("shrinkage", "oas"));
}

/// What the shrinkage cannot stand beside. `shrinkage` and `target` are set.
void require_shrinkage(const EstimateOptions& options) {
  switch (options.shrinkage->kind()) {
    case Shrinkage::Kind::oas:
      require_oas(options);
      break;
    case Shrinkage::Kind::automatic:
    case Shrinkage::Kind::rows:
      require_prior_alone(options, given("shrinkage", to_string(*options.shrinkage)));
      break;
    case Shrinkage::Kind::share:
      break;
  }
  if (options.target_share &&
      (options.covariance != Covariance::full || !options.shrinkage->is_prior()))
    throw InvalidArgument(
        Option{"target_share"} + " is for full covariances that are shrunk by rows",
        "use " + given("covariance", "full") + " and " + given("shrinkage", "auto") + ", or " +
            given("shrinkage", "12 rows"));
  if (options.inference == Inference::plugin) return;
  const Option who = given("estimate", to_string(options.inference));
  if (!options.shrinkage->is_prior() && !options.shrinkage->is_none())
    throw InvalidArgument(
        who + " has a prior instead of a share",
        "use " + given("shrinkage", "auto") + " (or 0), or " + given("estimate", "plugin"));
  require_prior_alone(options, who);
}

/// What mixtures cannot stand beside.
void require_components(const EstimateOptions& options) {
  if (options.components.is_one()) return;
  if (options.discriminative)
    throw InvalidArgument(
        Option{"components"} + " is for densities, and logistic regression has none",
        "leave it out, or " + Option{"discriminative"});
  if (!options.pooling.empty())
    throw InvalidArgument("pooling weights are for classes of one component",
                          "leave " + Option{"pooling"} + " out");
  if (options.shrink_means)
    throw InvalidArgument(Option{"shrink_means"} + " is for classes of one component",
                          "leave it out, or " + Option{"components"});
}

}  // namespace

EstimateOptions resolve(EstimateOptions options) {
  for (const EstimateOption& option : estimate_options())
    if (option.check) option.check(options);
  require_together(options);
  const bool mixed_otherwise = options.towards_tied > 0 || !options.pooling.empty();
  if (!options.shrinkage)
    options.shrinkage = mixed_otherwise ? Shrinkage::none() : Shrinkage::automatic();
  if (!options.target)
    options.target = *options.shrinkage == Shrinkage::oas() ? Target::spherical : Target::diag;
  if (!options.tails) options.tails = Tails::normal();
  options.standardize = options.pca && (options.standardize || options.pca->standardize);
  if (options.pca) options.pca->standardize = false;
  if (options.inference == Inference::plugin && shrinks_nothing(options))
    options.shrinkage = Shrinkage::none();
  require_shrinkage(options);
  if (options.shrinkage->is_none()) options.target = Target::diag;
  if (has_prior(options))
    options.normalize = Normalize::mle;  // a prior leaves no choice
  else if (options.shrink_means)
    options.normalize = Normalize::unbiased;
  if (!options.discriminative) options.penalty = {};
  if (options.event_model == EventModel::bernoulli) {  // counts have no part in it
    options.idf = false;
    options.length_power = 1;
  }
  require_components(options);
  return options;
}

std::optional<Pca> components_of(const EstimateOptions& options) {
  std::optional<Pca> pca = options.pca;
  if (pca) pca->standardize = options.standardize;
  return pca;
}

bool has_prior(const EstimateOptions& options) {
  return options.inference != Inference::plugin || options.shrinkage->is_prior();
}

bool keeps_some(const EstimateOptions& options) { return options.keep || options.keep_above; }

bool needs_dense_scatter(const EstimateOptions& options) {
  return is_dense(options.covariance) || options.pca || options.lda;
}

Scatter needed_scatter(const EstimateOptions& options) {
  if (!needs_dense_scatter(options)) return Scatter::diagonal;
  const bool trained = options.discriminative || !options.components.is_one();
  return is_tied(options.covariance) && options.pooling.empty() && !trained ? Scatter::pooled
                                                                            : Scatter::dense;
}

Scatter needed_scatter(std::span<const EstimateOptions> candidates) {
  Scatter result = Scatter::diagonal;
  for (const EstimateOptions& of : candidates) {
    const Scatter needed = needed_scatter(of);
    if (needed == Scatter::dense) return needed;
    if (needed == Scatter::pooled) result = needed;
  }
  return result;
}

}  // namespace suffice
