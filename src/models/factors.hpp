#pragma once
// What scoring needs of a model's densities, worked out once when the model is made.

#include <variant>
#include <vector>

#include "models/categorical_factor.hpp"
#include "models/count_factor.hpp"
#include "models/gaussian_factor.hpp"

namespace suffice {

using Factor = std::variant<GaussianFactor, CountFactor, CategoricalFactor>;

struct Factors {
  std::vector<Factor> blocks;  ///< in the order of schema.blocks()
};

/// Throws InvalidArgument and SingularError as the constructor of Model says.
Factors make_factors(const Model::Parts& parts, const Execution& execution);

}  // namespace suffice
