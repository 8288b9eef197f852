#pragma once
// W with Wᵀ W = Σ⁻¹: the factor that turns a covariance into the identity.

#include <span>
#include <string>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Σ_oo of a sub-block: W and −½ log det 2πΣ of the features at `kept` (positions in `covariance`).
/// Returns the number of leading features that are independent of those before them; it is
/// kept.size() on success, and then W (lower triangular) and log_norm are set.
Index whiten(const Matrix& covariance, std::span<const Index> kept, Matrix& whitener,
             double& log_norm);
/// The same for all features of a covariance that the classes share, called `names`. Throws
/// SingularError where they are not independent, as after a subtraction that lost its digits.
void whiten_shared(const Matrix& covariance, const std::vector<std::string>& names,
                   Matrix& whitener, double& log_norm);

/// Throws SingularError: of the features at `used` those from position `first` on depend on others.
/// An empty label: the covariance of all classes. `weight` is that of the rows behind it.
[[noreturn]] void throw_dependent(const std::string& label, double weight, const Matrix& covariance,
                                  std::span<const Index> used, Index first,
                                  const std::vector<std::string>& names);

}  // namespace suffice
