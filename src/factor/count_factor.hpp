#pragma once
// What scoring needs of the families that are estimated from Σ w x.

#include <vector>

#include "core/at.hpp"
#include "core/parallel.hpp"
#include "models/feature_family.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// Families that are estimated from Σ w x: log p(x | c) = Σ_j [at_zero(c, j) + slope(c, j) x_j] −
/// Σ_j shared(x_j). Bernoulli: log(1 − p) and logit p; Poisson: −λ and log λ; multinomial: 0 and
/// log p.
///
/// Where parameters are not known but distributed themselves, beyond(c, j, x_j) of the x_j ≠ 0
/// comes on top. Negative binomials and Dirichlet-multinomial documents have a (a + 1) … (a + x −
/// 1) instead of a^x, with a the shape, or the concentration times a probability. Documents of N
/// words lose log_gamma_excess(A, N) besides, A the concentration.
struct CountFactor {
  Matrix at_zero;           ///< K × d; empty: all 0 (multinomial)
  Matrix slope;             ///< K × d
  Vector constant;          ///< K: Σ_j at_zero(c, j)
  Matrix value;             ///< K × d: what `beyond` is given; empty: it looks at the shape alone
  Matrix shape;             ///< K × d; empty: nothing is beyond
  Vector concentration;     ///< K: documents; otherwise empty
  double length_power = 1;  ///< scores of documents of N words are multiplied by N^(P − 1)
  /// Values that a class excludes (a probability of 0 or 1, a rate of 0). Their at_zero and slope
  /// are set to finite numbers that are right for the values which remain possible.
  struct Excluded {
    Index label, feature;
    bool zero;  ///< x = 0 is impossible (Bernoulli p = 1); otherwise x > 0 is
  };
  std::vector<Excluded> excluded;
  double (*beyond)(const FeatureParameters&, double x) = nullptr;
  double (*shared)(double x) noexcept = nullptr;  ///< null: 0
};

/// `describe(c, j)` gives the LinearCell of feature j of class c.
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

template <FeatureDensity Features>
CountFactor make_factor(const Features& density, const Vector& weights, Workers& workers) {
  using Described = FeatureFamily<Features>;
  CountFactor factor = make_count_factor(
      values_of(density), weights, true,
      [&](Index c, Index j) { return Described::cell(parameters_of(density, c, j)); }, workers);
  factor.shared = Described::shared;
  if (const Matrix* shapes = shapes_of(density); shapes && !shapes->empty()) {
    factor.value = values_of(density);
    factor.shape = *shapes;
    factor.beyond = Described::beyond;
  }
  return factor;
}
CountFactor make_factor(const MultinomialDensity& density, const Vector& weights, Workers& workers);

}  // namespace suffice
