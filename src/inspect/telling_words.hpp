#pragma once
// The words of a text block that speak most for a class.

#include <vector>

#include "suffice/models/model.hpp"

namespace suffice {

/// The words of a feature, given by its position in the block, that add most to the score of a
/// class above those of the other classes: by the share of the word times the difference of the
/// slopes. `most` at most, or all that speak for it where that is 0; the best first.
std::vector<Index> telling_words(const Model& model, std::size_t block, Index feature, Index label,
                                 std::size_t most);

}  // namespace suffice
