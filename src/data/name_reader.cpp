#include "data/name_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "data/other_spellings.hpp"
#include "data/scalar.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr std::uint64_t table_limit = 65536;         // integers that a lookup table may span
constexpr double int64_end = 9223372036854775808.0;  // 2^63

/// The integer that a float names, where there is one.
inline bool whole(double value, std::int64_t& integer) noexcept {
  if (!(value > -int64_end && value < int64_end)) return false;
  integer = static_cast<std::int64_t>(value);
  return static_cast<double>(integer) == value;
}

/// `name` as a T, if that is how a T of this value is named.
template <class T>
bool parse(const std::string& name, T& value) {
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, value);
  return error == std::errc{} && stop == end && name_of(value) == name;
}

[[noreturn]] void bad_code(Index row, const std::string& code, Index size) {
  throw DataError({.row = row},
                  "the code is " + code + ", but there are names for the codes 0 to " +
                      std::to_string(size - 1) + " only",
                  "a missing value has a negative code");
}

/// The name that a code stands for; -1 for a missing value. Codes may be whole floats, as in a
/// sample, whose values are all doubles; there a NaN is missing too.
template <class T>
Index name_of_code(T code, Index row, Index size) {
  if (!(code >= T{})) return -1;
  if constexpr (std::is_floating_point_v<T>) {
    if (!(code < static_cast<T>(size)) || code != std::floor(code))
      bad_code(row, name_of(static_cast<double>(code)), size);
  } else {
    if (static_cast<std::uint64_t>(code) >= static_cast<std::uint64_t>(size))
      bad_code(row, std::to_string(code), size);
  }
  return static_cast<Index>(code);
}

}  // namespace

Column NameReader::column_of(const RowBlock& rows, Index feature) {
  const RowBlock::Spot spot = rows.spot(feature);
  const RowBlock::Part& part = *spot.part;
  if (part.kind == RowBlock::Part::Kind::column) return part.column;
  if (part.kind == RowBlock::Part::Kind::sparse)
    throw DataError(
        "feature " + std::to_string(feature) + " is categorical, but lies in a sparse matrix",
        "give its values as a column");
  const MatrixView& matrix = part.matrix;
  return with_type(matrix.type, [&]<class T>(std::type_identity<T>) {
    return Column(static_cast<const T*>(matrix.data) + spot.column * matrix.col_stride, matrix.rows,
                  matrix.row_stride);
  });
}

NameReader::NameReader(const Column& column, const Names& names) : column_(column) {
  const auto position = [](Index i) { return static_cast<std::int32_t>(i); };
  const bool numbers = column.kind == Column::Kind::numbers && column.type != Scalar::bit;
  if (!numbers) {
    for (Index i = 0; i < names.size(); ++i) by_string_.emplace(names[i], position(i));
    spellings_ = std::make_shared<const std::vector<std::pair<std::string, Index>>>(
        other_spellings(names, [&](std::string_view name) { return names.find(name); }));
    for (const auto& [other, at] : *spellings_) by_string_.emplace(other, position(at));
    const auto code_of_name = [&](std::string_view name) {
      const auto at = by_string_.find(name);
      return at == by_string_.end() ? unknown : at->second;
    };
    if (column.kind == Column::Kind::codes) {
      for (Index i = 0; i < column.strings.size(); ++i)
        by_code_.push_back(code_of_name(column.strings[i]));
    } else if (column.kind == Column::Kind::numbers) {
      by_code_ = {code_of_name("false"), code_of_name("true")};
    }
    return;
  }

  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  for (Index i = 0; i < names.size(); ++i) {
    std::int64_t integer = 0;
    std::uint64_t natural = 0;
    double real = 0;
    if (column.type == Scalar::uint64 && parse(names[i], natural))
      integer = static_cast<std::int64_t>(natural);
    else if (column.type == Scalar::uint64 || !parse(names[i], integer)) {
      if (is_floating(column.type) && parse(names[i], real)) by_real_.emplace(real, position(i));
      continue;
    }
    by_far_integer_.emplace(integer, position(i));
    low = std::min(low, integer);
    high = std::max(high, integer);
  }
  if (by_far_integer_.empty()) return;
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (span >= table_limit) return;
  lowest_ = low;
  by_integer_.assign(static_cast<std::size_t>(span + 1), unknown);
  for (const auto& [value, code] : by_far_integer_) by_integer_[value - low] = code;
  by_far_integer_.clear();
}

std::int32_t NameReader::code_of(std::int64_t value) const {
  const auto at = by_far_integer_.find(value);
  return at == by_far_integer_.end() ? unknown : at->second;
}

template <class Use>
auto NameReader::with_value(Index row, Use use) const {
  if (column_.kind == Column::Kind::strings) return use(column_.strings[row]);
  if (column_.type == Scalar::bit) {
    const bool bit = bit_at(column_.data, column_.bit_offset + row * column_.stride);
    return use(std::string_view(bit ? "true" : "false"));
  }
  return with_type(column_.type, [&]<class T>(std::type_identity<T>) {
    const T value = static_cast<const T*>(column_.data)[row * column_.stride];
    if (column_.kind == Column::Kind::codes)
      return use(column_.strings[name_of_code(value, row, column_.strings.size())]);
    if constexpr (std::is_floating_point_v<T>) {
      std::int64_t integer = 0;
      if (!whole(static_cast<double>(value), integer)) return use(static_cast<double>(value));
      return use(integer);
    } else {
      return use(static_cast<std::int64_t>(value));
    }
  });
}

std::string NameReader::name_at(Index row) const {
  return with_value(row, [&]<class T>(T value) {
    if constexpr (std::is_same_v<T, std::string_view>)
      return std::string(value);
    else if constexpr (std::is_same_v<T, double>)
      return name_of(value);
    else
      return column_.type == Scalar::uint64 ? name_of(static_cast<std::uint64_t>(value))
                                            : name_of(value);
  });
}

std::int32_t NameReader::learn(Index row, std::int32_t next) {
  const std::int32_t code = with_value(row, [&]<class T>(T value) {
    if constexpr (std::is_same_v<T, std::string_view>)
      return by_string_.try_emplace(value, next).first->second;
    else if constexpr (std::is_same_v<T, double>)
      return by_real_.try_emplace(value, next).first->second;
    else
      return learn_integer(value, next);
  });
  if (column_.kind == Column::Kind::codes)
    with_type(column_.type, [&]<class T>(std::type_identity<T>) {
      by_code_[name_of_code(static_cast<const T*>(column_.data)[row * column_.stride], row,
                            column_.strings.size())] = code;
    });
  else if (column_.kind == Column::Kind::numbers && column_.type == Scalar::bit)
    by_code_[bit_at(column_.data, column_.bit_offset + row * column_.stride)] = code;
  return code;
}

std::int32_t NameReader::learn_integer(std::int64_t value, std::int32_t next) {
  const auto place = [&] {
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(lowest_);
  };
  if (place() >= by_integer_.size()) {
    if (const auto far = by_far_integer_.find(value); far != by_far_integer_.end())
      return far->second;
    if (!widen(value)) return by_far_integer_.emplace(value, next).first->second;
  }
  std::int32_t& code = by_integer_[place()];
  return code = code == unknown ? next : code;
}

/// Makes the table long enough for a value, with room for more on the side to which it grew; false
/// where it would be too long.
bool NameReader::widen(std::int64_t value) {
  const auto distance = [](std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  std::int64_t low = value, high = value;
  if (!by_integer_.empty()) {
    low = std::min(low, lowest_);
    high = std::max(high, lowest_ + static_cast<std::int64_t>(by_integer_.size() - 1));
  }
  const std::uint64_t span = distance(low, high);
  if (span >= table_limit) return false;
  const std::uint64_t room = 32 + span / 2;
  if (value == low)
    low -= static_cast<std::int64_t>(
        std::min(room, distance(std::numeric_limits<std::int64_t>::min(), low)));
  if (value == high)
    high += static_cast<std::int64_t>(
        std::min(room, distance(high, std::numeric_limits<std::int64_t>::max())));
  std::vector<std::int32_t> wider(static_cast<std::size_t>(distance(low, high) + 1), unknown);
  if (!by_integer_.empty())
    std::ranges::copy(by_integer_,
                      wider.begin() + static_cast<std::ptrdiff_t>(distance(low, lowest_)));
  by_integer_ = std::move(wider);
  lowest_ = low;
  std::erase_if(by_far_integer_, [&](const auto& far) {
    const std::uint64_t at = distance(low, far.first);
    if (at >= by_integer_.size()) return false;
    by_integer_[at] = far.second;
    return true;
  });
  return true;
}

std::optional<NameReader::Integers> NameReader::integers() const {
  if (column_.kind != Column::Kind::numbers || column_.type == Scalar::bit ||
      is_floating(column_.type) || column_.valid.bits || !by_far_integer_.empty())
    return std::nullopt;
  return Integers{column_.data, column_.type, column_.stride, lowest_, by_integer_};
}

void NameReader::fetch(std::span<const NameReader> columns, Index first, Index count) {
  constexpr std::ptrdiff_t line = 64;  // bytes of a cache line
  const char* fetched = nullptr;
  for (const NameReader& reader : columns) {
    const Column& column = reader.column_;
    if (!column.data || column.type == Scalar::bit) continue;
    const Index step = column.stride * static_cast<Index>(size_of(column.type));
    const char* data = static_cast<const char*>(column.data) + first * step;
    if (fetched && data - fetched >= 0 && data - fetched < line && step >= line) continue;
    fetched = data;
    const Index rows = std::min(count, column.size - first);
    for (Index i = 0; i < rows; ++i) __builtin_prefetch(data + i * step);
  }
}

void NameReader::read(Index first, Index count, std::int32_t* codes, Index stride) const {
  if (column_.kind == Column::Kind::strings) {
    for (Index i = 0; i < count; ++i) {
      if (!column_.valid(first + i)) {
        codes[i * stride] = missing;
        continue;
      }
      const auto at = by_string_.find(column_.strings[first + i]);
      codes[i * stride] = at == by_string_.end() ? unknown : at->second;
    }
    return;
  }
  if (column_.type == Scalar::bit) {
    for (Index i = 0; i < count; ++i)
      codes[i * stride] =
          by_code_[bit_at(column_.data, column_.bit_offset + (first + i) * column_.stride)];
  } else {
    with_type(column_.type, [&]<class T>(std::type_identity<T>) {
      if (column_.kind == Column::Kind::codes)
        read_codes<T>(first, count, codes, stride);
      else if constexpr (std::is_floating_point_v<T>)
        read_reals<T>(first, count, codes, stride);
      else
        read_integers<T>(first, count, codes, stride);
    });
  }
  if (!column_.valid.bits) return;
  for (Index i = 0; i < count; ++i) {
    if (!column_.valid(first + i)) codes[i * stride] = missing;
  }
}

template <class T>
void NameReader::read_integers(Index first, Index count, std::int32_t* codes, Index stride) const {
  const Index step = column_.stride;
  const T* data = static_cast<const T*>(column_.data) + first * step;
  const std::int32_t* table = by_integer_.data();
  const std::uint64_t lowest = static_cast<std::uint64_t>(lowest_), size = by_integer_.size();
  for (Index i = 0; i < count; ++i) {
    const std::int64_t value = static_cast<std::int64_t>(data[i * step]);
    const std::uint64_t at = static_cast<std::uint64_t>(value) - lowest;
    codes[i * stride] = at < size ? table[at] : code_of(value);
  }
}

template <class T>
void NameReader::read_reals(Index first, Index count, std::int32_t* codes, Index stride) const {
  const Index step = column_.stride;
  const T* data = static_cast<const T*>(column_.data) + first * step;
  const std::int32_t* table = by_integer_.data();
  const std::uint64_t lowest = static_cast<std::uint64_t>(lowest_), size = by_integer_.size();
  for (Index i = 0; i < count; ++i) {
    const double value = static_cast<double>(data[i * step]);
    std::int64_t integer = 0;
    std::int32_t& code = codes[i * stride];
    if (whole(value, integer)) {
      const std::uint64_t at = static_cast<std::uint64_t>(integer) - lowest;
      code = at < size ? table[at] : code_of(integer);
    } else if (!std::isfinite(value)) {
      code = std::isnan(value) ? missing : infinite;
    } else {
      const auto at = by_real_.find(value);
      code = at == by_real_.end() ? unknown : at->second;
    }
  }
}

template <class T>
void NameReader::read_codes(Index first, Index count, std::int32_t* codes, Index stride) const {
  const T* data = static_cast<const T*>(column_.data);
  for (Index i = 0; i < count; ++i) {
    const Index row = first + i;
    const Index name = column_.valid(row)
                           ? name_of_code(data[row * column_.stride], row, column_.strings.size())
                           : -1;
    codes[i * stride] = name < 0 ? missing : by_code_[name];
  }
}

}  // namespace suffice
