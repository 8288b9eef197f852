#pragma once
// Other ways to write the names of levels. Booleans as here, in Python, in R: pandas writes True, R
// writes TRUE. Whole numbers as pandas writes them where a column has gaps: 3.0.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Whether a name is a whole number as it is usually written: 0, 12, -3.
inline bool is_whole_number(std::string_view name) {
  if (name.starts_with('-')) name.remove_prefix(1);
  if (name.empty() || name.size() > 9 || (name.size() > 1 && name[0] == '0')) return false;
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// Names that stand for a level, if they are none themselves, and the level's position: of booleans
/// that of the first spelling that is one. `find(name)` is the position of a level, or none.
template <class Levels, class Find>
std::vector<std::pair<std::string, Index>> other_spellings(const Levels& levels, const Find& find) {
  constexpr std::array<std::array<std::string_view, 3>, 2> booleans = {
      {{"true", "True", "TRUE"}, {"false", "False", "FALSE"}}};
  std::vector<std::pair<std::string, Index>> result;
  for (const auto& spellings : booleans) {
    std::optional<Index> level;
    for (const std::string_view known : spellings)
      if (!level) level = find(known);
    for (const std::string_view other : spellings)
      if (level && !find(other)) result.emplace_back(other, *level);
  }
  Index position = 0;
  for (const std::string& level : levels) {
    if (is_whole_number(level) && !find(level + ".0")) result.emplace_back(level + ".0", position);
    ++position;
  }
  return result;
}

}  // namespace suffice
