#pragma once
// Eigenvalues in two steps: a symmetric matrix becomes a tridiagonal one with the same eigenvalues,
// which takes nearly all of the time and is done here; LAPACK or Eigen then finds them.

#include "suffice/core/matrix.hpp"

namespace suffice::blas {

/// Of a symmetric matrix, of which the lower triangle is read; its numbers are of moderate size. It
/// is lost. `diagonal` gets n numbers, `beside` n − 1.
void make_tridiagonal(Index n, double* a, Index lda, double* diagonal, double* beside);

/// By LAPACK or Eigen: the eigenvalues in ascending order replace the diagonal; `beside` is lost.
void tridiagonal_eigenvalues(Index n, double* diagonal, double* beside);

}  // namespace suffice::blas
