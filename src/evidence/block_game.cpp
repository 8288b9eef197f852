#include "evidence/block_game.hpp"

#include "suffice/models/covariance.hpp"

namespace suffice {

void BlockGame::add_impossible(Index, Index, const Scratch&, std::vector<bool>&) const {}

std::unique_ptr<BlockGame> make_block_game(const BlockGameInput& input) {
  const auto* density = std::get_if<GaussianDensity>(&input.model.densities()[input.block]);
  if (!density) return make_independent_game(input);
  if (input.model.logistic() || !density->projection.empty()) return make_mean_row_game(input);
  // One Student's t of all features makes them depend on each other, whatever the structure.
  if (is_dense(density->structure) || density->dof.cols() == 1) return make_joint_game(input);
  return make_independent_game(input);
}

}  // namespace suffice
