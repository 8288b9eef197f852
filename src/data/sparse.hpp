#pragma once
// Sparse rows that can be worked on entry by entry.

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// Whether each row names its columns in rising order, none of them twice, and all values pass.
/// Then an entry is a cell, and there are no others but zeros. The indices have been checked.
bool is_plain(const SparseView& view, kernels::Check check, Workers& workers);

}  // namespace suffice
