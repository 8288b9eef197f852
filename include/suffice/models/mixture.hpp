#pragma once
// Classes that are mixtures of several densities, their components:
//
//   log p(x | c) = log Σ_{g of c} share_g p(x | g)
//
// A component has a density in every block, so that blocks depend on each other within a class.

#include <span>
#include <tuple>
#include <vector>

#include "suffice/core/fields.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"

namespace suffice {

struct Mixture {
  Names names;               ///< of the components: the densities of a model have a row for each
  std::vector<Index> label;  ///< per component: the position of its class
  /// Per component: the weight of its rows. Its share of its class is that of these weights.
  Vector weights;

  Index size() const noexcept { return names.size(); }
  /// Per component: its share of its class; 0 where the class has no rows.
  Vector shares() const;
  /// Per component: the probability of its class times its share.
  Vector probabilities(std::span<const double> of_classes) const;
  /// Per class: the positions of its components.
  std::vector<std::vector<Index>> by_class(Index classes) const;

  static constexpr auto fields() {
    return std::tuple{Field{"names", &Mixture::names}, Field{"label", &Mixture::label},
                      Field{"weights", &Mixture::weights}};
  }
  friend bool operator==(const Mixture&, const Mixture&) = default;
};

/// A grouping without weights: `count[c]` components of each class, called "a/1", "a/2", …. Where
/// every class has one, they are called as the classes are.
Mixture mixture_of(const Names& labels, std::span<const Index> count);

}  // namespace suffice
