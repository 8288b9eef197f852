#pragma once
// Rows whose projections are known already, because several models share them.

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Of row i the numbers from z + i · stride on; at least as many as the model's projection makes.
struct ProjectedRows {
  const double* z = nullptr;
  Index stride = 0;
};

}  // namespace suffice
