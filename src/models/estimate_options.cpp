#include "suffice/models/estimate_options.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {
namespace {

constexpr std::array<std::pair<Normalize, std::string_view>, 2> normalize_names{
    {{Normalize::mle, "mle"}, {Normalize::unbiased, "unbiased"}}};
constexpr std::array<std::pair<Inference, std::string_view>, 3> inference_names{
    {{Inference::plugin, "plugin"}, {Inference::map, "map"}, {Inference::bayes, "bayes"}}};
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

bool is_share(double value) { return value >= 0 && value <= 1; }

void require_share(double share, const char* option) {
  if (!is_share(share))
    throw InvalidArgument(Option{option} + " is " + name_of(share),
                          "it is a share and lies between 0 (none) and 1");
}

Option of_structure(Covariance covariance) {
  return {"covariance", std::string(to_string(covariance))};
}

/// A prior determines the covariance: nothing else can be mixed in.
void require_prior_alone(const EstimateOptions& options, const Sentence& who) {
  if (options.target == Target::spherical)
    throw InvalidArgument(
        who + " has a target of its own, which does not depend on units",
        "use " + Option{"target", "diag"} + ", or a share of " + Option{"shrinkage"});
  if (options.towards_tied > 0)
    throw InvalidArgument(who + " shrinks the classes towards each other already",
                          "leave " + Option{"towards_tied"} + " at 0");
  if (!options.pooling.empty())
    throw InvalidArgument(who + " pools the classes by their rows",
                          "leave the pooling weights out");
}

void require_projections(const EstimateOptions& options) {
  if (options.pca) require_possible(*options.pca);
  if (options.lda && *options.lda < 1)
    throw InvalidArgument(Option{"lda"} + " needs 1 dimension or more, not " +
                          std::to_string(*options.lda));
  if (options.lda && options.pca && options.pca->share == 0 &&
      *options.lda > options.pca->components)
    throw InvalidArgument(Option{"lda"} + " makes at most as many dimensions as " + Option{"pca"} +
                              " makes components, " + std::to_string(options.pca->components) +
                              " here, not " + std::to_string(*options.lda),
                          "use a smaller " + Option{"lda"} + " or a larger " + Option{"pca"});
}

void require_oas(const EstimateOptions& options) {
  if (!is_dense(options.covariance))
    throw InvalidArgument(Option{"shrinkage", "oas"} +
                          " is for full and tied covariances, not for " +
                          of_structure(options.covariance));
  if (options.target != Target::spherical)
    throw InvalidArgument(Option{"shrinkage", "oas"} + " is the share for the spherical target",
                          "use " + Option{"target", "spherical"} + ", or " +
                              Option{"shrinkage", "auto"} +
                              ", whose target does not depend on units");
}

/// Shrinkage has no effect: the covariance is its own target.
bool shrinks_nothing(const EstimateOptions& options) {
  if (is_dense(options.covariance)) return false;
  switch (options.shrinkage->kind()) {
    case Shrinkage::Kind::share:
      return is_share(options.shrinkage->value()) &&
             (options.target == Target::diag || is_spherical(options.covariance));
    case Shrinkage::Kind::automatic:
      return options.covariance != Covariance::diag;
    case Shrinkage::Kind::rows:
    case Shrinkage::Kind::oas:
      break;
  }
  return false;
}

/// Each option by itself, and beside the covariance's structure.
void require_values(const EstimateOptions& options) {
  if (!(options.smoothing >= 0) || !std::isfinite(options.smoothing))
    throw InvalidArgument(Option{"smoothing"} + " is " + name_of(options.smoothing),
                          "a pseudo-count is finite and not negative (0: none)");
  if (!options.pooling.empty() && !is_tied(options.covariance))
    throw InvalidArgument("pooling weights are for a tied covariance, not for " +
                          of_structure(options.covariance));
  require_projections(options);
  require_share(options.towards_tied, "towards_tied");
  if (options.towards_tied > 0 && is_tied(options.covariance))
    throw InvalidArgument(of_structure(options.covariance) + " is one for all classes already",
                          Option{"towards_tied"} + " must be 0");
  if (options.target == Target::spherical && !options.shrinkage)
    throw InvalidArgument(
        Option{"target", "spherical"} +
            " is what a share of shrinkage shrinks towards, and no share is given",
        "use " + Option{"shrinkage"} + " from 0 to 1, or " + Option{"shrinkage", "oas"});
}

/// What the shrinkage cannot stand beside. `shrinkage` and `target` are set.
void require_shrinkage(const EstimateOptions& options) {
  const double value = options.shrinkage->value();
  switch (options.shrinkage->kind()) {
    case Shrinkage::Kind::share:
      require_share(value, "shrinkage");
      break;
    case Shrinkage::Kind::rows:
      if (!(value > 0) || !std::isfinite(value))
        throw InvalidArgument(Option{"shrinkage"} + " is " + name_of(value) + " rows of the target",
                              "it must be more than 0 and finite");
      require_prior_alone(options, "shrinkage by rows");
      break;
    case Shrinkage::Kind::oas:
      require_oas(options);
      break;
    case Shrinkage::Kind::automatic:
      require_prior_alone(options, Option{"shrinkage", "auto"});
      break;
  }
  if (options.inference == Inference::plugin) return;
  const Option who{"estimate", std::string(to_string(options.inference))};
  if (!options.shrinkage->is_prior() && !options.shrinkage->is_none())
    throw InvalidArgument(
        who + " has a prior instead of a share",
        "use " + Option{"shrinkage", "auto"} + " (or 0), or " + Option{"estimate", "plugin"});
  require_prior_alone(options, who);
}

}  // namespace

std::string_view to_string(Normalize normalize) { return name_in(normalize_names, normalize); }
std::string_view to_string(Inference inference) { return name_in(inference_names, inference); }
std::string_view to_string(Target target) { return name_in(target_names, target); }

Normalize normalize_from_string(std::string_view name) {
  return value_in(normalize_names, name, "normalisation", "mle or unbiased");
}
Inference inference_from_string(std::string_view name) {
  return value_in(inference_names, name, "estimate", "plugin, map or bayes");
}
Target target_from_string(std::string_view name) {
  return value_in(target_names, name, "target", "diag or spherical");
}

std::string to_string(const Shrinkage& shrinkage) {
  switch (shrinkage.kind()) {
    case Shrinkage::Kind::automatic:
      return "auto";
    case Shrinkage::Kind::share:
      return name_of(shrinkage.value());
    case Shrinkage::Kind::oas:
      return "oas";
    case Shrinkage::Kind::rows:
      break;
  }
  return name_of(shrinkage.value()) + (shrinkage.value() == 1 ? " row" : " rows");
}

Shrinkage shrinkage_from_string(std::string_view name) {
  if (name == "auto") return Shrinkage::automatic();
  if (name == "oas") return Shrinkage::oas();
  if (name == "loo")
    throw InvalidArgument(
        "shrinkage 'loo' reads the rows a second time, which is for fit alone; choose auto here, "
        "or shares");
  bool by_rows = false;
  std::string_view number = name;
  for (const std::string_view unit : {" rows", " row"})
    if (number.ends_with(unit)) {
      number.remove_suffix(unit.size());
      by_rows = true;
    }
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [read, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc() || read != end)
    throw InvalidArgument("there is no shrinkage '" + std::string(name) +
                          "'; choose auto, loo, oas, or a share from 0 (none) to 1");
  return by_rows ? Shrinkage::rows(value) : Shrinkage::share(value);
}

EstimateOptions resolve(EstimateOptions options) {
  require_values(options);
  const bool mixed_otherwise = options.towards_tied > 0 || !options.pooling.empty();
  if (!options.shrinkage)
    options.shrinkage = mixed_otherwise ? Shrinkage::none() : Shrinkage::automatic();
  if (!options.target)
    options.target = *options.shrinkage == Shrinkage::oas() ? Target::spherical : Target::diag;
  if (options.inference == Inference::plugin && shrinks_nothing(options))
    options.shrinkage = Shrinkage::none();
  require_shrinkage(options);
  if (options.shrinkage->is_none()) options.target = Target::diag;
  if (has_prior(options)) options.normalize = Normalize::mle;  // a prior leaves no choice
  return options;
}

bool has_prior(const EstimateOptions& options) {
  return options.inference != Inference::plugin || options.shrinkage->is_prior();
}

}  // namespace suffice
