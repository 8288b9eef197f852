// Eigenvectors by LAPACK, through its Fortran interface, which every build of it has. Fortran is
// column-major: a row-major matrix is its transpose there.

#include "core/blas.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <vector>

#include "core/eigenvectors.hpp"
#include "core/tridiagonal.hpp"
#include "suffice/core/error.hpp"

extern "C" {
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*,
             const int*, int*, const int*, int*);
void dsterf_(const int*, double*, double*, int*);
void dgelqf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
// OpenBLAS only; absent elsewhere.
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) int blas_thread_shutdown_();
__attribute__((weak)) char* openblas_get_config(void);
__attribute__((weak)) char* openblas_get_corename(void);
}

namespace suffice::blas {

namespace {
int to_int(Index n) { return static_cast<int>(n); }

/// OpenBLAS takes a buffer for each thread that calls it, and tries for ever if the process has no
/// address space left (ulimit -v). So the first call of a thread asks for as much, and gives it
/// back.
void require_buffer() {
  thread_local bool known = false;
  if (known) return;
  constexpr std::size_t buffer = std::size_t{128} << 20;
  void* memory = ::mmap(nullptr, buffer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::munmap(memory, buffer);
  known = true;
}
}  // namespace

// Fortran's matrix is Aᵀ = L Q, and Lᵀ is our R.
void qr(Index m, Index n, double* a, Index lda) {
  if (m == 0 || n == 0) return;
  require_buffer();
  const int m_ = to_int(m), n_ = to_int(n), lda_ = to_int(lda), ask = -1;
  int info = 0;
  double work_size = 0;
  std::vector<double> scales(static_cast<std::size_t>(n));
  dgelqf_(&n_, &m_, a, &lda_, scales.data(), &work_size, &ask, &info);
  const int length = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(length));
  dgelqf_(&n_, &m_, a, &lda_, scales.data(), work.data(), &length, &info);
}

// Vectors are the columns of Fortran's matrix, and so the rows of ours.
void eigh(Index n, double* a, Index lda, double* values) {
  if (n == 0) return;
  require_finite(n, a, lda);
  require_buffer();
  const int n_ = to_int(n), lda_ = to_int(lda), ask = -1;
  int info = 0, integer_size = 0;
  double work_size = 0;
  dsyevd_("V", "U", &n_, a, &lda_, values, &work_size, &ask, &integer_size, &ask, &info);
  const int work_length = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(work_length));
  std::vector<int> integers(static_cast<std::size_t>(integer_size));
  dsyevd_("V", "U", &n_, a, &lda_, values, work.data(), &work_length, integers.data(),
          &integer_size, &info);
  if (info != 0) throw InvalidArgument(no_convergence);
  choose_signs(n, a, lda);
}

void tridiagonal_eigenvalues(Index n, double* diagonal, double* beside) {
  const int n_ = to_int(n);
  int info = 0;
  dsterf_(&n_, diagonal, beside, &info);
  if (info != 0) throw InvalidArgument(no_convergence);
}

std::string name() {
  if (!openblas_get_config || !openblas_get_corename) return "BLAS";
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE …"
  const std::size_t version_end = config.find(' ', config.find(' ') + 1);
  return config.substr(0, version_end) + " (" + openblas_get_corename() + ")";
}

void use_one_thread() {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  // The threads that it started when it was loaded would yield to each other for a while.
  if (blas_thread_shutdown_) blas_thread_shutdown_();
}

}  // namespace suffice::blas
