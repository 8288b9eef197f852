#pragma once
// Rows of scores that become probabilities.

#include <span>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// exp(z_k) / Σ_k exp(z_k) with z = score + offset, row by row. Shared by workers.
class PosteriorRows {
 public:
  /// `offset` has a number for each class. Rows under which no class is possible become `others`,
  /// or NaN where that is empty; so do rows with a score that is NaN or +inf. `log`: logarithms.
  PosteriorRows(std::span<const double> offset, std::span<const double> others, bool log);
  /// n × K scores, in place.
  void operator()(double* scores, Index n) const;

 private:
  void normalise(double* scores, Index n, double* lanes) const;

  Index classes_;
  Vector minus_offset_, others_;
  bool log_;
};

}  // namespace suffice
