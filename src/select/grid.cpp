#include "suffice/select/grid.hpp"

#include <optional>
#include <set>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr Index most_features_of_dense_default = 1000;
constexpr Index most_features_of_left_out_shares = 100;

struct Kinds {
  Index numbers = 0;      ///< Gaussian features
  bool discrete = false;  ///< others
};

Kinds kinds_of(const Schema& schema) {
  Kinds kinds;
  for (const Feature& feature : schema.features())
    if (feature.family == Family::gaussian)
      ++kinds.numbers;
    else
      kinds.discrete = true;
  return kinds;
}

Grid default_grid(const Kinds& kinds, bool one_at_a_time) {
  if (kinds.numbers == 0) return {{"smoothing", {"0.01", "0.1", "1", "10"}}};
  Grid grid{{"covariance", {"diag", "tied-diag"}}, {"shrinkage", {"0"}}};
  if (kinds.numbers <= most_features_of_dense_default)
    grid["covariance"] = {"full", "tied", "diag", "tied-diag"};
  if (!one_at_a_time)
    grid["shrinkage"] = {"0", "auto"};
  else if (kinds.numbers <= most_features_of_left_out_shares)
    grid["shrinkage"] = {"0", "0.1", "0.5"};
  return grid;
}

bool has_effect(const EstimateOption& option, const Kinds& kinds) {
  switch (option.concerns) {
    case EstimateOption::Concerns::numbers:
      return kinds.numbers > 0;
    case EstimateOption::Concerns::other_families:
      return kinds.discrete;
    case EstimateOption::Concerns::all:
      break;
  }
  return true;
}

/// Equal for candidates that are the same model.
std::string key_of(const EstimateOptions& options, const Kinds& kinds) {
  std::string key;
  for (const EstimateOption& option : estimate_options())
    if (has_effect(option, kinds)) key += option.text(options) + " ";
  return key;
}

void require_known(const Grid& grid) {
  for (const auto& [name, values] : grid)
    if (!estimate_option(name).in_grids)
      throw InvalidArgument(Option{name} + " cannot vary in a grid",
                            "give it to the estimate of one model");
}

/// Every combination, whether it is possible or not.
std::vector<EstimateOptions> product_of(const Grid& grid, const EstimateOptions& start) {
  std::vector<EstimateOptions> product{start};
  for (const EstimateOption& option : estimate_options()) {
    const auto list = grid.find(std::string(option.name));
    if (list == grid.end() || list->second.empty()) continue;
    std::vector<EstimateOptions> longer;
    for (const EstimateOptions& options : product)
      for (const std::string& text : list->second) option.set(longer.emplace_back(options), text);
    product = std::move(longer);
  }
  return product;
}

std::vector<EstimateOptions> combinations(const Grid& grid, const Kinds& kinds,
                                          bool one_at_a_time) {
  require_known(grid);
  EstimateOptions start;
  if (one_at_a_time) start.shrinkage = Shrinkage::none();  // auto has no form for that
  std::vector<EstimateOptions> candidates;
  std::set<std::string> seen;
  std::optional<Sentence> reason;
  for (EstimateOptions& options : product_of(grid, start)) {
    try {
      options = resolve(std::move(options));
    } catch (const InvalidArgument& error) {
      if (!reason) reason = error.message();
      continue;
    }
    if (seen.insert(key_of(options, kinds)).second) candidates.push_back(std::move(options));
  }
  if (candidates.empty()) throw InvalidArgument("there is nothing to choose among: " + *reason);
  return candidates;
}

}  // namespace

std::vector<EstimateOptions> candidates_of(const Grid& grid, const Schema& schema,
                                           bool one_at_a_time) {
  const Kinds kinds = kinds_of(schema);
  return combinations(grid.empty() ? default_grid(kinds, one_at_a_time) : grid, kinds,
                      one_at_a_time);
}

void require_candidates(const Grid& grid) { combinations(grid, {1, true}, false); }

bool has_effect(const EstimateOption& option, const Schema& schema) {
  return has_effect(option, kinds_of(schema));
}

}  // namespace suffice
