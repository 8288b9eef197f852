// The names of the options, and what can be said against them before there are rows.

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "models/structure.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/estimate.hpp"

namespace suffice {
namespace {

constexpr std::array<std::pair<Normalize, std::string_view>, 2> normalize_names{
    {{Normalize::mle, "mle"}, {Normalize::unbiased, "unbiased"}}};
constexpr std::array<std::pair<Estimator, std::string_view>, 3> estimator_names{
    {{Estimator::plugin, "plugin"}, {Estimator::map, "map"}, {Estimator::bayes, "bayes"}}};
constexpr std::array<std::pair<Target, std::string_view>, 2> target_names{
    {{Target::diag, "diag"}, {Target::spherical, "spherical"}}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "unknown";
}

template <class Names>
auto value_in(const Names& names, std::string_view name, const char* what, const char* choices) {
  for (const auto& [value, known] : names)
    if (known == name) return value;
  throw InvalidArgument("there is no " + std::string(what) + " '" + std::string(name) +
                        "'; choose " + choices);
}

void require_share(double share, const char* what) {
  if (!(share >= 0 && share <= 1))
    throw InvalidArgument(std::string(what) + " is " + name_of(share) +
                          "; it is a share and lies between 0 (none) and 1");
}

std::string of_structure(Covariance covariance) {
  return "covariance '" + std::string(to_string(covariance)) + "'";
}

/// The prior of a covariance says all: nothing else is mixed in.
void require_prior_alone(const EstimateOptions& options, const std::string& who) {
  if (options.target != Target::diag)
    throw InvalidArgument(who +
                          " has a target of its own, which does not depend on units; leave "
                          "the target at 'diag', or give the shrinkage as a share");
  if (options.towards_tied > 0)
    throw InvalidArgument(who +
                          " draws the classes towards each other already; leave towards_tied "
                          "at 0");
  if (!options.pooling.empty())
    throw InvalidArgument(who + " pools the classes by their rows; leave the pooling weights out");
}

/// There is nothing beside the target.
bool shrinks_nothing(const EstimateOptions& options) {
  if (is_dense(options.covariance)) return false;
  const auto [kind, value] = options.shrinkage;
  if (kind == Shrinkage::Kind::share)
    return value >= 0 && value <= 1 &&
           (options.target == Target::diag || is_spherical(options.covariance));
  return kind == Shrinkage::Kind::evidence && options.covariance != Covariance::diag;
}

}  // namespace

std::string_view to_string(Normalize normalize) { return name_in(normalize_names, normalize); }
std::string_view to_string(Estimator estimator) { return name_in(estimator_names, estimator); }
std::string_view to_string(Target target) { return name_in(target_names, target); }

Normalize normalize_from_string(std::string_view name) {
  return value_in(normalize_names, name, "normalisation", "mle or unbiased");
}
Estimator estimator_from_string(std::string_view name) {
  return value_in(estimator_names, name, "estimate", "plugin, map or bayes");
}
Target target_from_string(std::string_view name) {
  return value_in(target_names, name, "target", "diag or spherical");
}

std::string to_string(const Shrinkage& shrinkage) {
  switch (shrinkage.kind) {
    case Shrinkage::Kind::share:
      return name_of(shrinkage.value);
    case Shrinkage::Kind::oas:
      return "oas";
    case Shrinkage::Kind::evidence:
    case Shrinkage::Kind::unsaid:
      return "auto";
    case Shrinkage::Kind::rows:
      break;
  }
  return name_of(shrinkage.value) + (shrinkage.value == 1 ? " row" : " rows");
}

Shrinkage shrinkage_from_string(std::string_view name) {
  if (name == "auto") return {.kind = Shrinkage::Kind::evidence};
  if (name == "oas") return {.kind = Shrinkage::Kind::oas};
  if (name == "loo")
    throw InvalidArgument(
        "shrinkage 'loo' reads the rows a second time, which is for fit alone; choose auto here, "
        "or shares");
  Shrinkage result;
  std::string_view number = name;
  for (const std::string_view unit : {" rows", " row"})
    if (number.ends_with(unit)) {
      number.remove_suffix(unit.size());
      result.kind = Shrinkage::Kind::rows;
    }
  const char* const end = number.data() + number.size();
  const auto [read, error] = std::from_chars(number.data(), end, result.value);
  if (error != std::errc() || read != end)
    throw InvalidArgument("there is no shrinkage '" + std::string(name) +
                          "'; choose auto, loo, oas, or a share from 0 (none) to 1");
  return result;
}

EstimateOptions settled(EstimateOptions options) {
  using Kind = Shrinkage::Kind;
  const bool is_plugin = options.estimate == Estimator::plugin;
  if (options.shrinkage.kind == Kind::unsaid) {
    const bool mixed_otherwise = options.towards_tied > 0 || !options.pooling.empty();
    options.shrinkage = {.kind = mixed_otherwise ? Kind::share : Kind::evidence};
  }
  if (is_plugin && shrinks_nothing(options)) options.shrinkage = {};
  if (options.shrinkage == Shrinkage{}) options.target = Target::diag;
  const Kind kind = options.shrinkage.kind;
  if (!is_plugin || kind == Kind::evidence || kind == Kind::rows)
    options.normalize = Normalize::mle;  // a prior leaves no choice
  return options;
}

void require_possible(const EstimateOptions& options) {
  using Kind = Shrinkage::Kind;
  if (!(options.smoothing >= 0) || !std::isfinite(options.smoothing))
    throw InvalidArgument("the smoothing is " + name_of(options.smoothing) +
                          "; a pseudo-count is finite and not negative (0: none)");
  if (!options.pooling.empty() && !is_tied(options.covariance))
    throw InvalidArgument("pooling weights are for a tied covariance, not for '" +
                          std::string(to_string(options.covariance)) + "'");
  if (options.pca) require_possible(*options.pca);
  if (options.lda && *options.lda < 1)
    throw InvalidArgument("lda needs 1 dimension or more, not " + std::to_string(*options.lda));
  if (options.lda && options.pca && options.pca->share == 0 &&
      *options.lda > options.pca->components)
    throw InvalidArgument("lda makes at most as many dimensions as pca makes components, " +
                          std::to_string(options.pca->components) + " here, not " +
                          std::to_string(*options.lda) + "; choose a smaller lda or a larger pca");
  require_share(options.towards_tied, "towards_tied");
  if (options.towards_tied > 0 && is_tied(options.covariance))
    throw InvalidArgument(of_structure(options.covariance) +
                          " is one for all classes already; towards_tied must be 0");
  if (options.target == Target::spherical && options.shrinkage.kind == Kind::unsaid)
    throw InvalidArgument(
        "target 'spherical' is what a share of shrinkage draws towards, and no share is given; "
        "choose a shrinkage from 0 to 1, or 'oas'");
  const auto [kind, value] = settled(options).shrinkage;
  if (kind == Kind::share) require_share(value, "the shrinkage");
  if (kind == Kind::rows && (!(value > 0) || !std::isfinite(value)))
    throw InvalidArgument("the shrinkage is " + name_of(value) +
                          " rows of the target; it must be more than 0 and finite");
  if (kind == Kind::oas) {
    if (!is_dense(options.covariance))
      throw InvalidArgument("shrinkage 'oas' is for full and tied covariances, not for '" +
                            std::string(to_string(options.covariance)) + "'");
    if (options.target != Target::spherical)
      throw InvalidArgument(
          "shrinkage 'oas' is the share for the spherical target; choose target 'spherical', or "
          "shrinkage 'auto', whose target does not depend on units");
  }
  if (kind == Kind::evidence) require_prior_alone(options, "shrinkage 'auto'");
  if (kind == Kind::rows) require_prior_alone(options, "shrinkage by rows");
  if (options.estimate == Estimator::plugin) return;
  const std::string who = "estimate '" + std::string(to_string(options.estimate)) + "'";
  if (kind == Kind::oas || (kind == Kind::share && value > 0))
    throw InvalidArgument(who +
                          " has a prior in place of a share; choose shrinkage 'auto' (or 0), "
                          "or estimate 'plugin'");
  require_prior_alone(options, who);
}

}  // namespace suffice
