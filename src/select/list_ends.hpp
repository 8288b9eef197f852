#pragma once
// The best candidate at the end of a list of numbers: a number beyond it might be better.

#include <string>
#include <vector>

#include "suffice/select/select.hpp"

namespace suffice {

/// What numbers cannot go beyond.
struct ListExtent {
  Index features = 0;  ///< of all families
  Index numbers = 0;   ///< Gaussian ones
  Index classes = 0;
};

/// One sentence for each option of which at least two numbers were compared, where the best
/// candidate has the smallest or the largest and a number beyond is possible.
std::vector<std::string> list_ends(const Selection& selection, const ListExtent& extent);

}  // namespace suffice
