#include "models/factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/at.hpp"
#include "core/blas.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "models/structure.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Row i of the inverse Cholesky factor of the correlations has the squared length (1 + |β|²) / r:
/// r is the share of feature i's variance that its regression β on the features before it leaves
/// over. Correlations rounded by ε change r by about ε (1 + |β|²), so where ε times that length
/// reaches 1 nothing of r is left but rounding. The lengths add up to the trace of the inverse,
/// which no choice of fewer features makes larger.
double rounding_of_correlations(Index d) {
  return 10 * static_cast<double>(d + 10) * std::numeric_limits<double>::epsilon();
}

/// The lower triangle of the correlations of the features at `kept`; `scale` gets 1/σ. Stops at the
/// first feature without a variance and returns how many there are before it.
Index correlations(const Matrix& covariance, std::span<const Index> kept, Matrix& result,
                   Vector& scale) {
  const auto n = static_cast<Index>(kept.size());
  result = Matrix(n, n);
  scale = Vector(n);
  for (Index i = 0; i < n; ++i) {
    const double* row = covariance.data() + kept[i] * covariance.cols();
    const double variance = row[kept[i]];
    if (!(variance > 0) || !std::isfinite(variance)) return i;
    scale[i] = 1 / std::sqrt(variance);
    for (Index j = 0; j < i; ++j) result(i, j) = row[kept[j]] * scale[i] * scale[j];
    result(i, i) = 1;
  }
  return n;
}

}  // namespace

Index whiten(const Matrix& covariance, std::span<const Index> kept, Matrix& whitener,
             double& log_norm) {
  const auto n = static_cast<Index>(kept.size());
  log_norm = 0;
  if (n == 0) {
    whitener = Matrix();
    return 0;
  }
  Matrix factor;
  Vector scale;
  const Index with_variance = correlations(covariance, kept, factor, scale);
  const Index positive = with_variance ? blas::cholesky(with_variance, factor.data(), n) : 0;
  double log_det = 0;
  for (Index i = 0; i < positive; ++i) log_det += std::log(factor(i, i)) - std::log(scale[i]);
  log_norm = -0.5 * static_cast<double>(n) * log_2pi - log_det;

  if (positive > 0) blas::invert_lower(positive, factor.data(), n);
  const double rounding = rounding_of_correlations(n);
  double trace = 0;
  for (Index i = 0; i < positive; ++i) {
    const double* row = factor.data() + i * n;
    trace += std::inner_product(row, row + i + 1, row, 0.0);
    if (!(rounding * trace < 1)) return i;
  }
  if (positive < n) return positive;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) factor(i, j) *= scale[j];
    for (Index j = i + 1; j < n; ++j) factor(i, j) = 0;
  }
  whitener = std::move(factor);
  return n;
}

std::vector<std::string> names_of(const GaussianDensity& density, const Schema& schema,
                                  const Block& block) {
  if (density.projection.empty()) return schema.names(block);
  std::vector<std::string> names;
  for (Index j = 0; j < density.projection.matrix.cols(); ++j)
    names.push_back("z" + std::to_string(j));
  return names;
}

Dependence dependence(const Matrix& covariance, std::span<const Index> kept) {
  const auto n = static_cast<Index>(kept.size());
  const double rounding = rounding_of_correlations(n);
  Dependence result;
  std::vector<Index> basis;            // independent features so far
  std::vector<double> scale;           // their 1/σ
  Matrix factor(n, n), inverse(n, n);  // row b: basis feature b in L and in L⁻¹
  std::vector<double> row, beta;
  double trace = 0;
  for (const Index feature : kept) {
    const double variance = covariance(feature, feature);
    bool independent = variance > 0 && std::isfinite(variance);
    if (independent) {
      const double scale_here = 1 / std::sqrt(variance);
      const auto rank = static_cast<Index>(basis.size());
      row.assign(at(rank), 0.0);
      beta.assign(at(rank), 0.0);
      double rest = 1;
      for (Index b = 0; b < rank; ++b) {
        const double correlation = covariance(feature, basis[b]) * scale_here * scale[b];
        const double* other = factor.data() + b * n;
        row[b] = (correlation - std::inner_product(other, other + b, row.begin(), 0.0)) / other[b];
        rest -= row[b] * row[b];
        for (Index k = 0; k <= b; ++k) beta[k] += row[b] * inverse(b, k);
      }
      const double length =
          (1 + std::inner_product(beta.begin(), beta.end(), beta.begin(), 0.0)) / rest;
      independent = rest > 0 && rounding * (trace + length) < 1;
      if (independent) {
        trace += length;
        factor(rank, rank) = std::sqrt(rest);
        inverse(rank, rank) = 1 / factor(rank, rank);
        for (Index b = 0; b < rank; ++b) {
          factor(rank, b) = row[b];
          inverse(rank, b) = -beta[b] * inverse(rank, rank);
        }
        basis.push_back(feature);
        scale.push_back(scale_here);
      }
    }
    if (!independent) result.dependent.push_back(feature);
  }
  result.rank = static_cast<Index>(basis.size());
  return result;
}

namespace {

/// The features in a message: this one, or these.
std::string these(const std::vector<std::string>& features) {
  return features.size() == 1 ? "this feature" : "these features";
}

[[noreturn]] void throw_dependent(const std::string& label, double weight, const Matrix& covariance,
                                  std::span<const Index> used, Index first,
                                  const std::vector<std::string>& names) {
  Dependence found = dependence(covariance, used);
  if (found.dependent.empty()) {  // both factorisations are at the edge of rounding and differ
    found.dependent.push_back(used[first]);
    --found.rank;
  }
  std::vector<std::string> features;
  for (Index j : found.dependent) features.push_back(names[j]);
  const bool one = features.size() == 1;
  // Too few rows are a reason of their own, and then no choice of features is to blame.
  const bool few_rows = weight <= static_cast<double>(used.size());
  const std::string sentence =
      std::string("the covariance") + (label.empty() ? " of all classes" : "") +
      " has no inverse: its rank is " + std::to_string(found.rank) + " of " +
      std::to_string(used.size()) +
      (few_rows ? ", since a weight of " + name_of(weight) + " is too little for that many features"
       : one    ? ", since this feature is constant or a linear combination of those before it"
             : ", since these features are constant or linear combinations of those before them");
  const Sentence advice = "use " + Option{"covariance", label.empty() ? "diag" : "tied"} + " or " +
                          Option{"covariance", "tied-diag"} + ", leave " + these(features) +
                          " out, or give more rows";
  throw SingularError({.label = label, .features = std::move(features)}, found.rank,
                      static_cast<Index>(used.size()), sentence, advice);
}

}  // namespace

void whiten_shared(const Matrix& covariance, const std::vector<std::string>& names,
                   Matrix& whitener, double& log_norm) {
  std::vector<Index> all(names.size());
  std::iota(all.begin(), all.end(), Index{0});
  const Index rank = whiten(covariance, all, whitener, log_norm);
  if (rank < std::ssize(all)) throw_dependent({}, infinity, covariance, all, rank, names);
}

namespace {

/// A structure that spreads a variance of 0 over more features or classes.
Sentence remedy(Covariance structure) {
  const Covariance wider =
      structure == Covariance::diag ? Covariance::tied_diag : Covariance::tied_spherical;
  if (is_tied(structure) && is_spherical(structure)) return {};
  return "use " + Option{"covariance", std::string(to_string(wider))} + ", ";
}

[[noreturn]] void throw_no_variance(Covariance structure, const std::string& label,
                                    const std::vector<Index>& flat, Index dimension,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> features;
  for (Index j : flat) features.push_back(names[j]);
  const Sentence advice =
      remedy(structure) + "leave " + these(features) + " out, or give more rows";
  throw SingularError({.label = label, .features = std::move(features)},
                      dimension - static_cast<Index>(flat.size()), dimension,
                      std::string("the variance") + (label.empty() ? " of all classes" : "") +
                          " is 0, so the density has no finite value there",
                      advice);
}

/// W (m − center), −½|…|² and, for one W for all classes, Σ⁻¹ (m − center) = Wᵀ W (m − center).
void whiten_means(GaussianFactor& factor, const Vector& weights, bool tied, Workers& workers) {
  const Index classes = factor.mean.rows();
  const auto n = static_cast<Index>(factor.used.size());
  const bool dense = !factor.whitener.empty();
  const bool linear = tied && factor.dof.empty();
  factor.whitened_mean = Matrix(classes, n);
  if (linear) factor.linear = Matrix(classes, n);
  workers.run(classes, [&](Index c, int) {
    if (!(weights[c] > 0)) return;
    const auto mean = factor.mean.row(c);
    const auto whitened = factor.whitened_mean.row(c);
    double squares = 0;
    if (dense) {
      const Matrix& w = factor.whitener[tied ? 0 : at(c)];
      for (Index i = 0; i < n; ++i) {
        const auto row = w.row(i);
        whitened[i] = std::inner_product(row.begin(), row.begin() + i + 1, mean.begin(), 0.0);
        squares += whitened[i] * whitened[i];
        if (!linear) continue;
        for (Index j = 0; j <= i; ++j) factor.linear(c, j) += row[j] * whitened[i];
      }
    } else {
      const auto inverse =
          factor.inverse_deviation.row(factor.inverse_deviation.rows() == 1 ? 0 : c);
      for (std::size_t j = 0; j < inverse.size(); ++j) {
        whitened[j] = mean[j] * inverse[j];
        squares += whitened[j] * whitened[j];
        if (linear) factor.linear(c, static_cast<Index>(j)) = whitened[j] * inverse[j];
      }
    }
    if (linear) factor.linear_constant[c] = -0.5 * squares;
  });
}

/// The normal density's parts become those of Student's t, whose constant is the normal one's times
/// Γ((ν + n)/2) / Γ(ν/2) / (ν/2)^(n/2).
void make_student(GaussianFactor& factor, const GaussianDensity& density, const Vector& weights) {
  const Index classes = density.mean.rows();
  const Index n = std::ssize(factor.used);
  const bool joint = density.dof.cols() == 1 && !is_diagonal(density.structure);
  const bool dense = is_dense(density.structure);
  factor.dof = Matrix(classes, joint ? 1 : n);
  factor.spread = Vector(dense ? classes : 0);
  if (!dense && factor.inverse_deviation.rows() != classes) {
    const Matrix shared = std::move(factor.inverse_deviation);
    factor.inverse_deviation = Matrix(classes, n);
    for (Index c = 0; c < classes; ++c)
      std::ranges::copy(shared.row(0), factor.inverse_deviation.row(c).begin());
  }
  for (Index c = 0; c < classes; ++c) {
    if (!(weights[c] > 0)) continue;
    const auto scale = [&](Index j) {
      return density.scale.empty() ? 1.0 : density.scale(c, dense ? 0 : factor.used[j]);
    };
    if (dense) {
      factor.spread[c] = scale(0);
      factor.log_norm[c] -= 0.5 * static_cast<double>(n) * std::log(scale(0));
    } else {
      for (Index j = 0; j < n; ++j) {
        factor.inverse_deviation(c, j) /= std::sqrt(scale(j));
        factor.log_norm[c] -= 0.5 * std::log(scale(j));
      }
    }
    for (Index j = 0; j < factor.dof.cols(); ++j) {
      const double dof = factor.dof(c, j) = density.dof(c, joint ? 0 : factor.used[j]);
      factor.log_norm[c] += log_gamma_excess(dof / 2, joint ? static_cast<double>(n) / 2 : 0.5);
    }
  }
}

GaussianFactor make_factor(const GaussianDensity& density, const Model::Parts& parts,
                           const Block& block, Workers& workers) {
  const Vector& weights = parts.weights;
  const Index classes = parts.labels.size();
  const Index d = density.mean.cols();
  const bool tied = is_tied(density.structure);

  GaussianFactor factor;
  for (Index j = 0; j < d; ++j)
    if (!std::ranges::binary_search(density.constant, j)) factor.used.push_back(j);
  const auto n = static_cast<Index>(factor.used.size());
  const auto seen =
      static_cast<double>(std::ranges::count_if(weights, [](double weight) { return weight > 0; }));

  factor.center = Vector(n);
  factor.mean = Matrix(classes, n);
  factor.log_norm = Vector(classes);
  if (tied && density.dof.empty()) factor.linear_constant = Vector(classes);
  for (Index j = 0; j < n; ++j) {
    for (Index c = 0; c < classes; ++c)
      if (weights[c] > 0) factor.center[j] += density.mean(c, factor.used[j]) / seen;
    for (Index c = 0; c < classes; ++c)
      if (weights[c] > 0) factor.mean(c, j) = density.mean(c, factor.used[j]) - factor.center[j];
  }

  const bool student = !density.dof.empty();
  const auto label_of = [&](Index c) { return tied ? std::string() : parts.labels[c]; };
  const Index covariances = tied ? 1 : classes;
  const bool dense = is_dense(density.structure);
  if (dense)
    factor.whitener.resize(at(covariances));
  else
    factor.inverse_deviation = Matrix(covariances, n);
  Vector log_norm(covariances);
  workers.run(covariances, [&](Index c, int) {
    if (!tied && !(weights[c] > 0)) {
      if (dense) factor.whitener[c] = Matrix(n, n);
      return;
    }
    if (dense) {
      const Matrix& covariance = density.covariance[c];
      const Index rank = whiten(covariance, factor.used, factor.whitener[c], log_norm[c]);
      if (rank < n)
        throw_dependent(label_of(c), tied ? infinity : weights[c], covariance, factor.used, rank,
                        names_of(density, parts.schema, block));
      return;
    }
    const Matrix& variances = density.covariance[0];
    const bool one_number = is_spherical(density.structure);
    std::vector<Index> flat;
    double log_det = 0;
    for (Index j = 0; j < n; ++j) {
      const double variance = variances(c, one_number ? 0 : factor.used[j]);
      if (!(variance > 0)) flat.push_back(factor.used[j]);
      factor.inverse_deviation(c, j) = 1 / std::sqrt(variance);
      log_det += 0.5 * std::log(variance);
    }
    if (!flat.empty())
      throw_no_variance(density.structure, label_of(c), flat, n,
                        names_of(density, parts.schema, block));
    log_norm[c] = -0.5 * static_cast<double>(n) * log_2pi - log_det;
  });
  for (Index c = 0; c < classes; ++c)
    if (weights[c] > 0) factor.log_norm[c] = log_norm[tied ? 0 : c];
  if (student) make_student(factor, density, weights);
  whiten_means(factor, weights, tied, workers);
  return factor;
}

template <class Describe>
CountFactor make_count_factor(const Matrix& parameter, const Vector& weights, bool has_constant,
                              const Describe& describe, Workers& workers) {
  const Index classes = parameter.rows();
  const Index d = parameter.cols();
  CountFactor factor;
  if (has_constant) factor.at_zero = Matrix(classes, d);
  factor.slope = Matrix(classes, d);
  factor.constant = Vector(classes);
  std::vector<std::vector<CountFactor::Excluded>> excluded(at(classes));
  workers.run_ranges(classes, [&](Index c) {
    if (!(weights[c] > 0)) return;
    for (Index j = 0; j < d; ++j) {
      const LinearCell cell = describe(c, j);
      if (cell.excludes) excluded[c].push_back({c, j, cell.excludes_zero});
      if (has_constant) factor.at_zero(c, j) = cell.at_zero;
      factor.constant[c] += cell.at_zero;
      factor.slope(c, j) = cell.slope;
    }
  });
  for (const auto& of_class : excluded)
    factor.excluded.insert(factor.excluded.end(), of_class.begin(), of_class.end());
  return factor;
}

CategoricalFactor make_factor(const CategoricalDensity& density, const Vector& weights) {
  CategoricalFactor factor;
  Index total = 0;
  for (const Names& levels : density.levels) {
    factor.first.push_back(total);
    total += levels.size();
  }
  factor.first.push_back(total);
  factor.table = Matrix(total, weights.size());
  for (std::size_t j = 0; j < density.levels.size(); ++j)
    for (Index c = 0; c < weights.size(); ++c)
      for (Index l = 0; l < density.levels[j].size(); ++l)
        if (weights[c] > 0)
          factor.table(factor.first[j] + l, c) = std::log(density.probability[j](c, l));
  return factor;
}

/// How many workers the factors could keep busy: one for small work.
Index workers_for_factors(const Model::Parts& parts) {
  double work = 0;
  for (const Density& density : parts.densities) {
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density)) {
      const auto d = static_cast<double>(gaussian->mean.cols());
      if (is_dense(gaussian->structure))
        work += d * d * d * static_cast<double>(parts.labels.size());
    } else if (const auto* multinomial = std::get_if<MultinomialDensity>(&density)) {
      work += 20 * static_cast<double>(multinomial->probability.size());
    }
  }
  return static_cast<Index>(std::clamp(work / 1e6, 1.0, 1e4));
}

/// The factor of one block.
struct MakeFactor {
  const Model::Parts& parts;
  const Block& block;
  Workers& workers;
  Factor operator()(const GaussianDensity& density) const {
    return make_factor(density, parts, block, workers);
  }
  template <FeatureDensity Features>
  Factor operator()(const Features& density) const {
    using Described = FeatureFamily<Features>;
    CountFactor factor = make_count_factor(
        values_of(density), parts.weights, true,
        [&](Index c, Index j) { return Described::cell(parameters_of(density, c, j)); }, workers);
    factor.shared = Described::shared;
    if (const Matrix* shapes = shapes_of(density); shapes && !shapes->empty()) {
      factor.value = values_of(density);
      factor.shape = *shapes;
      factor.beyond = Described::beyond;
    }
    return factor;
  }
  Factor operator()(const MultinomialDensity& density) const {
    const Matrix& p = density.probability;
    CountFactor factor = make_count_factor(
        p, parts.weights, false,
        [&](Index c, Index j) -> LinearCell {
          if (p(c, j) == 0) return {.excludes = true};
          return {.slope = std::log(p(c, j))};
        },
        workers);
    factor.concentration = density.concentration;
    if (!density.concentration.empty()) {
      factor.beyond = log_rising_excess;
      factor.shape = p;
      for (Index c = 0; c < p.rows(); ++c)
        for (double& value : factor.shape.row(c)) value *= density.concentration[c];
    }
    return factor;
  }
  Factor operator()(const CategoricalDensity& density) const {
    return make_factor(density, parts.weights);
  }
};

}  // namespace

Factors make_factors(const Model::Parts& parts, const Execution& execution) {
  Workers workers(execution, workers_for_factors(parts));
  Factors factors;
  for (std::size_t b = 0; b < parts.densities.size(); ++b)
    factors.blocks.push_back(
        std::visit(MakeFactor{parts, parts.schema.blocks()[b], workers}, parts.densities[b]));
  return factors;
}

}  // namespace suffice
