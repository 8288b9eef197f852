#include "suffice/data/row_block.hpp"

#include <cstdint>
#include <string>

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
    throw InvalidArgument(what + " are not aligned to their " + std::to_string(size_of(type)) +
                          " bytes; copy them to aligned memory first");
}

void require_column(const Column& column, Index rows, const std::string& what) {
  if (column.kind == Column::Kind::none)
    throw InvalidArgument(what + " are an empty column; give numbers, strings or codes");
  require_rows(column.size, rows, what);
  if (column.kind != Column::Kind::strings && rows > 0)
    require_memory(column.data, column.type, what);
}

std::string feature_text(Index first, Index count) {
  return "the values of feature" +
         (count == 1 ? " " + std::to_string(first)
                     : "s " + std::to_string(first) + " to " + std::to_string(first + count - 1));
}

}  // namespace

RowBlock& RowBlock::features(const MatrixView& columns) {
  const std::string what = feature_text(feature_count_, columns.cols);
  if (columns.cols < 0 || columns.rows < 0)
    throw InvalidArgument("a matrix of " + std::to_string(columns.rows) + " rows and " +
                          std::to_string(columns.cols) + " columns cannot be");
  require_rows(columns.rows, rows_, what);
  if (columns.type == Scalar::bit)
    throw InvalidArgument(what + " are bits; bits come in as columns, not as a matrix");
  if (columns.cols == 0) return *this;
  if (rows_ > 0) require_memory(columns.data, columns.type, what);
  parts_.push_back({Part::Kind::matrix, feature_count_, columns.cols, columns, {}, {}});
  feature_count_ += columns.cols;
  return *this;
}

RowBlock& RowBlock::features(const SparseView& columns) {
  const std::string what = feature_text(feature_count_, columns.cols);
  if (columns.cols < 0 || columns.rows < 0)
    throw InvalidArgument("a sparse matrix of " + std::to_string(columns.rows) + " rows and " +
                          std::to_string(columns.cols) + " columns cannot be");
  require_rows(columns.rows, rows_, what);
  if (columns.type == Scalar::bit)
    throw InvalidArgument(what + " are bits; sparse values are numbers");
  if (columns.index_type != Scalar::int32 && columns.index_type != Scalar::int64)
    throw InvalidArgument(what + " have indices that are neither int32 nor int64");
  if (columns.cols == 0) return *this;
  if (rows_ > 0) require_memory(columns.row_start, columns.index_type, "the row starts of " + what);
  parts_.push_back({Part::Kind::sparse, feature_count_, columns.cols, {}, {}, columns});
  feature_count_ += columns.cols;
  return *this;
}

RowBlock& RowBlock::feature(const Column& column) {
  require_column(column, rows_, feature_text(feature_count_, 1));
  parts_.push_back({Part::Kind::column, feature_count_, 1, {}, column, {}});
  ++feature_count_;
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
    throw InvalidArgument("the weights are strings; a weight is a number");
  weights_ = column;
  return *this;
}

}  // namespace suffice
