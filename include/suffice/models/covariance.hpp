#pragma once
// The structure of the covariances of a Gaussian block.

#include <string_view>

namespace suffice {

enum class Covariance { full, tied, diag, tied_diag, spherical, tied_spherical };

/// "full", "tied", "diag", "tied-diag", "spherical", "tied-spherical".
std::string_view to_string(Covariance covariance);
/// Throws InvalidArgument.
Covariance covariance_from_string(std::string_view name);

/// All classes share one covariance.
bool is_tied(Covariance covariance);
/// A d × d matrix, which needs the scatter of complete rows.
bool is_dense(Covariance covariance);
/// One variance per feature.
bool is_diagonal(Covariance covariance);
/// One variance for all features.
bool is_spherical(Covariance covariance);

}  // namespace suffice
