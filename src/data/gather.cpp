#include "data/gather.hpp"

#include <cstring>

#include "data/scalar.hpp"

namespace suffice {
namespace {

/// Values of `size` bytes each, `stride` values apart from one to the next.
template <std::size_t size>
void copy_values(const std::uint8_t* from, Index stride, std::span<const Index> rows,
                 std::uint8_t* to) {
  for (const Index row : rows) {
    std::memcpy(to, from + row * stride * static_cast<Index>(size), size);
    to += size;
  }
}

void copy_values(const void* data, std::size_t size, Index stride, std::span<const Index> rows,
                 std::uint8_t* to) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  if (size == 8) return copy_values<8>(from, stride, rows, to);
  if (size == 4) return copy_values<4>(from, stride, rows, to);
  if (size == 2) return copy_values<2>(from, stride, rows, to);
  copy_values<1>(from, stride, rows, to);
}

Index count_of(std::span<const Index> rows) { return static_cast<Index>(rows.size()); }

}  // namespace

GatheredRows::GatheredRows(const RowBlock& from, std::span<const Index> rows, Names names)
    : rows_(rows), names_(names), block_(count_of(rows)) {
  for (const RowBlock::Part& part : from.parts()) {
    if (part.kind == RowBlock::Part::Kind::matrix)
      matrix(part.matrix);
    else if (part.kind == RowBlock::Part::Kind::column)
      column(part.column);
    else
      sparse(part.sparse);
  }
  if (!from.order().empty()) block_ = block_.columns(from.order());
  rows_ = {};
}

/// Zeroed, aligned for every type.
std::uint8_t* GatheredRows::room(std::size_t bytes) {
  memory_.push_back(std::make_unique<std::uint64_t[]>(bytes / sizeof(std::uint64_t) + 1));
  return reinterpret_cast<std::uint8_t*>(memory_.back().get());
}

void GatheredRows::matrix(const MatrixView& from) {
  const std::size_t size = size_of(from.type), width = size * static_cast<std::size_t>(from.cols);
  std::uint8_t* to = room(width * rows_.size());
  MatrixView copy = from;
  copy.data = to;
  copy.rows = count_of(rows_);
  if (from.col_stride == 1) {
    const auto* values = static_cast<const std::uint8_t*>(from.data);
    for (const Index row : rows_) {
      std::memcpy(to, values + row * from.row_stride * static_cast<Index>(size), width);
      to += width;
    }
    copy.row_stride = from.cols;
  } else {  // column by column
    for (Index j = 0; j < from.cols; ++j) {
      const auto* values = static_cast<const std::uint8_t*>(from.data) +
                           j * from.col_stride * static_cast<Index>(size);
      copy_values(values, size, from.row_stride, rows_, to);
      to += size * rows_.size();
    }
    copy.row_stride = 1;
    copy.col_stride = count_of(rows_);
  }
  block_.features(copy);
}

Validity GatheredRows::validity(const Column& from) {
  if (!from.valid.bits) return {};
  std::uint8_t* bits = room(rows_.size() / 8 + 1);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (from.valid(rows_[i])) bits[i >> 3] = static_cast<std::uint8_t>(bits[i >> 3] | 1 << (i & 7));
  return {bits, 0};
}

void GatheredRows::column(const Column& from) {
  Column copy = from;
  copy.size = count_of(rows_);
  copy.valid = validity(from);
  if (from.kind == Column::Kind::strings) {
    std::size_t bytes = 0;
    for (const Index row : rows_) bytes += from.strings[row].size();
    auto* offsets = reinterpret_cast<std::int64_t*>(room((rows_.size() + 1) * 8));
    auto* text = reinterpret_cast<char*>(room(bytes));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::string_view value = from.strings[rows_[i]];
      std::copy(value.begin(), value.end(), text + offsets[i]);
      offsets[i + 1] = offsets[i] + static_cast<std::int64_t>(value.size());
    }
    copy.strings = Strings(offsets, text, copy.size);
  } else if (from.type == Scalar::bit) {
    std::uint8_t* bits = room(rows_.size() / 8 + 1);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (bit_at(from.data, from.bit_offset + rows_[i] * from.stride))
        bits[i >> 3] = static_cast<std::uint8_t>(bits[i >> 3] | 1 << (i & 7));
    copy.data = bits;
    copy.bit_offset = 0;
    copy.stride = 1;
  } else {
    std::uint8_t* values = room(rows_.size() * size_of(from.type));
    copy_values(from.data, size_of(from.type), from.stride, rows_, values);
    copy.data = values;
    copy.stride = 1;
  }
  if (from.kind == Column::Kind::codes && names_ == Names::copied) {
    auto list = std::make_unique<std::vector<std::string>>();
    for (Index i = 0; i < from.strings.size(); ++i) list->emplace_back(from.strings[i]);
    copy.strings = Strings(*list);
    copied_names_.push_back(std::move(list));
  }
  block_.feature(copy);
}

void GatheredRows::sparse(const SparseView& from) {
  SparseView copy = from;
  copy.rows = count_of(rows_);
  const std::size_t size = size_of(from.type);
  with_type(from.index_type, [&]<class I>(std::type_identity<I>) {
    const auto* start = static_cast<const I*>(from.row_start);
    const auto* index = static_cast<const I*>(from.column);
    const auto* values = static_cast<const std::uint8_t*>(from.values);
    std::size_t cells = 0;
    for (const Index row : rows_) cells += static_cast<std::size_t>(start[row + 1] - start[row]);
    auto* starts = reinterpret_cast<I*>(room((rows_.size() + 1) * sizeof(I)));
    auto* columns = reinterpret_cast<I*>(room(cells * sizeof(I)));
    std::uint8_t* numbers = room(cells * size);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto first = static_cast<std::size_t>(start[rows_[i]]);
      const auto count = static_cast<std::size_t>(start[rows_[i] + 1]) - first;
      const auto at = static_cast<std::size_t>(starts[i]);
      if (count > 0) {
        std::memcpy(columns + at, index + first, count * sizeof(I));
        std::memcpy(numbers + at * size, values + first * size, count * size);
      }
      starts[i + 1] = static_cast<I>(at + count);
    }
    copy.row_start = starts;
    copy.column = columns;
    copy.values = numbers;
  });
  block_.features(copy);
}

}  // namespace suffice
