#include "suffice/data/row_block.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "data/scalar.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

void require_rows(Index have, Index want, const std::string& what) {
  if (have != want)
    throw InvalidArgument(what + (have == 1 ? " has " : " have ") + std::to_string(have) +
                          " rows, but the block has " + std::to_string(want));
}

void require_memory(const void* data, Scalar type, const std::string& what) {
  if (!data) throw InvalidArgument(what + " point to no memory (a null pointer)");
  if (reinterpret_cast<std::uintptr_t>(data) % size_of(type) != 0)
    throw InvalidArgument(
        what + " are not aligned to their " + std::to_string(size_of(type)) + " bytes",
        "copy them to aligned memory first");
}

void require_column(const Column& column, Index rows, const std::string& what) {
  if (column.kind == Column::Kind::none)
    throw InvalidArgument(what + " are an empty column", "give numbers, strings or codes");
  require_rows(column.size, rows, what);
  if (column.kind != Column::Kind::strings && rows > 0)
    require_memory(column.data, column.type, what);
}

/// Where element `first` lies; null stays null.
const void* moved(const void* data, Scalar type, Index first) {
  return data ? static_cast<const std::byte*>(data) + first * static_cast<Index>(size_of(type))
              : nullptr;
}

MatrixView slice(MatrixView view, Index first, Index count) {
  view.data = moved(view.data, view.type, first * view.row_stride);
  view.rows = count;
  return view;
}

SparseView slice(SparseView view, Index first, Index count) {
  view.row_start = moved(view.row_start, view.index_type, first);
  view.rows = count;
  return view;
}

Column slice(Column column, Index first, Index count) {
  if (column.kind == Column::Kind::none) return column;
  if (column.kind == Column::Kind::strings)
    column.strings = column.strings.slice(first, count);
  else if (column.type == Scalar::bit)
    column.bit_offset += first * column.stride;
  else
    column.data = moved(column.data, column.type, first * column.stride);
  column.valid.offset += first;
  column.size = count;
  return column;
}

std::string feature_text(Index first, Index count) {
  return "the values of feature" +
         (count == 1 ? " " + std::to_string(first)
                     : "s " + std::to_string(first) + " to " + std::to_string(first + count - 1));
}

}  // namespace

void RowBlock::add(Part part) {
  if (!order_.empty())
    for (Index j = 0; j < part.count; ++j) order_.push_back(stored_ + j);
  stored_ += part.count;
  parts_.push_back(std::move(part));
}

RowBlock& RowBlock::features(const MatrixView& columns) {
  const std::string what = feature_text(feature_count(), columns.cols);
  if (columns.cols < 0 || columns.rows < 0)
    throw InvalidArgument("a matrix of " + std::to_string(columns.rows) + " rows and " +
                          std::to_string(columns.cols) + " columns cannot be");
  require_rows(columns.rows, rows_, what);
  if (columns.type == Scalar::bit)
    throw InvalidArgument(what + " are bits", "bits come in as columns, not as a matrix");
  if (columns.cols == 0) return *this;
  if (rows_ > 0) require_memory(columns.data, columns.type, what);
  add({Part::Kind::matrix, stored_, columns.cols, columns, {}, {}});
  return *this;
}

RowBlock& RowBlock::features(const SparseView& columns) {
  const std::string what = feature_text(feature_count(), columns.cols);
  if (columns.cols < 0 || columns.rows < 0)
    throw InvalidArgument("a sparse matrix of " + std::to_string(columns.rows) + " rows and " +
                          std::to_string(columns.cols) + " columns cannot be");
  require_rows(columns.rows, rows_, what);
  if (columns.type == Scalar::bit)
    throw InvalidArgument(what + " are bits", "sparse values are numbers");
  if (columns.index_type != Scalar::int32 && columns.index_type != Scalar::int64)
    throw InvalidArgument(what + " have indices that are neither int32 nor int64");
  if (columns.cols == 0) return *this;
  if (rows_ > 0) require_memory(columns.row_start, columns.index_type, "the row starts of " + what);
  add({Part::Kind::sparse, stored_, columns.cols, {}, {}, columns});
  return *this;
}

RowBlock& RowBlock::feature(const Column& column) {
  require_column(column, rows_, feature_text(feature_count(), 1));
  add({Part::Kind::column, stored_, 1, {}, column, {}});
  return *this;
}

RowBlock& RowBlock::labels(const Column& column) {
  require_column(column, rows_, "the labels");
  labels_ = column;
  return *this;
}

RowBlock& RowBlock::weights(const Column& column) {
  require_column(column, rows_, "the weights");
  if (column.kind != Column::Kind::numbers)
    throw InvalidArgument("the weights are strings", "a weight is a number");
  weights_ = column;
  return *this;
}

RowBlock RowBlock::slice(Index first, Index count) const {
  if (first < 0 || count < 0 || first > rows_ - count)
    throw InvalidArgument("rows " + std::to_string(first) + " to " + std::to_string(first + count) +
                          " of a block of " + std::to_string(rows_));
  RowBlock result = *this;
  result.rows_ = count;
  for (Part& part : result.parts_) {
    part.matrix = suffice::slice(part.matrix, first, count);
    part.column = suffice::slice(part.column, first, count);
    part.sparse = suffice::slice(part.sparse, first, count);
  }
  result.labels_ = suffice::slice(labels_, first, count);
  result.weights_ = suffice::slice(weights_, first, count);
  return result;
}

RowBlock RowBlock::columns(std::span<const Index> positions) const {
  if (positions.empty()) throw InvalidArgument("rows need at least one column, and none is named");
  RowBlock result = *this;
  result.order_.clear();
  for (const Index position : positions) {
    if (position < 0 || position >= feature_count())
      throw InvalidArgument("there is no column " + std::to_string(position) + " in rows of " +
                            std::to_string(feature_count()));
    result.order_.push_back(order_.empty() ? position : order_[static_cast<std::size_t>(position)]);
  }
  return result;
}

RowBlock::Spot RowBlock::spot(Index column) const noexcept {
  const Index stored = order_.empty() ? column : order_[static_cast<std::size_t>(column)];
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), stored,
                                      [](Index j, const Part& part) { return j < part.first; });
  const Part& part = *(after - 1);
  return {&part, stored - part.first};
}

}  // namespace suffice
