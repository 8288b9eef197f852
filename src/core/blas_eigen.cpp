// The same by Eigen, for builds without LAPACK. Eigen is instantiated under a name of our
// own: were its inline functions shared with a program that is built for another instruction set,
// the linker would keep one copy for both and either side could get the other's.
#define Eigen SufficeEigen

#include "core/blas.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "core/eigenvectors.hpp"
#include "core/tridiagonal.hpp"
#include "suffice/core/error.hpp"

namespace suffice::blas {

namespace {
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
using View = Eigen::Map<RowMajor, Eigen::Unaligned, Stride>;
}  // namespace

void qr(Index m, Index n, double* a, Index lda) {
  View view(a, m, n, Stride(lda));
  const Eigen::HouseholderQR<RowMajor> decomposed(view);
  view.topRows(n) = decomposed.matrixQR().topRows(n);
}

void eigh(Index n, double* a, Index lda, double* values) {
  if (n == 0) return;
  require_finite(n, a, lda);
  View view(a, n, n, Stride(lda));
  const Eigen::SelfAdjointEigenSolver<RowMajor> solver(view);
  if (solver.info() != Eigen::Success) throw InvalidArgument(no_convergence);
  Eigen::Map<Eigen::VectorXd>(values, n) = solver.eigenvalues();
  view = solver.eigenvectors().transpose();
  choose_signs(n, a, lda);
}

void tridiagonal_eigenvalues(Index n, double* diagonal, double* beside) {
  Eigen::Map<Eigen::VectorXd> values(diagonal, n);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(values, Eigen::Map<Eigen::VectorXd>(beside, n - 1),
                                Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) throw InvalidArgument(no_convergence);
  values = solver.eigenvalues();
}

std::string name() {
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
         std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
}

void use_one_thread() {}

}  // namespace suffice::blas
