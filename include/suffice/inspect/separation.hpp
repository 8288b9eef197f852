#pragma once
// Which features tell the classes apart? For each feature by itself, Jeffreys' divergence
//   J(p, q) = Σ or ∫ (p − q) log (p / q)
// of its distribution in two classes, averaged over all pairs of classes (of positive weight). For
// two normals of one variance it is the squared distance of the means in standard deviations.

#include "suffice/models/model.hpp"

namespace suffice {

/// In nats, per feature of the schema. Infinite where one class excludes what another can have; 0
/// for a feature that was left out as constant, and for all where there is only one class. A
/// multinomial feature has its term of the sum over words. NaN for the features of a projected
/// block: the model knows the distributions of their projections, not theirs. Student's t counts as
/// the normal density of its variance (of its scale, where it has none), a negative binomial as the
/// Poisson of its mean, a Dirichlet-multinomial as its probabilities.
Vector separation(const Model& model);

}  // namespace suffice
