#pragma once
// A model as JSON: the description of formula.hpp with the same names. docs/export.md has its
// reference and two scorers.

#include <string>

#include "export/formula.hpp"

namespace suffice {

std::string write_json(const Formula& formula);

}  // namespace suffice
