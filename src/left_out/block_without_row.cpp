#include "left_out/block_without_row.hpp"

#include "left_out/discrete_without_row.hpp"
#include "left_out/gaussian_without_row.hpp"

namespace suffice {

std::unique_ptr<BlockWithoutRow> make_block_without_row(const BlockInput& input) {
  if (std::holds_alternative<GaussianDensity>(input.model.densities()[input.block]))
    return make_gaussian_without_row(input);
  return make_discrete_without_row(input);
}

}  // namespace suffice
