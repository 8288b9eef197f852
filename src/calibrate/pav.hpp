#pragma once
// Pooling adjacent violators: the isotonic fit of labels on a score.

#include <vector>

namespace suffice {

/// A score, and the weights of the rows of the first and of the second class that have it.
struct ScoredWeights {
  double score;
  double first, second;
};

/// Neighbouring scores that have one share of the first class.
struct PooledStep {
  double low, high;      ///< the smallest and the largest score
  double first, second;  ///< weights of the classes
};

/// Steps whose share of the first class, first / (first + second), rises: the maximum likelihood
/// among functions of the score that do not fall. Scores come in any order; equal ones are one
/// step, weights of 0 none.
std::vector<PooledStep> pool_adjacent_violators(std::vector<ScoredWeights> rows);

}  // namespace suffice
