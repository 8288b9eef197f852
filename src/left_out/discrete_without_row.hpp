#pragma once
// Discrete families in leave-one-out: the row's counts leave the sums of its class.

#include "left_out/block_without_row.hpp"

namespace suffice {

/// Of a block that is not Gaussian.
std::unique_ptr<BlockWithoutRow> make_discrete_without_row(const BlockInput& input);

}  // namespace suffice
