#pragma once
// The weights of rows.

#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// All weights as doubles (null where there are none given: all 1), each finite and ≥ 0.
/// `scratch` owns them where they cannot be read in place. Throws DataError with the row.
const double* read_weights(const RowBlock& rows, Vector& scratch);

}  // namespace suffice
