#pragma once
// Which candidate is best.

#include "suffice/left_out/selection.hpp"

namespace suffice {

/// Sets `ranking` and `best`: the first of the ranking, or the one with the fewest parameters among
/// those within one standard error of it. Throws InvalidArgument, with the first reason, where no
/// candidate could be estimated.
void rank(Selection& selection, Criterion criterion, bool one_standard_error);

}  // namespace suffice
