#pragma once
// The scores of a view's model on a grid of its axes, and what is decided there.

#include "draw/view.hpp"

namespace suffice::draw {

class GridScores {
 public:
  /// `across` × `down` points (down = 1: one axis) between the ends of the domains.
  GridScores(const View& view, const plot::Options& options, const Domain& x, const Domain& y,
             Index across, Index down);

  Index across() const { return across_; }
  Index down() const { return down_; }
  double x(double column) const;
  double y(double row) const;
  /// log p(x | c), a grid (down × across) of the class.
  Matrix log_likelihood(Index c) const;
  /// P(c | x).
  Matrix posterior(Index c) const;
  /// How much cheaper than all others it is to decide c, as a difference of logarithms: ≥ 0 where c
  /// is decided. The logarithm is smooth, so that borders can be interpolated.
  Matrix margin(Index c) const;
  /// The class that is decided at a point of the grid.
  Index decided(Index row, Index column) const;

 private:
  Index at(Index row, Index column) const { return row * across_ + column; }
  void fill_costs(const Matrix& scores, const Priors& priors, const Costs& costs);
  void fill_mistakes(const Matrix& scores, const Priors& priors);
  void find_cheapest();

  Domain x_, y_;
  Index across_, down_, classes_;
  Matrix scores_;      // points × K
  Matrix posteriors_;  // points × K
  Matrix log_cost_;    // points × K: log of the expected cost of deciding k, up to a constant
  std::vector<Index> cheapest_;  // per point: the class that is decided
  Vector next_;                  // per point: log_cost_ of the class that comes next
};

/// The priors of the options: given, or the training frequencies.
Priors priors_of(const Model& model, const plot::Options& options);
/// "Priors a 0.2, b 0.8." and costs, as a note; empty where both are the default.
std::string decision_note(const Model& model, const plot::Options& options);

}  // namespace suffice::draw
