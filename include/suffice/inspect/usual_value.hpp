#pragma once
// What a column usually is in a class, for people who look at one row beside it.

#include <optional>
#include <string>

#include "suffice/models/model.hpp"

namespace suffice {

struct UsualValue {
  std::optional<double> number = {};  ///< the mean; of a transformed column, in its own units
  std::string level = {};             ///< of categories: the most frequent one
};

/// Of a column of the table (a position in schema().columns()) and a class. Empty where the density
/// does not say it of the column alone: projections, mixtures, logistic regression, texts.
UsualValue usual_value(const Model& model, Index column, Index label);

}  // namespace suffice
