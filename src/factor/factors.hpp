#pragma once
// What scoring needs of a model's densities, worked out once when the model is made.

#include <memory>
#include <vector>

#include "factor/logistic_factor.hpp"

namespace suffice {

struct Factors {
  std::vector<Factor> blocks;                           ///< in the order of schema.blocks()
  std::shared_ptr<const LogisticFactor> logistic = {};  ///< of a discriminative twin
};

/// Throws InvalidArgument and SingularError as the constructor of Model says.
Factors make_factors(const Model::Parts& parts, const Execution& execution);

}  // namespace suffice
