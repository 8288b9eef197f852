#pragma once
// The classes of rows, or the levels of a feature, as positions in a list of names.

#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// The position in `names` of each value of a column: -1 where the value is missing or not among
/// them. Throws Cancelled.
std::vector<Index> positions(const Names& names, const Column& column,
                             const Execution& execution = {});

}  // namespace suffice
