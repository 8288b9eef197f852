#pragma once
// Some rows of a table as every reader delivers them: a row-major matrix of numbers, and columns of
// text. What a column means (a feature's family, the label, the weight) is decided by others; here
// it is a slot of one of the two kinds. Because all formats arrive in this one shape, the same rows
// give the same sums, whatever file they came from.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice::cli {

/// How many slots there are.
struct Layout {
  Index numbers = 0;
  Index texts = 0;
  Index sparse = 0;  ///< columns of the sparse matrix (LIBSVM); then `numbers` has only the weight

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Where a column of a file goes.
struct Target {
  enum class Kind : std::uint8_t { skip, number, text, sparse };
  Kind kind = Kind::skip;
  Index slot = 0;
  bool words = false;     ///< number: the words true and false are 1 and 0
  bool verbatim = false;  ///< text: as written, True is not the level true
  bool is_fixed = false;  ///< number: the model says so, or it is a weight; no family is chosen
};

/// Text cells: laid out as Arrow does, or codes into a list of names where they come from whole
/// numbers, which usually are few. A missing cell has no bytes and a validity bit of 0.
class TextColumn {
 public:
  TextColumn() : offsets_{0} {}

  Index size() const noexcept { return size_; }
  void add(std::string_view text) {
    if (coded_) spell_out();
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    push(true);
  }
  void add_missing() {
    if (coded_) spell_out();
    push(false);
  }
  /// The decimal digits of whole numbers.
  void add_names(std::span<const std::int64_t> numbers);
  /// The cells [first, first + count) of another column.
  void append(const TextColumn& other, Index first, Index count);
  void clear();

  bool is_missing(Index i) const noexcept {
    return missing_ > 0 && !((valid_[i >> 3] >> (i & 7)) & 1);
  }
  std::string_view operator[](Index i) const noexcept {
    if (coded_) return names_[codes_[i]];
    return {bytes_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
  }
  Index missing() const noexcept { return missing_; }
  /// A view for the library; valid until the column changes.
  Column column() const;

 private:
  void push(bool valid) {
    offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
    push_validity(valid);
  }
  void push_validity(bool valid) {
    const Index i = size_++;
    if ((i & 7) == 0) valid_.push_back(0);
    valid_.back() = static_cast<std::uint8_t>(valid_.back() | (valid << (i & 7)));
    missing_ += !valid;
  }
  /// From codes to bytes.
  void spell_out();

  Index size_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<char> bytes_;
  std::vector<std::uint8_t> valid_;  ///< of cells in bytes; codes have no missing ones
  Index missing_ = 0;
  bool coded_ = false;
  std::vector<std::int32_t> codes_;
  std::vector<std::string> names_;
  std::unordered_map<std::int64_t, std::int32_t> code_of_;
};

/// Sparse rows (CSR), in the order in which they were read.
struct SparseRows {
  std::vector<std::int64_t> row_start{0};
  std::vector<std::int64_t> column;
  std::vector<double> value;
};

class Rows {
 public:
  Rows() = default;
  Rows(const Layout& layout, Index capacity);

  Index size() const noexcept { return size_; }
  Index capacity() const noexcept { return capacity_; }
  Index room() const noexcept { return capacity_ - size_; }
  const Layout& layout() const noexcept { return layout_; }

  /// Numbers of row i: `layout().numbers` of them, NaN where missing.
  double* numbers(Index row) noexcept { return numbers_.data() + row * layout_.numbers; }
  const double* numbers(Index row) const noexcept {
    return numbers_.data() + row * layout_.numbers;
  }
  std::vector<TextColumn>& texts() noexcept { return texts_; }
  const std::vector<TextColumn>& texts() const noexcept { return texts_; }
  SparseRows& sparse() noexcept { return sparse_; }
  const SparseRows& sparse() const noexcept { return sparse_; }

  /// A reader has written `count` further rows: their numbers at numbers(size()), a cell in each
  /// text column, an entry of sparse().row_start, and says where row i of them stands in its file:
  /// at `first_place` + i (a line, or the number of a row).
  void commit(Index count, std::int64_t first_place);
  /// The same where the places are no plain sequence: one for each row, rising, plus `shift`.
  void commit(std::span<const std::int64_t> places, std::int64_t shift = 0);
  /// The rows that follow are from this file; `in_lines`: places are lines, else numbers of rows.
  void begin_file(std::string path, bool in_lines);
  /// Where a row stands: in which file, and there in which line or row.
  Place place(Index row) const;

  /// Takes the rows out whose `keep` is 0.
  void keep_only(const std::vector<std::uint8_t>& keep);
  void clear();

 private:
  struct File {
    Index first_row;
    std::string path;
    bool in_lines;
  };
  Layout layout_;
  Index capacity_ = 0;
  Index size_ = 0;
  Vector numbers_;
  std::vector<TextColumn> texts_;
  SparseRows sparse_;
  /// Rows whose places are a plain sequence.
  struct Places {
    Index first_row;
    std::int64_t first_place;
  };
  void add_places(Index count, std::int64_t first_place);
  std::int64_t place_of(Index row) const;

  std::vector<Places> places_;
  std::vector<File> files_;
};

}  // namespace suffice::cli
