#pragma once
// A view of some rows: features in the schema's order, and beside them labels and weights where
// there are any. Nothing is copied; what a RowBlock points to must outlive it.
//
//   RowBlock rows(x, y);                                     // a matrix and a label for each row
//   RowBlock rows(n);                                        // or column by column:
//   rows.feature(age).feature(sex).labels(species).weights(w);

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

enum class Scalar : std::uint8_t {
  float64,
  float32,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  bit,  ///< Arrow booleans: one bit per value, least significant first
};

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, long double>;

template <Number T>
consteval Scalar scalar_of() {
  if constexpr (std::floating_point<T>)
    return sizeof(T) == 8 ? Scalar::float64 : Scalar::float32;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 8   ? Scalar::int64
           : sizeof(T) == 4 ? Scalar::int32
           : sizeof(T) == 2 ? Scalar::int16
                            : Scalar::int8;
  else
    return sizeof(T) == 8   ? Scalar::uint64
           : sizeof(T) == 4 ? Scalar::uint32
           : sizeof(T) == 2 ? Scalar::uint16
                            : Scalar::uint8;
}

/// What a call makes of missing values.
enum class Missing : std::uint8_t {
  allow,   ///< what is there is used
  refuse,  ///< DataError with the row and the feature
};

/// Which values are present, as in Arrow: bit `offset + i` is 1 where value i is there. Without
/// bits all are. A NaN is missing in any case.
struct Validity {
  const std::uint8_t* bits = nullptr;
  Index offset = 0;

  bool operator()(Index i) const noexcept {
    const Index at = offset + i;
    return !bits || ((bits[at >> 3] >> (at & 7)) & 1);
  }
};

/// A view of UTF-8 strings: std::string objects, or Arrow's offsets and bytes.
class Strings {
 public:
  Strings() = default;
  Strings(std::span<const std::string> strings)
      : strings_(strings.data()), size_(static_cast<Index>(strings.size())) {}
  Strings(const std::vector<std::string>& strings)
      : Strings(std::span<const std::string>(strings)) {}
  /// String i is bytes[offsets[i] … offsets[i + 1]).
  Strings(const std::int32_t* offsets, const char* bytes, Index size)
      : offsets32_(offsets), bytes_(bytes), size_(size) {}
  Strings(const std::int64_t* offsets, const char* bytes, Index size)
      : offsets64_(offsets), bytes_(bytes), size_(size) {}

  Index size() const noexcept { return size_; }
  /// Those from `first` on, `count` of them.
  Strings slice(Index first, Index count) const noexcept {
    Strings result = *this;
    if (strings_) result.strings_ += first;
    if (offsets32_) result.offsets32_ += first;
    if (offsets64_) result.offsets64_ += first;
    result.size_ = count;
    return result;
  }
  std::string_view operator[](Index i) const noexcept {
    if (strings_) return strings_[i];
    const std::int64_t first = offsets32_ ? offsets32_[i] : offsets64_[i];
    const std::int64_t last = offsets32_ ? offsets32_[i + 1] : offsets64_[i + 1];
    return {bytes_ + first, static_cast<std::size_t>(last - first)};
  }

 private:
  const std::string* strings_ = nullptr;
  const std::int32_t* offsets32_ = nullptr;
  const std::int64_t* offsets64_ = nullptr;
  const char* bytes_ = nullptr;
  Index size_ = 0;
};

/// rows × cols numbers with any strides (counted in elements), row- or column-major.
struct MatrixView {
  const void* data = nullptr;
  Scalar type = Scalar::float64;
  Index rows = 0, cols = 0;
  Index row_stride = 0, col_stride = 0;

  MatrixView() = default;
  /// Row-major, packed unless a row stride is given.
  template <Number T>
  MatrixView(const T* values, Index n, Index d, Index between_rows = 0, Index between_cols = 1)
      : data(values),
        type(scalar_of<T>()),
        rows(n),
        cols(d),
        row_stride(between_rows ? between_rows : d),
        col_stride(between_cols) {}
  MatrixView(const Matrix& m) : MatrixView(m.data(), m.rows(), m.cols()) {}
  /// Any Eigen matrix, map, block or ref that lies in memory.
  template <class Derived>
  requires(bool(Derived::Flags& Eigen::DirectAccessBit))
      MatrixView(const Eigen::DenseBase<Derived>& m)
      : data(m.derived().data()),
        type(scalar_of<typename Derived::Scalar>()),
        rows(m.rows()),
        cols(m.cols()),
        row_stride(Derived::IsRowMajor ? m.derived().outerStride() : m.derived().innerStride()),
        col_stride(Derived::IsRowMajor ? m.derived().innerStride() : m.derived().outerStride()) {}
};

/// Sparse rows (CSR): row i has the columns column[j] with the values values[j] for j from
/// row_start[i] to row_start[i + 1]; all others are 0. Values of a column that is named twice in a
/// row are added up.
struct SparseView {
  Index rows = 0, cols = 0;
  const void* row_start = nullptr;  ///< int32 or int64, rows + 1 of them
  const void* column = nullptr;     ///< int32 or int64
  Scalar index_type = Scalar::int32;
  const void* values = nullptr;
  Scalar type = Scalar::float64;

  SparseView() = default;
  template <class I, Number T>
  requires(std::same_as<I, std::int32_t> || std::same_as<I, std::int64_t>)
      SparseView(Index n, Index d, const I* starts, const I* columns, const T* numbers)
      : rows(n),
        cols(d),
        row_start(starts),
        column(columns),
        index_type(scalar_of<I>()),
        values(numbers),
        type(scalar_of<T>()) {}
};

/// One column of numbers, of strings, or of codes into a list of names. An empty string is a name
/// like any other: a missing string needs a validity bit of 0, or a negative code.
struct Column {
  enum class Kind : std::uint8_t { none, numbers, strings, codes };

  Kind kind = Kind::none;
  const void* data = nullptr;  ///< numbers or codes
  Scalar type = Scalar::float64;
  Index size = 0;
  Index stride = 1;      ///< in elements
  Index bit_offset = 0;  ///< Scalar::bit only: the first value's bit
  Strings strings;       ///< the values (strings) or their names (codes)
  Validity valid;

  Column() = default;
  template <Number T>
  Column(const T* values, Index n, Index step = 1, Validity present = {})
      : kind(Kind::numbers),
        data(values),
        type(scalar_of<T>()),
        size(n),
        stride(step),
        valid(present) {}
  template <Number T>
  Column(const std::vector<T>& values) requires(!std::same_as<T, bool>)
      : Column(values.data(), static_cast<Index>(values.size())) {}
  Column(const Vector& values) : Column(values.data(), values.size()) {}
  template <class Derived>
  requires(bool(Derived::Flags& Eigen::DirectAccessBit) && bool(Derived::IsVectorAtCompileTime))
      Column(const Eigen::DenseBase<Derived>& v)
      : Column(v.derived().data(), v.size(), v.derived().innerStride()) {}
  Column(const std::vector<std::string>& values) : Column(Strings(values)) {}
  Column(Strings values, Validity present = {})
      : kind(Kind::strings), size(values.size()), strings(values), valid(present) {}
  /// Value i is names[codes[i]]; a negative code is a missing value.
  template <std::integral I>
  Column(const I* codes, Index n, Strings names, Validity present = {}, Index step = 1)
      : kind(Kind::codes),
        data(codes),
        type(scalar_of<I>()),
        size(n),
        stride(step),
        strings(names),
        valid(present) {}
};

class RowBlock {
 public:
  /// Consecutive features that lie in memory in one piece.
  struct Part {
    enum class Kind : std::uint8_t { matrix, column, sparse };
    Kind kind;
    Index first;  ///< its first feature
    Index count;
    MatrixView matrix;
    Column column;
    SparseView sparse;
  };

  explicit RowBlock(Index rows) : rows_(rows) {
    if (rows < 0) throw InvalidArgument("a RowBlock cannot have a negative number of rows");
  }
  RowBlock(const MatrixView& features) : RowBlock(features.rows) { this->features(features); }
  /// Whatever a MatrixView can be made of, so that log_likelihood(model, matrix) reads as it
  /// should.
  template <class M>
  requires(std::convertible_to<const M&, MatrixView> && !std::same_as<M, MatrixView>)
      RowBlock(const M& features)
      : RowBlock(MatrixView(features)) {}
  RowBlock(const MatrixView& features, const Column& labels) : RowBlock(features) {
    this->labels(labels);
  }
  RowBlock(const MatrixView& features, const Column& labels, const Column& weights)
      : RowBlock(features, labels) {
    this->weights(weights);
  }
  RowBlock(const SparseView& features) : RowBlock(features.rows) { this->features(features); }
  RowBlock(const SparseView& features, const Column& labels) : RowBlock(features) {
    this->labels(labels);
  }

  /// The next features. Throw InvalidArgument where the number of rows differs.
  RowBlock& features(const MatrixView& columns);
  RowBlock& features(const SparseView& columns);
  RowBlock& feature(const Column& column);
  /// The class of each row: strings, codes or numbers (named by name_of).
  RowBlock& labels(const Column& column);
  /// Frequencies: weight 2 is the row twice, weight 0 its absence. All 1 where none are given.
  RowBlock& weights(const Column& column);

  /// The rows from `first` on, `count` of them, with their labels and weights. Throws
  /// InvalidArgument where there are fewer.
  RowBlock slice(Index first, Index count) const;

  /// The same rows with some of their columns: those at these positions, each named once, in this
  /// order. Throws InvalidArgument for none, and for a position outside.
  RowBlock columns(std::span<const Index> positions) const;

  Index rows() const noexcept { return rows_; }
  Index feature_count() const noexcept {
    return order_.empty() ? stored_ : static_cast<Index>(order_.size());
  }
  /// All that lies in memory; a part may have columns that the rows do not have.
  const std::vector<Part>& parts() const noexcept { return parts_; }
  /// Where each column is among those of all parts; empty: they are the columns, in this order.
  const std::vector<Index>& order() const noexcept { return order_; }
  /// Where a column lies: its part, and its number there.
  struct Spot {
    const Part* part;
    Index column;
  };
  Spot spot(Index column) const noexcept;
  const Column& labels() const noexcept { return labels_; }
  const Column& weights() const noexcept { return weights_; }

 private:
  void add(Part part);

  Index rows_ = 0;
  Index stored_ = 0;  ///< columns of all parts
  std::vector<Part> parts_;
  std::vector<Index> order_;
  Column labels_;
  Column weights_;
};

}  // namespace suffice
