// Eigenvalues, and vectors of few rows, by Eigen. It is instantiated under a name of our own: were
// its inline functions shared with a program that is built for another instruction set, the linker
// would keep one copy for both and either side could get the other's.
#define Eigen SufficeEigen

#include <Eigen/Eigenvalues>

#include "algebra/tridiagonal.hpp"
#include "suffice/core/error.hpp"

namespace suffice::blas {

namespace {

using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

Solver solved(Index n, double* diagonal, double* beside, int wanted) {
  Eigen::Map<Eigen::VectorXd> values(diagonal, n);
  Solver solver;
  solver.computeFromTridiagonal(values, Eigen::Map<Eigen::VectorXd>(beside, n - 1), wanted);
  if (solver.info() != Eigen::Success)
    throw InvalidArgument(
        "the eigenvalues of a covariance did not converge; are its numbers of very different "
        "sizes?");
  values = solver.eigenvalues();
  return solver;
}

}  // namespace

void tridiagonal_eigenvalues(Index n, double* diagonal, double* beside) {
  solved(n, diagonal, beside, Eigen::EigenvaluesOnly);
}

void small_tridiagonal(Index n, double* diagonal, double* beside, double* vectors, Index ld) {
  const Solver solver = solved(n, diagonal, beside, Eigen::ComputeEigenvectors);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) vectors[i * ld + j] = solver.eigenvectors()(j, i);
}

}  // namespace suffice::blas
