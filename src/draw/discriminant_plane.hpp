#pragma once
// The plane of a Gaussian block in which its classes differ most.

#include "suffice/models/model.hpp"

namespace suffice::draw {

/// Two directions in which the classes differ by their means or, where the means leave a choice, by
/// their covariances. The pooled covariance along them is the identity, the offset the pooled mean.
/// Features that are constant have no part in it; at least two must vary.
LinearMap discriminant_plane(const Model& model, const GaussianDensity& density);

}  // namespace suffice::draw
