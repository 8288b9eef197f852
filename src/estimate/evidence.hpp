#pragma once
// The strength of a prior that the sums themselves ask for: where its evidence is largest.

#include <functional>

namespace suffice {

/// The evidence of a strength s > 0, without terms that do not depend on it, and s times its
/// derivative: the slope in ln s.
struct EvidenceOfStrength {
  std::function<double(double)> value, slope;
};

/// The s from 2^first to 2^last with the largest evidence. Powers of 2 are tried first, for a local
/// maximum is no answer; then the slope's zero beside the best of them is found.
double best_strength(const EvidenceOfStrength& evidence, int first, int last);

}  // namespace suffice
