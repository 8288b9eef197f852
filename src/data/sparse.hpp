#pragma once
// Sparse rows that can be worked on entry by entry.

#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// Whether each row names its columns in rising order, none of them twice, and all values pass.
/// Then an entry is a cell, and there are no others but zeros. The indices have been checked.
bool is_plain(const SparseView& view, kernels::Check check, Workers& workers);

/// Sparse rows one at a time, whatever the order of their entries. The indices have been checked.
class EntryReader {
 public:
  explicit EntryReader(const SparseView& view) : view_(view) {}

  /// Reads a row: its columns in rising order, with their values; those of a column that comes
  /// twice are added up.
  void read(Index row);
  std::span<const Index> columns() const { return column_; }
  std::span<const double> values() const { return value_; }

 private:
  template <class I, class T>
  void read_typed(Index row);
  void put_in_order();

  SparseView view_;
  std::vector<Index> column_;
  std::vector<double> value_;
};

}  // namespace suffice
