#pragma once
// The weights of a discriminative twin (models/logistic.hpp) as terms of a formula.

#include "export/formula.hpp"

namespace suffice {

/// The terms of a block are 0 where all of its values are missing; `base` (K) is what its weights
/// add there. The intercepts, without the training prior, are in that of the first block.
struct LogisticPart {
  Terms terms;
  Vector base;
};

LogisticPart logistic_part(const Model& model, std::size_t block);

}  // namespace suffice
