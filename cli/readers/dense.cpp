#include "cli/readers/dense.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "cli/readers/cells.hpp"
#include "cli/readers/csv_text.hpp"
#include "cli/readers/dense_loader.hpp"
#include "core/parallel.hpp"
#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli {
namespace {

constexpr Index load_bytes = 8 << 20;  // that are taken from the file at a time

template <class T>
T load(const char* from, bool swap) {
  char bytes[sizeof(T)];
  if (swap)
    std::reverse_copy(from, from + sizeof(T), bytes);
  else
    std::memcpy(bytes, from, sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// f(g) with g(cell) the number in a cell, as the widest type of its kind.
template <class F>
void with_reader(const Element& element, F&& f) {
  const auto typed = [&]<class T>(std::type_identity<T>) {
    using Wide =
        std::conditional_t<std::is_floating_point_v<T>, double,
                           std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    if (element.swap)
      f([](const char* p) { return static_cast<Wide>(load<T>(p, true)); });
    else
      f([](const char* p) { return static_cast<Wide>(load<T>(p, false)); });
  };
  const auto sized = [&]<class A, class B, class C, class D>(A a, B b, C c, D d) {
    element.size == 1   ? typed(a)
    : element.size == 2 ? typed(b)
    : element.size == 4 ? typed(c)
                        : typed(d);
  };
  switch (element.kind) {
    case Element::Kind::boolean:
      return f([](const char* p) { return std::uint64_t{*p != 0}; });
    case Element::Kind::integer:
      return sized(std::type_identity<std::int8_t>{}, std::type_identity<std::int16_t>{},
                   std::type_identity<std::int32_t>{}, std::type_identity<std::int64_t>{});
    case Element::Kind::natural:
      return sized(std::type_identity<std::uint8_t>{}, std::type_identity<std::uint16_t>{},
                   std::type_identity<std::uint32_t>{}, std::type_identity<std::uint64_t>{});
    default:
      if (element.size == 2)
        return f([swap = element.swap](const char* p) {
          return double{half_to_float(load<std::uint16_t>(p, swap))};
        });
      return element.size == 4 ? typed(std::type_identity<float>{})
                               : typed(std::type_identity<double>{});
  }
}

bool is_text(const Element& element) {
  return element.kind == Element::Kind::code_points || element.kind == Element::Kind::characters;
}

void add_utf8(std::uint32_t c, std::string& to) {
  const auto put = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
  const auto follow = [&](int shift) { put(0x80 | ((c >> shift) & 0x3f)); };
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;  // no character: the mark for that
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    follow(0);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    follow(6);
    follow(0);
  } else {
    put(0xf0 | c >> 18);
    follow(12);
    follow(6);
    follow(0);
  }
}

/// The text in a cell, without the zeros behind it.
std::string_view text_in(const Element& element, const char* cell, std::string& scratch) {
  if (element.kind == Element::Kind::characters) {
    std::string_view text(cell, static_cast<std::size_t>(element.size));
    const std::size_t last = text.find_last_not_of('\0');
    return text.substr(0, last == text.npos ? 0 : last + 1);
  }
  Index count = element.size / 4;
  while (count > 0 && load<std::uint32_t>(cell + 4 * (count - 1), false) == 0) --count;
  scratch.clear();
  for (Index i = 0; i < count; ++i)
    add_utf8(load<std::uint32_t>(cell + 4 * i, element.swap), scratch);
  return scratch;
}

class DenseSource : public Source {
 public:
  DenseSource(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
              std::int64_t header_bytes, DenseArray array, const SourceOptions& options)
      : path_(path),
        bytes_(std::move(bytes)),
        header_bytes_(header_bytes),
        array_(std::move(array)),
        missing_(options.input.na),
        workers_(options.execution, 64) {}

  const std::string& path() const override { return path_; }
  Extent extent() const override { return loader_ ? loader_->extent() : bytes_->extent(); }

  std::vector<SourceColumn> look(std::optional<Index>) override {
    std::vector<SourceColumn> columns;
    columns.reserve(array_.columns.size());
    for (const DenseColumn& column : array_.columns) {
      const Element& element = column.element;
      const bool text = is_text(element) || element.kind == Element::Kind::boolean;
      columns.push_back({column.name,
                         element.kind == Element::Kind::other ? CellKind::unsupported
                         : text                               ? CellKind::text
                                                              : CellKind::number,
                         column.type});
    }
    return columns;
  }

  void select(const std::vector<Target>& targets) override {
    targets_ = targets;
    for (Index j = 0; j < std::ssize(targets_); ++j) {
      const DenseColumn& column = array_.columns[j];
      const Target& target = targets_[j];
      if (target.kind == Target::Kind::skip) continue;
      if (column.element.kind == Element::Kind::other)
        throw FileError({.path = path_},
                        "'" + path_ + "': column '" + column.name + "' has the type " +
                            column.type + ", which cannot be read",
                        "numbers, booleans and strings can");
      if (target.kind == Target::Kind::text || is_text(column.element)) {
        by_cell_.push_back(j);
      } else if (!runs_.empty() && continues(runs_.back(), j)) {
        ++runs_.back().count;
      } else {
        runs_.push_back({j, 1});
      }
    }
    loader_ = open_loader(path_, std::move(bytes_), header_bytes_, array_, targets_, workers_);
  }

  bool read(Rows& rows) override {
    const bool as_they_are = are_rows(rows.layout());
    while (rows.room() > 0 && row_ < array_.rows) {
      const Index most = std::max<Index>(1, load_bytes / array_.row_bytes);
      const Index left = std::min(rows.room(), array_.rows - row_);
      const Index wanted = as_they_are ? left : std::min(left, most);
      Index count = 0;
      if (as_they_are) {
        count = loader_->copy(row_, wanted, reinterpret_cast<char*>(rows.numbers(rows.size())));
        rows.commit(count, row_ + 1);
      } else {
        count = loader_->load(row_, wanted);
        if (count > 0) append(rows, count);
      }
      row_ += count;
      if (count < wanted)
        throw FileError({.path = path_}, "'" + path_ + "' is cut off: its header says " +
                                             std::to_string(array_.rows) + " rows, and the last " +
                                             std::to_string(array_.rows - row_) +
                                             " are missing or incomplete");
    }
    return row_ < array_.rows;
  }

 private:
  /// Columns of one type whose cells and slots are neighbours.
  struct Run {
    Index column;
    Index count;
  };
  bool continues(const Run& run, Index column) const {
    const Index last = column - 1;
    const Element& element = array_.columns[column].element;
    return run.column + run.count == column && !array_.by_column &&
           targets_[column].slot == targets_[last].slot + 1 &&
           element == array_.columns[last].element &&
           array_.columns[column].offset == array_.columns[last].offset + element.size;
  }

  /// Whether a row of the file is one of the layout, byte for byte.
  bool are_rows(const Layout& layout) const {
    return !array_.by_column && by_cell_.empty() && runs_.size() == 1 &&
           array_.columns[runs_[0].column].element == Element{} &&
           targets_[runs_[0].column].slot == 0 && runs_[0].count == layout.numbers &&
           runs_[0].count * Index{sizeof(double)} == array_.row_bytes;
  }

  void append(Rows& rows, Index count) {
    const Index width = rows.layout().numbers;
    double* const out = rows.numbers(rows.size());
    // Tiles that stay in the cache with what they become.
    const Index tile = std::max<Index>(32, 4096 / std::max<Index>(width, 1));
    workers_.run((count + tile - 1) / tile, [&](Index t, int) {
      for (const Run& run : runs_) {
        const Index first = t * tile, last = std::min(count, first + tile);
        copy_numbers(run, first, last, out + targets_[run.column].slot, width);
      }
    });
    for (const Index j : by_cell_) copy_cells(j, count, rows);
    rows.commit(count, row_ + 1);
  }

  void copy_numbers(const Run& run, Index first, Index last, double* out, Index width) const {
    const Element& element = array_.columns[run.column].element;
    const char* const cells = loader_->cell(run.column);
    const Index step = loader_->step();
    with_reader(element, [&](auto number) {
      for (Index i = first; i < last; ++i) {
        const char* from = cells + i * step;
        double* const to = out + i * width;
        for (Index k = 0; k < run.count; ++k, from += element.size)
          to[k] = static_cast<double>(number(from));
      }
    });
  }

  /// Text as text, text as numbers, or numbers as text.
  void copy_cells(Index column, Index count, Rows& rows) const {
    const Element& element = array_.columns[column].element;
    const Target& target = targets_[column];
    const char* cell = loader_->cell(column);
    const Index step = loader_->step();
    std::string scratch;
    if (target.kind == Target::Kind::number) {
      for (Index i = 0; i < count; ++i, cell += step) {
        const std::string_view text = text_in(element, cell, scratch);
        const std::optional<double> number = number_in(text, missing_, target.words);
        if (!number) refuse_word(path_, row_ + i, array_.columns[column].name, target, text);
        rows.numbers(rows.size() + i)[target.slot] = *number;
      }
      return;
    }
    TextColumn& texts = rows.texts()[target.slot];
    if (is_text(element)) {
      for (Index i = 0; i < count; ++i, cell += step) {
        const std::string_view text = text_in(element, cell, scratch);
        if (!is_utf8(text))
          throw FileError(
              {.path = path_, .row = row_ + i, .features = {array_.columns[column].name}},
              "the text is not UTF-8", "save it as an array of str");
        missing_(text) ? texts.add_missing() : texts.add(text);
      }
    } else if (element.kind == Element::Kind::boolean) {
      for (Index i = 0; i < count; ++i, cell += step) texts.add(*cell ? "true" : "false");
    } else {
      with_reader(element, [&](auto number) {
        using Number = decltype(number(cell));
        if constexpr (std::is_same_v<Number, double>) {
          for (Index i = 0; i < count; ++i, cell += step) {
            const double value = number(cell);
            value != value ? texts.add_missing() : texts.add(name_of(value));
          }
        } else if (std::is_signed_v<Number> || element.size < 8) {
          std::vector<std::int64_t> values(static_cast<std::size_t>(count));
          for (Index i = 0; i < count; ++i, cell += step)
            values[i] = static_cast<std::int64_t>(number(cell));
          texts.add_names(values);
        } else {  // whole numbers that need all of 64 bits
          for (Index i = 0; i < count; ++i, cell += step) texts.add(name_of(number(cell)));
        }
      });
    }
  }

  std::string path_;
  std::unique_ptr<PeekedBytes> bytes_;
  std::int64_t header_bytes_;
  DenseArray array_;
  MissingTokens missing_;
  Workers workers_;
  std::vector<Target> targets_;
  std::vector<Run> runs_;       ///< numbers that stay numbers
  std::vector<Index> by_cell_;  ///< the other columns
  std::unique_ptr<DenseLoader> loader_;
  Index row_ = 0;
};

}  // namespace

std::vector<DenseColumn> numbered_columns(Index count, const Element& element,
                                          const std::string& type) {
  std::vector<DenseColumn> columns;
  columns.reserve(static_cast<std::size_t>(count));
  for (Index j = 0; j < count; ++j)
    columns.push_back({"x" + std::to_string(j), element, j * element.size, type});
  return columns;
}

Index set_shape(DenseArray& array, const std::vector<std::uint64_t>& dimensions, Index cell_bytes,
                const std::string& path, const std::string& what) {
  const auto fail = [&](const std::string& reason, const std::string& advice = {}) {
    throw FileError({.path = path}, "'" + path + "': this " + what + " " + reason, advice);
  };
  if (dimensions.empty()) fail("has one value and no rows", "a table has 1 or more dimensions");
  std::uint64_t count = 1, bytes = 0;
  for (std::size_t k = 1; k < dimensions.size(); ++k)
    if (__builtin_mul_overflow(count, dimensions[k], &count)) count = ~std::uint64_t{0};
  if (count == 0 || cell_bytes == 0) fail("has rows of no values");
  if (count > static_cast<std::uint64_t>(most_dense_columns))
    fail("claims " + std::to_string(count) + " columns",
         std::to_string(most_dense_columns) + " is the most, and a damaged header claims anything");
  if (__builtin_mul_overflow(count * static_cast<std::uint64_t>(cell_bytes), dimensions[0],
                             &bytes) ||
      bytes >> 62)
    fail("claims " + std::to_string(dimensions[0]) +
         " rows, more than any file has: its header is damaged");
  const auto columns = static_cast<Index>(count);
  array.rows = static_cast<Index>(dimensions[0]);
  array.row_bytes = columns * cell_bytes;
  return columns;
}

void require_bytes(const DenseArray& array, Index columns, const PeekedBytes& bytes,
                   std::int64_t header_bytes, const std::string& path) {
  constexpr Index many_columns = 1 << 16;
  constexpr Index best_packing = 1100;  // of .gz; that of .zst has no limit
  if (array.rows == 0 && columns > many_columns)
    throw FileError(
        {.path = path},
        "'" + path + "': its header claims " + std::to_string(columns) + " columns and no rows",
        "it is damaged");
  const std::int64_t on_disk = bytes.extent().total;
  if (on_disk == 0) return;  // a pipe
  const Index needed = array.rows * array.row_bytes;
  const bool plain = is_plain(path, bytes);
  if (plain ? needed > on_disk - header_bytes
            : columns > many_columns && needed / best_packing > on_disk)
    throw FileError({.path = path},
                    "'" + path + "' is cut off: its header says " + std::to_string(array.rows) +
                        " rows of " + std::to_string(array.row_bytes) +
                        " bytes, and the file has " + std::to_string(on_disk) + " bytes");
}

std::unique_ptr<Source> open_dense(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                   std::int64_t header_bytes, DenseArray array,
                                   const SourceOptions& options) {
  return std::make_unique<DenseSource>(path, std::move(bytes), header_bytes, std::move(array),
                                       options);
}

}  // namespace suffice::cli
