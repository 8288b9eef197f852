#pragma once
// Results as trees of named figures: JSON and Python are written from them, so that a figure has
// the same name in both.

#include <string>
#include <variant>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"

namespace suffice {

struct Figure {
  using Record = std::vector<Figure>;
  using Strings = std::vector<std::string>;

  std::string name;
  /// std::monostate: there is no such figure (null, None). A pointer: a large matrix of what the
  /// figures are about.
  std::variant<double, bool, std::string, Strings, Vector, Matrix, const Matrix*, Names, Record,
               std::vector<Record>, std::monostate>
      value;
};

}  // namespace suffice
