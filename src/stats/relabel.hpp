#pragma once
// Statistics whose labels are put together into fewer: those of the folds that are not left out,
// say, as the classes that they are of.

#include <vector>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// As if each row of label l had been of class into[l] of `classes`, or, where that is -1, had not
/// been there. Labels are merged in their order. Classes without rows stay, with the weight 0.
Statistics relabel(const Statistics& statistics, const Names& classes,
                   const std::vector<Index>& into, const Execution& execution = {});

}  // namespace suffice
