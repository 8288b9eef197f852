#pragma once
// The class of each row of an update, and the weights of the classes.

#include <cstdint>

#include "core/buffer.hpp"
#include "core/parallel.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

struct EncodedLabels {
  Names labels;               ///< those known before and those found
  Buffer<std::int32_t> code;  ///< per row: its class; -1 for a row of weight 0
  Vector weights, squared_weights;
};

/// Throws DataError for a row of positive weight without a label; rows are numbered from
/// `first_row`.
EncodedLabels encode_labels(const RowBlock& rows, Index first_row, const Names& known,
                            const double* weight, Workers& workers);

}  // namespace suffice
