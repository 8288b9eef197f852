#pragma once
// Booleans as text: as here, in Python, in R. pandas writes True, R writes TRUE.

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Names that stand for a level, if they are none themselves, and the level's position: of the
/// first spelling that is one. `find(name)` is the position of a level, or none.
template <class Find>
std::vector<std::pair<std::string_view, Index>> other_spellings(const Find& find) {
  constexpr std::array<std::array<std::string_view, 3>, 2> booleans = {
      {{"true", "True", "TRUE"}, {"false", "False", "FALSE"}}};
  std::vector<std::pair<std::string_view, Index>> result;  // of literals
  for (const auto& spellings : booleans) {
    std::optional<Index> level;
    for (const std::string_view known : spellings)
      if (!level) level = find(known);
    for (const std::string_view other : spellings)
      if (level && !find(other)) result.emplace_back(other, *level);
  }
  return result;
}

}  // namespace suffice
