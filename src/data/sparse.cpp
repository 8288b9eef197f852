#include "data/sparse.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "data/scalar.hpp"

namespace suffice {
namespace {

/// Rows [first, first + count).
template <class I, class T>
bool are_plain(const SparseView& view, kernels::Check check, Index first, Index count) {
  const I* row_start = static_cast<const I*>(view.row_start);
  const I* column = static_cast<const I*>(view.column);
  const T* values = static_cast<const T*>(view.values);
  for (Index i = first; i < first + count; ++i) {
    bool rising = true;
    for (I k = row_start[i] + 1; k < row_start[i + 1]; ++k) rising &= column[k - 1] < column[k];
    if (!rising) return false;
  }
  constexpr Index piece = 1024;
  double buffer[piece];
  const Index last = static_cast<Index>(row_start[first + count]);
  for (Index k = static_cast<Index>(row_start[first]); k < last; k += piece) {
    const Index n = std::min(piece, last - k);
    std::transform(values + k, values + k + n, buffer,
                   [](T value) { return static_cast<double>(value); });
    if (!kernels::all_pass(check, buffer, n, 1, n)) return false;
  }
  return true;
}

}  // namespace

bool is_plain(const SparseView& view, kernels::Check check, Workers& workers) {
  constexpr Index piece = 1024;  // rows that a worker looks at
  std::atomic<bool> plain = true;
  workers.run((view.rows + piece - 1) / piece, [&](Index p, int) {
    const Index first = p * piece, count = std::min(piece, view.rows - first);
    const bool good = with_type(view.type, [&]<class T>(std::type_identity<T>) {
      return view.index_type == Scalar::int32
                 ? are_plain<std::int32_t, T>(view, check, first, count)
                 : are_plain<std::int64_t, T>(view, check, first, count);
    });
    if (!good) plain = false;
  });
  return plain;
}

}  // namespace suffice
