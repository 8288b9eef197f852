#pragma once
// Linear maps of a Gaussian block that are computed from its sums: principal components and linear
// discriminant analysis. They look at the rows that are complete in the block, all classes together
// and none of their priors.
//
//   total covariance  T = (Σ S_c + B) / W,   B = Σ W_c (m_c − m)(m_c − m)ᵀ,   m = Σ W_c m_c / W
//   within classes    C = Σ S_c / W
//
// Features that are constant over all rows have no part in a map: their rows of the matrix are 0.

#include <string>
#include <string_view>

#include "suffice/core/fields.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

class Statistics;

/// z = (x − offset) · matrix: k numbers instead of the d features of a block.
struct LinearMap {
  Matrix matrix;  ///< d × k
  Vector offset;  ///< d
  /// For people, one number for each of the k: the share of the total variance that lies along it
  /// (PCA), or the variance between classes over that within them (LDA). Empty: not known.
  Vector explained = {};

  static constexpr auto fields() {
    return std::tuple{Field{"matrix", &LinearMap::matrix}, Field{"offset", &LinearMap::offset},
                      Field{"explained", &LinearMap::explained, Presence::shown_if_any}};
  }
  bool empty() const noexcept { return matrix.empty(); }
  friend bool operator==(const LinearMap&, const LinearMap&) = default;
};

/// How many principal components: a number of them, or the least number that has a share of the
/// variance.
struct Pca {
  Index components = 0;
  double share = 0;  ///< in (0, 1]; 0: `components` says it
  /// Each feature is divided by its deviation over all rows first, so that units do not matter.
  bool standardize = false;

  friend bool operator==(const Pca&, const Pca&) = default;
};

/// "50", "90%", without `standardize`; pca_from_string reads a share such as "0.9" too.
std::string to_string(const Pca& pca);
/// Throws InvalidArgument, also for what no statistics can have.
Pca pca_from_string(std::string_view text);
/// Throws InvalidArgument for what no statistics can have: neither a number nor a share, or both;
/// fewer than one component, a share outside (0, 1].
void require_possible(const Pca& pca);

/// The directions of most variance: unit eigenvectors of T, most first. The offset is m. The first
/// k of a larger number are those that a smaller one gives, to the last bit. Depends on units,
/// unless features are standardised: then the vectors are those of the correlations.
/// Throws InvalidArgument: no Gaussian block, a diagonal scatter, no rows, an impossible number or
/// share, more components than features or than directions with a variance above rounding.
LinearMap principal_components(const Statistics& statistics, Index block, const Pca& pca);

/// The directions in which classes are furthest apart for what they vary within: the generalised
/// eigenvectors of B/W and C with the largest eigenvalues, scaled so that the covariance within
/// classes becomes the identity. The offset is m. Units do not matter.
/// Directions without variance in or between classes are left out. Throws as above, also for more
/// dimensions than classes (with complete rows) less one, or than those in which their means
/// differ; SingularError where classes differ in a direction in which none of them varies.
LinearMap discriminant_components(const Statistics& statistics, Index block, Index dimensions);

/// The least number of principal components, among `rank`, with that share of the variance;
/// `explained` is as in LinearMap.
Index components_for(double share, const Vector& explained, Index rank);

/// The first k numbers of z.
LinearMap first_components(const LinearMap& map, Index k);

/// One map after the other, without the second's offset, which only moves z:
/// (x − first.offset) · first.matrix · second.matrix. What is explained is the second's.
LinearMap compose(const LinearMap& first, const LinearMap& second);

}  // namespace suffice
