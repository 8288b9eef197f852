#pragma once
// The products and factorisations of dense matrices, in one place and of our own, so that they are
// fast on every CPU. Row-major; ld is the distance between rows. Each call runs on the calling
// thread.

#include "suffice/core/matrix.hpp"

namespace suffice::blas {

/// From this number of rows and columns on, an entry of a product has the same bits whatever the
/// number of rows; fewer are not worth packing, and summed in another way.
inline constexpr Index least_packed = 4;

/// C (m × n) = alpha · A (m × k) · B (k × n) + beta · C.
void gemm(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
          Index ldb, double beta, double* c, Index ldc);
/// C (m × n) = alpha · A (m × k) · Bᵀ (B is n × k) + beta · C.
void gemm_nt(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
             Index ldb, double beta, double* c, Index ldc);
/// C (m × n) = alpha · Aᵀ (A is k × m) · B (k × n) + beta · C.
void gemm_tn(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
             Index ldb, double beta, double* c, Index ldc);
/// Upper triangle of C (n × n) += Aᵀ A, A is k × n.
void syrk_tn(Index n, Index k, const double* a, Index lda, double* c, Index ldc);
/// A (lower triangle, n × n) = L Lᵀ; L replaces it. Returns n, or the first column whose pivot is
/// not positive; the strict upper triangle is left alone.
Index cholesky(Index n, double* a, Index lda);
/// Inverts a lower-triangular matrix in place; the strict upper triangle is left alone.
void invert_lower(Index n, double* a, Index lda);
/// A (m × n, m ≥ n) = Q R with orthonormal columns of Q; R replaces the upper triangle of the first
/// n rows, and what is elsewhere is undefined.
void qr(Index m, Index n, double* a, Index lda);
/// Eigenvalues of a symmetric matrix, of which the lower triangle is read, in ascending order. Row
/// i of A becomes the unit vector of values[i]: A was Vᵀ diag(values) V. So that the same matrix
/// always has the same vectors, the first entry of at least half the size of the largest is
/// positive. Throws InvalidArgument where a number is not finite.
void eigh(Index n, double* a, Index lda, double* values);
/// The same, to the last bit, where only the vectors of the `count` ≥ 1 largest eigenvalues are
/// wanted, in the last rows of A; its other rows are undefined.
void largest_eigenvectors(Index n, double* a, Index lda, double* values, Index count);
/// The eigenvalues alone, at a small part of the cost; A is lost.
void eigenvalues(Index n, double* a, Index lda, double* values);

}  // namespace suffice::blas
