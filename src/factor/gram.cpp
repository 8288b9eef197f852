#include "factor/gram.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "algebra/blas.hpp"

namespace suffice {

// The long side is cut into pieces that stay in the second-level cache and are added in order; so a
// tile also ends soon after a stop was asked for.
Matrix gram(const Matrix& a, Workers& workers) {
  const Index r = a.rows(), n = a.cols();
  constexpr Index tile = 128, piece = 8192;
  Matrix result(r, r);
  std::vector<std::pair<Index, Index>> tiles;
  for (Index i = 0; i < r; i += tile)
    for (Index j = 0; j <= i; j += tile) tiles.emplace_back(i, j);
  workers.run(std::ssize(tiles), [&](Index t, int) {
    const auto [i, j] = tiles[static_cast<std::size_t>(t)];
    for (Index k = 0; k < n; k += piece)
      blas::gemm_nt(std::min(tile, r - i), std::min(tile, r - j), std::min(piece, n - k), 1,
                    a.data() + i * n + k, n, a.data() + j * n + k, n, 1, result.data() + i * r + j,
                    r);
  });
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < i; ++j) result(j, i) = result(i, j);
  return result;
}

void multiply_wide(const Matrix& a, const double* b, Index n, double* out, Workers& workers) {
  constexpr Index piece = 2048;
  if (a.empty()) return;
  workers.run((n + piece - 1) / piece, [&](Index k, int) {
    const Index from = k * piece;
    blas::gemm(a.rows(), std::min(piece, n - from), a.cols(), 1, a.data(), a.cols(), b + from, n, 0,
               out + from, n);
  });
}

}  // namespace suffice
