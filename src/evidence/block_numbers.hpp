#pragma once
// The numbers of a block, some hundred rows at a time, and the columns that they come from.

#include <optional>
#include <vector>

#include "core/at.hpp"
#include "data/name_reader.hpp"
#include "data/number_reader.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

class BlockNumbers {
 public:
  BlockNumbers(const Schema& schema, const Block& block, const RowBlock& rows, Workers& workers)
      : reader_(schema, block, rows, &workers), columns_(schema.column_count()) {
    for (const Index feature : block.features) {
      column_.push_back(schema.column(feature));
      gap_.push_back(-1);
      if (!schema.feature(feature).indicator || schema.feature(feature).is_of_missing()) continue;
      std::size_t k = 0;
      while (k < named_.size() && named_[k] != column_.back()) ++k;
      if (k == named_.size()) {
        named_.push_back(column_.back());
        names_.emplace_back(NameReader::column_of(rows, column_.back()), none_);
      }
      gap_.back() = static_cast<Index>(k);
    }
  }
  BlockNumbers(const BlockNumbers&) = delete;
  BlockNumbers& operator=(const BlockNumbers&) = delete;

  struct Scratch {
    Vector memory;
    NumberReader::Panel panel{};
    std::vector<std::int32_t> codes;  ///< rows × columns with indicators
  };

  void read(Index first, Index count, Scratch& scratch) const {
    if (!reader_.in_place() && scratch.memory.size() < count * reader_.features())
      scratch.memory = Vector(count * reader_.features());
    scratch.panel = reader_.read(first, count, scratch.memory.data());
    scratch.codes.resize(at(count) * names_.size());
    for (std::size_t k = 0; k < names_.size(); ++k)
      names_[k].read(first, count, scratch.codes.data() + k, std::ssize(names_));
  }

  Index features() const noexcept { return reader_.features(); }
  /// Of a row: its numbers in the block's order, transformed; NaN where one is missing.
  static const double* row(Index i, const Scratch& scratch) {
    return scratch.panel.values + i * scratch.panel.stride;
  }
  /// Whose evidence the number at position j is: its column; the offset (as the column behind the
  /// last) for an indicator of a value that is missing, which a model knows without asking.
  Index owner(Index i, Index j, const Scratch& scratch) const {
    const Index gap = gap_[at(j)];
    if (gap >= 0 && scratch.codes[at(i * std::ssize(names_) + gap)] == NameReader::missing)
      return columns_;
    return column_[at(j)];
  }
  Index column(Index j) const noexcept { return column_[at(j)]; }
  Index columns() const noexcept { return columns_; }

 private:
  NumberReader reader_;
  Index columns_;              // of the table
  std::vector<Index> column_;  // per number
  std::vector<Index> gap_;     // per number: its place among the columns with indicators, or −1
  std::vector<Index> named_;   // these columns
  Names none_;
  std::vector<NameReader> names_;
};

}  // namespace suffice
