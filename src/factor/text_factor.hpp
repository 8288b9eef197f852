#pragma once
// What scoring needs of a text block.

#include <vector>

#include "core/parallel.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// log p(x | c) = Σ_features constant(feature, c) + N^(length_power − 1) Σ_words x slope(word, c),
/// over the N words that the model has. Where only presence counts, x is 1.
struct TextFactor {
  std::vector<Words> words;   ///< per feature
  std::vector<Matrix> slope;  ///< per feature, words × K; may hold −inf
  Matrix constant;            ///< features × K: Σ log(1 − p), or 0
  bool presence = false;
  double length_power = 1;
};

TextFactor make_factor(const TextDensity& density, const Vector& weights, Workers& workers);

}  // namespace suffice
