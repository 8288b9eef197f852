#pragma once
// The class of each row of an update, and the weights of the classes.

#include <cstdint>
#include <span>

#include "core/parallel.hpp"
#include "data/name_encoder.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// The labels that were known before and those found, and the class of each row; negative for a row
/// of weight 0. Throws DataError for another row without a label; rows are numbered from
/// `first_row`.
EncodedNames encode_labels(const RowBlock& rows, Index first_row, const Names& known,
                           const double* weight, Workers& workers);

struct ClassWeights {
  Vector sum, squares;  ///< Σ w and Σ w² per class
};

/// `code` has the class of each row; a negative one is absent. `weight` is null where all are 1.
ClassWeights class_weights(std::span<const std::int32_t> code, Index classes, const double* weight,
                           Workers& workers);

}  // namespace suffice
