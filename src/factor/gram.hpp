#pragma once
// Products of wide matrices, shared by workers in tiles that depend on the shape alone.

#include "core/parallel.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

/// A Aᵀ, r × r, symmetric to the last bit.
Matrix gram(const Matrix& a, Workers& workers);

/// A B of a small r × s matrix A and a wide B with s rows of `n` numbers, written to `out`, r × n.
void multiply_wide(const Matrix& a, const double* b, Index n, double* out, Workers& workers);

}  // namespace suffice
