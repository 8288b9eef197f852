#pragma once
// The models that `choose` compares.

#include <vector>

#include "suffice/select/choose.hpp"

namespace suffice {

/// Up to here the whole scatter is kept.
inline constexpr Index most_dense_features = 1000;
/// Up to here, or where there are no more rows than features, full covariances of all features are
/// tried.
inline constexpr Index most_full_features = 400;

struct Proposals {
  std::vector<EstimateOptions> shapes;  ///< all but their tails; resolved, all different
  std::vector<Tails> tails;             ///< those to be tried with each
  bool has_default = true;              ///< the first shape with the first tails is the default
};

/// With m the mean number of rows of a class: full covariances shrunk by v = 0.01 m … 10 m rows of
/// targets between the pooled covariance and its diagonal, or of a spherical target; tied ones;
/// full ones of principal components; diagonal ones. Other families have smoothing 'auto'. Options
/// that are fixed are as given, and shapes that are impossible with them are left out. Throws
/// InvalidArgument where none is left.
Proposals propose(const Statistics& statistics, const ChooseOptions& options);

}  // namespace suffice
