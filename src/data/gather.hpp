#pragma once
// Some rows of a block, copied out one after the other as they are: types and names stay.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "suffice/data/row_block.hpp"

namespace suffice {

class GatheredRows {
 public:
  /// Whether names that codes stand for are copied as well, for rows that outlive `from`.
  enum class Names { viewed, copied };
  /// The features of these rows, in this order; neither labels nor weights.
  GatheredRows(const RowBlock& from, std::span<const Index> rows, Names names = Names::viewed);
  const RowBlock& block() const noexcept { return block_; }

 private:
  std::uint8_t* room(std::size_t bytes);
  void matrix(const MatrixView& from);
  void column(const Column& from);
  void sparse(const SparseView& from);
  Validity validity(const Column& from);

  std::span<const Index> rows_;  ///< while they are gathered
  Names names_;
  std::vector<std::unique_ptr<std::uint64_t[]>> memory_;
  std::vector<std::unique_ptr<std::vector<std::string>>> copied_names_;
  RowBlock block_;
};

}  // namespace suffice
