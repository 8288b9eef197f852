#pragma once
// Orders of the features of a joint Gaussian block. With Σ = L Lᵀ and z = L⁻¹ (x − m), the feature
// j given those before it deviates from its conditional mean by (w · z) conditional deviations,
// where w is the unit vector along what row j of L has beyond the span of the rows before it:
//
//   log p(x_S) = Σ_{j in S} −½ log 2π − log |rest of row j| − ½ (w_j · z)²
//
// The w of one order are orthonormal, so that the squares add up to |z|² whatever the order,
// however close Σ is to a singular matrix.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "evidence/walk.hpp"
#include "factor/factors.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// The w of a walk.
struct Directions {
  Matrix vectors;               ///< node after node
  std::vector<Index> first;     ///< per node: its first one; and their number
  std::vector<Index> features;  ///< per node: how many features its set has
  Vector log_deviation;         ///< per node: Σ log |rest| over its set
};

/// Normal densities whose covariances differ: the share of player p in log p(x | c) is
///   constant[p] − ½ zᵀ A_p z.   One more, the last, is what is known without players.
struct NormalForms {
  Matrix forms;  ///< of each: A_ii, 2 A_ij, …, the upper triangle row by row
  Vector constant;
};

/// Normal densities that share a covariance: linear(c, ·) · z + constant(c) of each player, with
/// z = L⁻¹ (x − center), up to terms that all classes share.
struct LinearForms {
  std::vector<Matrix> linear;  ///< per class
  Matrix constant;             ///< classes × players and one more
};

/// The features of a block that some rows have. What is worked out for them is kept.
class JointOrders {
 public:
  /// Per used feature of the block: what a row has of it. `given` features come before all others.
  enum Part : char { absent, present, given };
  struct Input {
    const Model& model;
    std::size_t block;
    const Orders& orders;
    const std::vector<Index>& column;  ///< per used feature
  };

  JointOrders(const Input& input, std::string parts);

  const std::vector<Index>& features() const noexcept { return features_; }
  const std::vector<Index>& players() const noexcept { return players_; }  ///< columns, rising
  bool has_given() const noexcept { return given_ > 0; }

  /// L⁻¹ of the covariance of class c, lower triangular; no features: empty.
  const Matrix& whitener(Index c);
  const NormalForms& normal_forms(Index c);
  const LinearForms& linear_forms();
  /// Of a walk of these players.
  std::shared_ptr<const Directions> directions(Index c, const Walk& walk);
  std::size_t bytes() const noexcept;

 private:
  struct Root {
    std::once_flag made, averaged;
    Matrix whitener, root;
    double log_deviation = 0;  ///< of all features: ½ log det Σ
    NormalForms forms = {};
  };
  Root& root(Index c);
  /// Of the player that a node adds, as positions in features_.
  const std::vector<Index>& features_of(const Walk& walk, Index node) const;
  Directions make_directions(const Root& root, const Walk& walk) const;
  /// use(w, weights) for each vector of all walks, with its weight in the share of each player and
  /// in what is known without players. Returns the logarithms of densities at their means, which
  /// have the same weights.
  template <class Use>
  Vector average(const Root& root, const Use& use) const;

  const Model& model_;
  const GaussianDensity& density_;
  const GaussianFactor& factor_;
  const Orders& orders_;
  std::vector<Index> features_;  ///< positions among the used ones; given ones first
  Index given_ = 0;
  std::vector<Index> players_;
  std::vector<std::vector<Index>> of_player_;  ///< positions in features_
  std::vector<Root> roots_;                    ///< per covariance
  std::once_flag linear_made_;
  LinearForms linear_;
  std::mutex mutex_;  ///< of what follows
  std::map<std::pair<Index, Index>, std::shared_ptr<const Directions>> directions_;
  std::size_t kept_ = 0;
};

/// Of one block: those of all patterns of missing values that have come so far, within bounds.
class AveragedOrders {
 public:
  std::shared_ptr<JointOrders> of(const JointOrders::Input& input, const std::string& parts);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<JointOrders>> by_parts_;
  std::size_t bytes_ = 0;
};

}  // namespace suffice
