#include "data/sparse.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

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

template <class I, class T>
void EntryReader::read_typed(Index row) {
  const I* row_start = static_cast<const I*>(view_.row_start);
  const I* column = static_cast<const I*>(view_.column);
  const T* values = static_cast<const T*>(view_.values);
  column_.clear();
  value_.clear();
  bool rising = true;
  for (I k = row_start[row]; k < row_start[row + 1]; ++k) {
    const auto next = static_cast<Index>(column[k]);
    rising &= column_.empty() || column_.back() < next;
    column_.push_back(next);
    value_.push_back(static_cast<double>(values[k]));
  }
  if (!rising) put_in_order();
}

void EntryReader::put_in_order() {
  std::vector<std::pair<Index, double>> entries;
  for (std::size_t k = 0; k < column_.size(); ++k) entries.emplace_back(column_[k], value_[k]);
  std::ranges::stable_sort(entries, {}, &std::pair<Index, double>::first);
  column_.clear();
  value_.clear();
  for (const auto& [column, value] : entries) {
    if (!column_.empty() && column_.back() == column) {
      value_.back() += value;
    } else {
      column_.push_back(column);
      value_.push_back(value);
    }
  }
}

void EntryReader::read(Index row) {
  with_type(view_.type, [&]<class T>(std::type_identity<T>) {
    view_.index_type == Scalar::int32 ? read_typed<std::int32_t, T>(row)
                                      : read_typed<std::int64_t, T>(row);
  });
}

}  // namespace suffice
