// The same products by Eigen, for builds without BLAS. Eigen is instantiated under a name of our
// own: were its inline functions shared with a program that is built for another instruction set,
// the linker would keep one copy for both and either side could get the other's.
#define Eigen SufficeEigen

#include "core/blas.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "core/eigenvectors.hpp"
#include "suffice/core/error.hpp"

namespace suffice::blas {

namespace {
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Stride = Eigen::OuterStride<>;
using View = Eigen::Map<RowMajor, Eigen::Unaligned, Stride>;
using ConstView = Eigen::Map<const RowMajor, Eigen::Unaligned, Stride>;

template <class Product>
void store(View c, double beta, const Product& product) {
  if (beta == 0) {
    c.noalias() = product;
  } else {
    if (beta != 1) c *= beta;
    c.noalias() += product;
  }
}
}  // namespace

void gemm(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
          Index ldb, double beta, double* c, Index ldc) {
  store(View(c, m, n, Stride(ldc)), beta,
        alpha * ConstView(a, m, k, Stride(lda)) * ConstView(b, k, n, Stride(ldb)));
}

void gemm_nt(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
             Index ldb, double beta, double* c, Index ldc) {
  store(View(c, m, n, Stride(ldc)), beta,
        alpha * ConstView(a, m, k, Stride(lda)) * ConstView(b, n, k, Stride(ldb)).transpose());
}

void gemm_tn(Index m, Index n, Index k, double alpha, const double* a, Index lda, const double* b,
             Index ldb, double beta, double* c, Index ldc) {
  store(View(c, m, n, Stride(ldc)), beta,
        alpha * ConstView(a, k, m, Stride(lda)).transpose() * ConstView(b, k, n, Stride(ldb)));
}

void syrk_tn(Index n, Index k, const double* a, Index lda, double* c, Index ldc) {
  View(c, n, n, Stride(ldc))
      .selfadjointView<Eigen::Upper>()
      .rankUpdate(ConstView(a, k, n, Stride(lda)).transpose());
}

Index cholesky(Index n, double* a, Index lda) {
  View view(a, n, n, Stride(lda));
  const Index failed = Eigen::internal::llt_inplace<double, Eigen::Lower>::blocked(view);
  return failed < 0 ? n : failed;
}

void invert_lower(Index n, double* a, Index lda) {
  View view(a, n, n, Stride(lda));
  RowMajor inverse = RowMajor::Identity(n, n);
  view.triangularView<Eigen::Lower>().solveInPlace(inverse);
  view.triangularView<Eigen::Lower>() = inverse;
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

void eigenvalues(Index n, double* a, Index lda, double* values) {
  if (n == 0) return;
  require_finite(n, a, lda);
  const View view(a, n, n, Stride(lda));
  const Eigen::SelfAdjointEigenSolver<RowMajor> solver(view, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) throw InvalidArgument(no_convergence);
  Eigen::Map<Eigen::VectorXd>(values, n) = solver.eigenvalues();
}

std::string name() {
  return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
         std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
}

void use_one_thread() {}

}  // namespace suffice::blas
