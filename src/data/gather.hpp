#pragma once
// Some rows of a block, copied out one after the other as they are: types and names stay.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "suffice/data/row_block.hpp"

namespace suffice {

class GatheredRows {
 public:
  /// The features of these rows, in this order; neither labels nor weights. Names that codes stand
  /// for are not copied.
  GatheredRows(const RowBlock& from, std::span<const Index> rows);
  const RowBlock& block() const noexcept { return block_; }

 private:
  std::uint8_t* room(std::size_t bytes);
  void matrix(const MatrixView& from);
  void column(const Column& from);
  void sparse(const SparseView& from);
  Validity validity(const Column& from);

  std::span<const Index> rows_;
  std::vector<std::unique_ptr<std::uint64_t[]>> memory_;
  RowBlock block_;
};

}  // namespace suffice
