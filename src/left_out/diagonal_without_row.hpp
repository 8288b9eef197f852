#pragma once
// Covariances that take features one by one, in leave-one-out.

#include "left_out/gaussian_without_row.hpp"

namespace suffice {

std::unique_ptr<GaussianWithoutRow> make_diagonal_without_row(const BlockInput& input);

}  // namespace suffice
