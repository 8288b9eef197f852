#include "suffice/evaluate/grid.hpp"

#include <set>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr Index most_features_of_dense_default = 1000;
constexpr Index most_features_of_left_out_shares = 100;

bool is_empty(const Grid& grid) {
  return grid.pca.empty() && grid.lda.empty() && grid.covariance.empty() &&
         grid.shrinkage.empty() && grid.target.empty() && grid.towards_tied.empty() &&
         grid.inference.empty() && grid.normalize.empty() && grid.smoothing.empty();
}

struct Kinds {
  Index numbers = 0;      ///< Gaussian features
  bool discrete = false;  ///< others
};

Grid default_grid(const Kinds& kinds, bool one_at_a_time) {
  Grid grid;
  if (kinds.numbers == 0) {
    grid.smoothing = {0.01, 0.1, 1, 10};
    return grid;
  }
  if (kinds.numbers <= most_features_of_dense_default)
    grid.covariance = {Covariance::full, Covariance::tied};
  grid.covariance.insert(grid.covariance.end(), {Covariance::diag, Covariance::tied_diag});
  grid.shrinkage = {Shrinkage::none()};
  if (!one_at_a_time)
    grid.shrinkage.push_back(Shrinkage::automatic());
  else if (kinds.numbers <= most_features_of_left_out_shares)
    grid.shrinkage.insert(grid.shrinkage.end(), {Shrinkage::share(0.1), Shrinkage::share(0.5)});
  return grid;
}

template <class Value>
std::vector<Value> or_default(const std::vector<Value>& list, Value value) {
  return list.empty() ? std::vector<Value>{value} : list;
}

/// Equal for candidates that are the same model.
std::string key_of(EstimateOptions options, const Kinds& kinds) {
  std::string key;
  if (kinds.discrete) key += name_of(options.smoothing) + " ";
  options.smoothing = 1;
  if (kinds.numbers == 0) return key + std::string(to_string(options.inference));
  for (const auto& [name, value] : named(options)) key += name + "=" + value + " ";
  return key;
}

std::vector<EstimateOptions> combinations(const Grid& grid, const Kinds& kinds,
                                          bool one_at_a_time) {
  EstimateOptions fit;
  if (one_at_a_time) fit.shrinkage = Shrinkage::none();  // auto has no form for that
  std::vector<EstimateOptions> candidates;
  std::set<std::string> seen;
  Sentence reason;
  const auto add = [&](EstimateOptions options) {
    try {
      options = resolve(std::move(options));
    } catch (const InvalidArgument& error) {
      if (reason.empty()) reason = error.message();
      return;
    }
    if (seen.insert(key_of(options, kinds)).second) candidates.push_back(options);
  };
  for (const auto& pca : or_default(grid.pca, fit.pca))
    for (const auto& lda : or_default(grid.lda, fit.lda))
      for (const Covariance covariance : or_default(grid.covariance, fit.covariance))
        for (const auto& shrinkage : or_default(grid.shrinkage, fit.shrinkage))
          for (const auto target : or_default(grid.target, fit.target))
            for (const double towards_tied : or_default(grid.towards_tied, fit.towards_tied))
              for (const Inference inference : or_default(grid.inference, fit.inference))
                for (const Normalize normalize : or_default(grid.normalize, fit.normalize))
                  for (const double smoothing : or_default(grid.smoothing, fit.smoothing))
                    add({.covariance = covariance,
                         .normalize = normalize,
                         .smoothing = smoothing,
                         .pca = pca,
                         .lda = lda,
                         .shrinkage = shrinkage,
                         .target = target,
                         .towards_tied = towards_tied,
                         .inference = inference});
  if (candidates.empty()) throw InvalidArgument("there is nothing to choose among: " + reason);
  return candidates;
}

}  // namespace

std::vector<EstimateOptions> candidates_of(const Grid& grid, const Schema& schema,
                                           bool one_at_a_time) {
  Kinds kinds;
  for (const Feature& feature : schema.features())
    if (feature.family == Family::gaussian)
      ++kinds.numbers;
    else
      kinds.discrete = true;
  return combinations(is_empty(grid) ? default_grid(kinds, one_at_a_time) : grid, kinds,
                      one_at_a_time);
}

void require_candidates(const Grid& grid) { combinations(grid, {1, true}, false); }

std::vector<std::pair<std::string, std::string>> named(const EstimateOptions& options) {
  std::vector<std::pair<std::string, std::string>> result;
  if (options.pca) result.emplace_back("pca", to_string(*options.pca));
  if (options.lda) result.emplace_back("lda", std::to_string(*options.lda));
  result.emplace_back("covariance", to_string(options.covariance));
  result.emplace_back("shrinkage", to_string(options.shrinkage.value_or(Shrinkage())));
  if (options.target == Target::spherical)
    result.emplace_back("target", to_string(*options.target));
  if (options.towards_tied > 0) result.emplace_back("towards_tied", name_of(options.towards_tied));
  result.emplace_back("estimate", to_string(options.inference));
  result.emplace_back("normalize", to_string(options.normalize));
  result.emplace_back("smoothing", name_of(options.smoothing));
  return result;
}

}  // namespace suffice
