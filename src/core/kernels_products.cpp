// Matrix products: both factors are copied into panels that the innermost loop reads in order,
// block by block, so that what it reads stays in the caches (Goto and van de Geijn, 2008).

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels_products.cpp"
#include "core/kernel_targets.hpp"
#include "hwy/foreach_target.h"
//
#include <algorithm>

#include "core/buffer.hpp"
#include "core/kernels-inl.hpp"
#include "core/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace suffice::kernels::HWY_NAMESPACE {

// A tile of the result that is kept in registers: rows that are broadcast, vectors of columns.
constexpr int kRows = kTileRows, kVectors = 3;
constexpr Index kColumns = kVectors * kLanes;
// Terms of the sums that are added at a time: a panel of the second factor fits the first-level
// cache.
constexpr Index kDepth = kLanes == 8 ? 200 : 256;
// Rows and columns of the result: the first factor's block fits the second-level cache with room
// for what passes through, the second factor's block the third-level one.
constexpr Index kBlockRows = 16 * kRows, kBlockColumns = 32 * kColumns;

// Panels of `width` rows of a factor, depth × width each, padded with zeros:
// to[panel][p][r] = scale · factor(first + r, p).
template <int width>
HWY_INLINE void Pack(const Factor& factor, Index first, Index rows, Index first_term, Index depth,
                     double scale, double* HWY_RESTRICT to) {
  for (Index panel = 0; panel < rows; panel += width, to += width * depth) {
    const double* from =
        factor.data + (first + panel) * factor.row_step + first_term * factor.term_step;
    const Index count = std::min<Index>(width, rows - panel);
    if (count < width) {
      std::fill_n(to, width * depth, 0.0);
      for (Index r = 0; r < count; ++r)
        for (Index p = 0; p < depth; ++p)
          to[p * width + r] = scale * from[r * factor.row_step + p * factor.term_step];
    } else if (factor.row_step == 1) {
      for (Index p = 0; p < depth; ++p)
        for (int r = 0; r < width; ++r) to[p * width + r] = scale * from[p * factor.term_step + r];
    } else {
      for (Index p = 0; p < depth; ++p)
        for (int r = 0; r < width; ++r)
          to[p * width + r] = scale * from[r * factor.row_step + p * factor.term_step];
    }
  }
}

// Blocks of about the same size, at most `most` and a multiple of `unit` each.
HWY_INLINE Index BlockSize(Index size, Index most, Index unit) {
  const Index blocks = (size + most - 1) / most;
  return ((size + blocks - 1) / blocks + unit - 1) / unit * unit;
}

// tile = Σ_p a[p] b[p]ᵀ, handed to use(row, vector, value).
template <class Use>
HWY_INLINE void Tile(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, Index depth,
                     const Use& use) {
  const D tag;
  V acc[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) acc[i][v] = hn::Zero(tag);
  }
  for (Index p = 0; p < depth; ++p, a += kRows, b += kColumns) {
    V row[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) row[v] = hn::LoadU(tag, b + v * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const V x = hn::Set(tag, a[i]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) acc[i][v] = hn::MulAdd(x, row[v], acc[i][v]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) use(i, v, acc[i][v]);
  }
}

void AddProduct(Index m, Index n, Index k, double alpha, const Factor& a, const Factor& b,
                double* c, Index ldc, Triangle part) {
  const D tag;
  const Index block_depth = BlockSize(k, kDepth, 1);
  const Index block_rows = BlockSize(m, kBlockRows, kRows);
  const Index block_columns = BlockSize(n, kBlockColumns, kColumns);
  thread_local Buffer<double> memory;
  const Index needed = block_depth * (block_rows + block_columns);
  if (memory.size() < needed) memory = Buffer<double>(needed);
  double* const packed_b = memory.data();
  double* const packed_a = packed_b + block_depth * block_columns;

  for (Index p = 0; p < k; p += block_depth) {
    const Index depth = std::min(block_depth, k - p);
    for (Index j = 0; j < n; j += block_columns) {
      const Index columns = std::min(block_columns, n - j);
      Pack<static_cast<int>(kColumns)>(b, j, columns, p, depth, 1, packed_b);
      // Blocks of rows that have a part of the triangle.
      const Index begin = part == Triangle::lower ? j / block_rows * block_rows : 0;
      const Index end = part == Triangle::upper ? std::min(m, j + columns) : m;
      for (Index i = begin; i < end; i += block_rows) {
        const Index rows = std::min(block_rows, end - i);
        Pack<kRows>(a, i, rows, p, depth, alpha, packed_a);
        for (Index jj = 0; jj < columns; jj += kColumns) {
          for (Index ii = 0; ii < rows; ii += kRows) {
            const Index row = i + ii, column = j + jj;
            if (part == Triangle::upper && row > column + kColumns - 1) break;
            if (part == Triangle::lower && column > row + kRows - 1) continue;
            const Index in_rows = std::min<Index>(kRows, m - row);
            const Index in_columns = std::min(kColumns, n - column);
            const bool crossed = (part == Triangle::upper && row + kRows - 1 > column) ||
                                 (part == Triangle::lower && column + kColumns - 1 > row);
            double* const to = c + row * ldc + column;
            const double *of_a = packed_a + ii * depth, *of_b = packed_b + jj * depth;
            if (in_rows == kRows && in_columns == kColumns && !crossed) {
              Tile(of_a, of_b, depth, [&](int r, int v, V value) HWY_ATTR {
                double* const at = to + r * ldc + v * kLanes;
                hn::StoreU(hn::Add(hn::LoadU(tag, at), value), tag, at);
              });
              continue;
            }
            HWY_ALIGN double tile[kRows * kColumns];
            Tile(of_a, of_b, depth, [&](int r, int v, V value) HWY_ATTR {
              hn::Store(value, tag, tile + r * kColumns + v * kLanes);
            });
            for (Index r = 0; r < in_rows; ++r) {
              const Index diagonal = row + r - column;
              const Index first = part == Triangle::upper ? std::max<Index>(0, diagonal) : 0;
              const Index last =
                  part == Triangle::lower ? std::min(in_columns, diagonal + 1) : in_columns;
              for (Index s = first; s < last; ++s) to[r * ldc + s] += tile[r * kColumns + s];
            }
          }
        }
      }
    }
  }
}

}  // namespace suffice::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace suffice::kernels {

HWY_EXPORT(AddProduct);

void add_product(Index m, Index n, Index k, double alpha, const Factor& a, const Factor& b,
                 double* c, Index ldc, Triangle part) {
  if (m == 0 || n == 0 || k == 0) return;
  HWY_DYNAMIC_DISPATCH(AddProduct)(m, n, k, alpha, a, b, c, ldc, part);
}

}  // namespace suffice::kernels
#endif  // HWY_ONCE
