#include "train/component_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "core/take.hpp"
#include "data/gather.hpp"
#include "data/name_encoder.hpp"
#include "data/weights.hpp"
#include "stats/one_block.hpp"
#include "suffice/core/error.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace {

/// A probability below this one is 0: the row's own rounding is larger.
constexpr double least_probability = 1e-17;

/// The density of some classes.
struct ClassesOf {
  std::span<const Index> classes;

  Density operator()(const GaussianDensity& density) const {
    GaussianDensity result = taken(density, Axis::class_, classes);
    if (is_tied(density.structure)) return result;
    if (!is_dense(density.structure)) {
      result.covariance = {some_rows(density.covariance[0], classes)};
      return result;
    }
    result.covariance.clear();
    for (const Index c : classes) result.covariance.push_back(density.covariance[at(c)]);
    return result;
  }
  template <class Features>
  Density operator()(const Features& density) const {
    return taken(density, Axis::class_, classes);
  }
};

}  // namespace

Model model_of_classes(const Model& model, std::span<const Index> classes,
                       const Execution& execution) {
  Model::Parts parts{.schema = model.schema(), .labels = {}, .weights = {}, .densities = {}};
  std::vector<std::string> names;
  parts.weights = some_of(model.weights(), classes);
  for (const Index c : classes) names.push_back(model.labels()[c]);
  parts.labels = Names(std::move(names));
  for (const Density& density : model.densities())
    parts.densities.push_back(std::visit(ClassesOf{classes}, density));
  return Model(std::move(parts), execution);
}

ComponentSums::ComponentSums(const ComponentSetup& setup, const Model& model,
                             const Execution& execution)
    : setup_(setup), model_(model) {
  const Index classes = setup.labels.size();
  const Mixture weighted{setup.grouping.names, setup.grouping.label, model.weights()};
  const Vector shares = weighted.shares();
  const auto by_class = weighted.by_class(classes);
  for (Index c = 0; c < classes; ++c) {
    Group& group = groups_.emplace_back();
    group.components = by_class[at(c)];
    double weight = 0;
    for (const Index g : group.components) {
      group.log_share.push_back(std::log(shares[g]));
      weight += model.weights()[g];
    }
    if (weight > 0 && std::ssize(group.components) < model.labels().size())
      group.model.emplace(model_of_classes(model, group.components, execution));
  }
  Group& unlabelled = groups_.emplace_back();
  unlabelled.factor = setup.unlabelled_weight;
  for (Index g = 0; g < model.labels().size() && setup.unlabelled_weight > 0; ++g) {
    unlabelled.components.push_back(g);
    unlabelled.log_share.push_back(std::log(shares[g]) +
                                   setup.log_prior[at(setup.grouping.label[at(g)])]);
  }
  for (Index g = 0; g < model.labels().size(); ++g)
    parts_.emplace_back(setup.schema, StatisticsOptions{.scatter = setup.scatter,
                                                        .labels = {setup.grouping.names[g]}});
  const auto& blocks = setup.schema.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    block_models_.emplace_back();
    expected_.emplace_back();
    if (!setup.completed[b]) continue;
    block_models_.back() =
        std::make_unique<Model>(Model::Parts{.schema = schema_of_block(setup.schema, b),
                                             .labels = model.labels(),
                                             .weights = model.weights(),
                                             .densities = {model.densities()[b]}},
                                execution);
    expected_.back() = std::make_unique<ExpectedSums>(*block_models_.back(), setup.schema,
                                                      blocks[b], ExpectedSums::Which::all);
  }
}

void ComponentSums::add_group(const Group& group, const RowBlock& rows,
                              std::span<const double> weight, const Execution& execution) {
  const Index n = rows.rows(), components = std::ssize(group.components);
  const LogLikelihoods scores =
      suffice::log_likelihood(group.model ? *group.model : model_, rows, {}, execution);
  Matrix belongs(components, n);  // weight times probability
  constexpr Index chunk_rows = 4096;
  const Index chunks = (n + chunk_rows - 1) / chunk_rows;
  Vector log_likelihoods(chunks), weights(chunks);
  Workers workers(execution, n * components < 20000 ? 1 : chunks);
  workers.run(chunks, [&](Index chunk, int) {
    const Index last = std::min(n, (chunk + 1) * chunk_rows);
    CompensatedSum sum, total;
    for (Index i = chunk * chunk_rows; i < last; ++i) {
      const double w = group.factor * weight[at(i)];
      const double* const score = scores.values.row(i).data();
      double most = -infinity;
      for (Index g = 0; g < components; ++g)
        most = std::max(most, score[g] + group.log_share[at(g)]);
      double mass = 0;
      for (Index g = 0; g < components; ++g) {
        const double p = most == -infinity ? 0 : std::exp(score[g] + group.log_share[at(g)] - most);
        belongs(g, i) = p;
        mass += p;
      }
      for (Index g = 0; g < components; ++g) {
        const double p = belongs(g, i) / mass;
        belongs(g, i) = p >= least_probability ? w * p : 0;
      }
      if (most == -infinity && &group == &groups_.back()) continue;  // no class can make it
      sum.add(w * (most + std::log(mass)));
      total.add(w);
    }
    log_likelihoods[chunk] = sum.value();
    weights[chunk] = total.value();
  });
  for (Index chunk = 0; chunk < chunks; ++chunk) {
    log_likelihood_.add(log_likelihoods[chunk]);
    weight_.add(weights[chunk]);
  }
  const std::vector<std::int32_t> zeros(at(n));
  for (Index k = 0; k < components; ++k) {
    const Index g = group.components[at(k)];
    const std::vector<std::string> name{setup_.grouping.names[g]};
    RowBlock own = rows;
    own.labels(Column(zeros.data(), n, Strings(name)));
    own.weights(Column(belongs.row(k).data(), n));
    parts_[at(g)].update(own, {.block_rows = n}, execution);
    for (const auto& expected : expected_)
      if (expected) expected->add(own, execution);
  }
}

void ComponentSums::add(const RowBlock& rows, const Execution& execution) {
  const bool sparse = std::any_of(rows.parts().begin(), rows.parts().end(), [](const auto& part) {
    return part.kind == RowBlock::Part::Kind::sparse;
  });
  const Index most = rows_per_block(setup_.schema, sparse);
  for (Index first = 0; first < rows.rows(); first += most)
    add_block(rows.slice(first, std::min(most, rows.rows() - first)), execution);
}

void ComponentSums::add_block(const RowBlock& rows, const Execution& execution) {
  const Index n = rows.rows(), classes = setup_.labels.size();
  Vector weight_memory;
  const double* given = read_weights(rows, weight_memory);
  std::vector<std::vector<Index>> members(at(classes + 1));
  if (rows.labels().kind == Column::Kind::none) {
    for (Index i = 0; i < n; ++i)
      if (!given || given[i] > 0) members.back().push_back(i);
  } else {
    Workers workers(execution, 1 + n / 65536);
    const EncodedNames encoded = encode_names(rows.labels(), setup_.labels, given, workers);
    if (encoded.names.size() != classes)
      throw InvalidArgument("the rows have a class that their statistics lack",
                            "give the rows of the statistics again");
    for (Index i = 0; i < n; ++i) {
      if (given && given[i] == 0) continue;
      if (encoded.code[i] == NameReader::infinite)
        throw DataError({.row = i}, "the label is infinite",
                        "a class is a name or a finite number");
      members[at(encoded.code[i] < 0 ? classes : encoded.code[i])].push_back(i);
    }
  }
  for (Index c = 0; c <= classes; ++c) {
    const std::vector<Index>& of = members[at(c)];
    const Group& group = groups_[at(c)];
    if (of.empty() || (c == classes && !(setup_.unlabelled_weight > 0))) continue;
    std::vector<double> weight(of.size(), 1.0);
    for (std::size_t i = 0; i < of.size() && given; ++i) weight[i] = given[of[i]];
    if (std::ssize(of) == n) {
      add_group(group, rows, weight, execution);
    } else {
      const GatheredRows gathered(rows, of);
      add_group(group, gathered.block(), weight, execution);
    }
  }
}

Statistics::Parts ComponentSums::sums() const {
  Statistics all = parts_.front();
  for (std::size_t g = 1; g < parts_.size(); ++g) all = merge(std::move(all), parts_[g]);
  Statistics::Parts parts = all.parts();
  for (std::size_t b = 0; b < expected_.size(); ++b) {
    if (!expected_[b]) continue;
    GaussianStatistics sums = expected_[b]->completed();
    expected_[b]->add_spread(sums);
    parts.blocks[b] = std::move(sums);
  }
  return parts;
}

}  // namespace suffice
