#include "train/mixture_start.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/standard_error.hpp"
#include "data/folds.hpp"
#include "data/gather.hpp"
#include "estimate/rows_used.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/parameter_count.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "train/clusters.hpp"
#include "train/component_statistics.hpp"

namespace suffice {
namespace {

constexpr PassOptions short_passes{.iterations = 40, .tolerance = 1e-4};
constexpr Index folds = 5;
/// Rows that a component needs at least where their number is chosen.
constexpr Index least_rows = 10;

/// Rows of a class with memory of their own.
struct OwnRows {
  GatheredRows gathered;
  std::vector<double> weight;
  std::vector<std::int32_t> zeros;
  std::vector<std::string> name;

  OwnRows(const RowBlock& from, const std::vector<Index>& members, std::string label)
      : gathered(from, members), zeros(members.size()), name{std::move(label)} {
    for (const Index i : members)
      weight.push_back(static_cast<const double*>(from.weights().data)[i]);
  }
  RowBlock block() const {
    RowBlock result = gathered.block();
    result.labels(Column(zeros.data(), std::ssize(zeros), Strings(name)));
    result.weights(Column(weight));
    return result;
  }
};

double weighted_sum(const LogLikelihoods& scores, const std::vector<double>& weight) {
  CompensatedSum sum;
  for (Index i = 0; i < scores.rows(); ++i) sum.add(weight[at(i)] * scores.values(i, 0));
  return sum.value();
}

}  // namespace

ClassStart::ClassStart(const Input& input, std::vector<Index> members, const Execution& execution)
    : input_(input), members_(std::move(members)), execution_(execution) {}

ClassStart ClassStart::part(const std::vector<Index>& members) const {
  return {input_, members, execution_};
}

Model ClassStart::model_of(const Fit& fit) const {
  const Model components = input_.estimate.first(fit.sums, execution_);
  if (fit.grouping.size() == 1) return components;
  Mixture mixture = fit.grouping;
  mixture.weights = components.weights();
  Vector weight(1);
  weight[0] = mixture.weights.map().sum();
  return Model({.schema = components.schema(),
                .labels = Names{input_.label},
                .weights = std::move(weight),
                .densities = components.densities(),
                .mixture = std::move(mixture)});
}

std::vector<bool> ClassStart::blocks_to_complete(const Statistics& sums) const {
  std::vector<bool> result;
  for (const BlockStatistics& block : sums.blocks()) {
    const auto* of = std::get_if<GaussianStatistics>(&block);
    result.push_back(of && input_.complete_missing && is_incomplete(*of) &&
                     input_.estimate.completes());
  }
  return result;
}

ClassStart::Fit ClassStart::fit_from(std::span<const Index> cluster, Index components) const {
  const Index counts[] = {components};
  const Names labels{input_.label};
  Fit result{.grouping = mixture_of(labels, counts),
             .sums = Statistics(input_.schema, {.scatter = input_.scatter})};
  const OwnRows own(input_.rows, members_, input_.label);
  const RowBlock rows = own.block();
  Statistics whole(input_.schema, {.scatter = input_.scatter});
  whole.update(rows, {.block_rows = rows.rows()}, execution_);
  const std::vector<bool> completed = blocks_to_complete(whole);
  if (components == 1) {
    result.sums = without_correlations(whole, completed, whole, result.grouping.label);
    return result;
  }
  std::vector<std::int32_t> code(cluster.begin(), cluster.end());
  RowBlock clustered = rows;
  clustered.labels(Column(code.data(), std::ssize(code), Strings(result.grouping.names.list())));
  result.sums.update(clustered, {.block_rows = rows.rows()}, execution_);
  ComponentSetup setup{.schema = input_.schema,
                       .labels = labels,
                       .grouping = result.grouping,
                       .scatter = input_.scatter,
                       .completed = completed,
                       .log_prior = {0.0}};
  const ComponentBound bound(whole, result.grouping, input_.estimate.beginning());
  const auto first = [&](const Statistics& of) { return input_.estimate.first(of, execution_); };
  result.sums = without_correlations(result.sums, completed, whole, result.grouping.label);
  BoundedModel begin = bounded_model(result.sums.parts(), bound, first);
  const RowPass pass = [&](const auto& use) { use(rows); };
  MixtureEmResult found = run_mixture(setup, input_.estimate, bound, std::move(begin.model), pass,
                                      short_passes, whole.weights().map().sum(), true, execution_);
  result.log_likelihood = found.passes.log_likelihood.back();
  result.sums = std::move(found.sums);
  return result;
}

ClassStart::Fit ClassStart::fit(Index components, Index tries) const {
  std::vector<Index> one(members_.size());
  if (components == 1) return fit_from(one, 1);
  const OwnRows own(input_.rows, members_, input_.label);
  const Matrix points = points_of(input_.schema, own.gathered.block());
  std::optional<Fit> best;
  std::optional<SingularError> failed;
  for (Index attempt = 0; attempt < tries; ++attempt) {
    const std::vector<Index> cluster =
        clusters_of(points, own.weight, components, input_.seed,
                    static_cast<std::uint64_t>(attempt * 1000 + components));
    const Index found = *std::max_element(cluster.begin(), cluster.end()) + 1;
    try {
      Fit fit = fit_from(cluster, found);
      if (!best || fit.log_likelihood > best->log_likelihood) best = std::move(fit);
    } catch (const SingularError& error) {
      failed.emplace(error);
    }
  }
  if (!best) throw *failed;
  return std::move(*best);
}

std::vector<ComponentsTried> ClassStart::compare(Index most, Index tries) const {
  const Index n = std::ssize(members_);
  const OwnRows all(input_.rows, members_, input_.label);
  const std::vector<std::int32_t> fold =
      Folds::dealt(folds, input_.seed)
          .next(Names{input_.label}, all.zeros.data(), n, Column(), nullptr);
  const Matrix points = points_of(input_.schema, all.gathered.block());
  if (std::all_of(points.data(), points.data() + points.size(), [&](double x) { return x == 0; }))
    return {ComponentsTried{}};  // rows that do not differ
  const double rows = std::accumulate(all.weight.begin(), all.weight.end(), 0.0);
  std::vector<ComponentsTried> result;
  std::vector<Vector> held_out;
  Index best = 0;
  for (Index g = 1; g <= std::clamp<Index>(n / least_rows, 1, most); ++g) {
    const Fit whole = fit(g, tries);
    if (g > 1 && whole.grouping.size() < g) break;
    ComponentsTried tried{.components = g};
    const Model of_all = model_of(whole);
    const double log_likelihood_of_all =
        weighted_sum(log_likelihood(of_all, all.block(), {}, execution_), all.weight);
    tried.bic = parameter_count(of_all).total() * std::log(rows) - 2 * log_likelihood_of_all;
    Vector& scores = held_out.emplace_back(n);
    for (Index f = 0; f < folds && n >= 2 * folds; ++f) {
      std::vector<Index> others, out, place;
      for (Index i = 0; i < n; ++i) {
        (fold[at(i)] == f ? out : others).push_back(members_[at(i)]);
        if (fold[at(i)] == f) place.push_back(i);
      }
      const ClassStart rest = part(others);
      const Model model = rest.model_of(rest.fit(g, tries));
      const GatheredRows gathered(input_.rows, out);
      const LogLikelihoods of = log_likelihood(model, gathered.block(), {}, execution_);
      for (std::size_t k = 0; k < place.size(); ++k)
        scores[place[k]] = of.values(static_cast<Index>(k), 0);
    }
    CompensatedSum sum;
    for (Index i = 0; i < n; ++i) sum.add(all.weight[at(i)] * scores[i]);
    tried.held_out = sum.value() / rows;
    result.push_back(tried);
    if (tried.held_out > result[at(best)].held_out) best = g - 1;
    if (g - 1 - best >= 2) break;
  }
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k].standard_error =
        gain(held_out[at(best)], held_out[k], all.weight, all.weight).standard_error;
  return result;
}

Index best_number(std::span<const ComponentsTried> tried) {
  double most = -infinity;
  for (const ComponentsTried& of : tried) most = std::max(most, of.held_out);
  for (const ComponentsTried& of : tried)
    if (of.held_out + of.standard_error >= most) return of.components;
  return 1;
}

}  // namespace suffice
