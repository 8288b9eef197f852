#include "train/mixture_em.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "core/take.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// The share of its class below which nothing is left of a component.
constexpr double least_share = 1e-9;

/// Those of a component.
EstimateOptions options_of_one(EstimateOptions options) {
  options = resolve(std::move(options));
  options.components = 1;
  return options;
}

EstimateOptions options_between(EstimateOptions options) {
  options.tails = Tails::normal();
  options.inference = Inference::plugin;
  options.normalize = Normalize::mle;
  return resolve(std::move(options));
}

EstimateOptions options_to_begin(EstimateOptions options) {
  options = options_between(std::move(options));
  options.shrinkage = Shrinkage::automatic();
  options.target = {};
  options.target_share = {};
  options.towards_tied = 0;
  if (!options.smoothing.is_automatic())
    options.smoothing = std::max(options.smoothing.value(), 0.1);
  return resolve(std::move(options));
}

/// Sums of components that have no rows left become 0.
void clear_empty(Statistics::Parts& parts, const Mixture& grouping, Index classes) {
  std::vector<double> total(at(classes));
  for (Index g = 0; g < grouping.size(); ++g) total[at(grouping.label[at(g)])] += parts.weights[g];
  std::vector<Index> kept(at(grouping.size()));
  for (Index g = 0; g < grouping.size(); ++g)
    kept[at(g)] = parts.weights[g] > least_share * total[at(grouping.label[at(g)])] ? g : -1;
  if (std::ranges::find(kept, -1) == kept.end()) return;
  parts.weights = some_of(parts.weights, kept);
  parts.squared_weights = some_of(parts.squared_weights, kept);
  const auto keep = [&](auto& sums) { sums = taken(sums, Axis::class_, kept); };
  for (BlockStatistics& block : parts.blocks) std::visit(keep, block);
}

}  // namespace

ComponentEstimate::ComponentEstimate(const Statistics& statistics, const EstimateOptions& options,
                                     const Execution& execution)
    : options_(options_of_one(options)),
      in_passes_(options_between(options_)),
      first_(options_to_begin(options_)) {
  if (!options_.pca && !options_.lda) return;
  ProjectedStatistics projected =
      project(statistics, suffice::components_of(options_), options_.lda, execution);
  map_ = std::move(projected.map);
  components_ = projected.components;
}

Model ComponentEstimate::estimated(const Statistics& components, const EstimateOptions& options,
                                   const Execution& execution) const {
  if (!map_) return estimate(components, options, execution);
  ProjectedStatistics projected = project(components, *map_, execution);
  projected.components = components_;
  return estimate(projected, options, execution);
}

BoundedModel bounded_model(Statistics::Parts parts, const ComponentBound& bound,
                           const std::function<Model(const Statistics&)>& estimate) {
  bound.remove_rounding(parts);
  Index bounded = bound.is_for_each() ? bound.apply(parts) : 0;
  Statistics sums(parts);
  try {
    Model model = estimate(sums);
    return {std::move(sums), std::move(model), bounded};
  } catch (const SingularError&) {
    if (bound.is_for_each()) throw;
  }
  bounded = bound.apply(parts);
  sums = Statistics(std::move(parts));
  Model model = estimate(sums);
  return {std::move(sums), std::move(model), bounded};
}

MixtureEmResult run_mixture(const ComponentSetup& setup, const ComponentEstimate& estimate,
                            const ComponentBound& bound, Model start, const RowPass& rows,
                            const PassOptions& passes, double weight, bool robust,
                            const Execution& execution) {
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  std::optional<Statistics> sums;
  Model model = std::move(start);
  Index bounded = 0;
  const auto pass = [&] {
    ComponentSums expected(setup, model, quiet);
    rows([&](const RowBlock& block) {
      expected.add(block, quiet);
      if (execution.stop.stop_requested()) throw Cancelled();
    });
    Statistics::Parts parts = expected.sums();
    clear_empty(parts, setup.grouping, setup.labels.size());
    BoundedModel next = bounded_model(std::move(parts), bound, [&](const Statistics& of) {
      return robust ? estimate.first(of, quiet) : estimate.in_pass(of, quiet);
    });
    sums = std::move(next.sums);
    model = std::move(next.model);
    bounded = next.bounded;
    return expected.log_likelihood();
  };
  EmPasses done = run_em(passes, weight, pass, execution);
  return {std::move(*sums), std::move(model), std::move(done), bounded};
}

}  // namespace suffice
