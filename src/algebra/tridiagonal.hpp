#pragma once
// Symmetric tridiagonal matrices: how one is made of a symmetric matrix with the same eigenvalues,
// and its own eigenvalues and vectors.

#include "suffice/core/matrix.hpp"

namespace suffice::blas {

/// A = Q T Qᵀ, where Q = P_0 … P_{n−2} and P_i = I − t_i v_i v_iᵀ. Of A, whose numbers are of
/// moderate size, the lower triangle is read; it is lost, and right of the diagonal of row i comes
/// v_i, which begins with 1. `diagonal` and `t` get n numbers, `beside` n − 1.
void make_tridiagonal(Index n, double* a, Index lda, double* diagonal, double* beside, double* t);

/// The eigenvalues in ascending order replace the diagonal; `beside` is lost.
void tridiagonal_eigenvalues(Index n, double* diagonal, double* beside);
/// Row i of `vectors`, which is n × n, also becomes the unit vector of value i; for few rows.
void small_tridiagonal(Index n, double* diagonal, double* beside, double* vectors, Index ld);
/// The same for any number of rows, but in no order, and only those of the `count` largest values
/// become vectors.
void divide_tridiagonal(Index n, double* diagonal, double* beside, Index count, double* vectors,
                        Index ld);

}  // namespace suffice::blas
