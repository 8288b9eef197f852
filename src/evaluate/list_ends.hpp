#pragma once
// The best candidate at the end of a list of numbers: a number beyond it might be better.

#include <string>
#include <vector>

#include "suffice/evaluate/select.hpp"

namespace suffice {

/// One sentence for each option of which at least two numbers were compared, where the best
/// candidate has the smallest or the largest and a number beyond is possible. There are this many
/// Gaussian features and classes.
std::vector<std::string> list_ends(const Selection& selection, Index features, Index classes);

}  // namespace suffice
