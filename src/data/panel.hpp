#pragma once
// Rows as kernels want them: panels of row-major doubles in which a missing value is NaN, or panels
// of level codes. A dense row-major double matrix is not copied at all.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/parallel.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// Checks that `rows` has the schema's number of features. Throws InvalidArgument.
void require_features(const Schema& schema, const RowBlock& rows);

/// Throws DataError: missing values are refused, and this feature has one.
[[noreturn]] void throw_missing(const std::string& feature, Index row);
/// Throws DataError: an infinite value is no category.
[[noreturn]] void throw_infinite_category(const std::string& feature, Index row);

/// One number of one row as it was given, for messages.
double number_at(const RowBlock& rows, Index feature, Index row);

/// Values of a block's features, transformed as the schema says, panel by panel. A number outside
/// the domain of its transformation is infinite in the panel.
class NumberReader {
 public:
  /// Throws DataError where a numeric family meets a column of strings, and InvalidArgument where
  /// the indices of a sparse part point outside it; `workers` help to check them.
  NumberReader(const Schema& schema, const Block& block, const RowBlock& rows,
               Workers* workers = nullptr);
  /// Of all features of the rows, as they come; `name` tells one in a message.
  NumberReader(const RowBlock& rows, const std::function<std::string(Index)>& name,
               Workers* workers = nullptr);

  struct Panel {
    const double* values;  ///< row-major
    Index stride;
  };
  /// Rows [first, first + count). `scratch` has room for count × features doubles and is used where
  /// the rows cannot be read in place.
  Panel read(Index first, Index count, double* scratch) const;
  /// Whether read never uses the scratch.
  bool in_place() const noexcept { return in_place_; }
  Index features() const noexcept { return features_; }
  /// The one sparse part that is the whole block, in order; null for all other layouts.
  const SparseView* sparse() const noexcept { return sparse_; }

 private:
  /// What the constructors share; `strings(feature)` throws for a column of strings.
  void open(std::span<const Index> features, const RowBlock& rows, Workers* workers,
            const std::function<void(Index)>& strings);

  /// Consecutive features of the block that lie in one part, evenly spaced.
  struct Run {
    const RowBlock::Part* part;
    Index column;  ///< of the first one, in the part
    Index step;    ///< columns of the part from one to the next
    Index count;
    Index position;            ///< of the first one, in the panel
    std::vector<Index> panel;  ///< sparse: the position in the panel of each column, or -1
  };
  struct Transformed {
    Index position;  ///< in the panel
    Transform transform;
  };
  void transform(Index rows, double* panel) const;

  std::vector<Run> runs_;
  std::vector<Transformed> transforms_;
  Index features_ = 0;
  bool in_place_ = false;
  const SparseView* sparse_ = nullptr;
};

/// Collects the names that occur in a column: labels, or a categorical feature. Numbers are named
/// by name_of, Arrow's booleans are "false" and "true". Sets of names that several collectors saw
/// are joined by join.
class NameCollector {
 public:
  explicit NameCollector(const Column& column);
  /// Looks at rows [first, first + count) of positive weight (null: all rows); weights[i] is that
  /// of row i of the column.
  void add(Index first, Index count, const double* weights);
  Names names() const;

 private:
  template <class T>
  void add_integers(Index first, Index count, const double* weights);
  template <class T>
  void add_reals(Index first, Index count, const double* weights);
  template <class T>
  void add_codes(Index first, Index count, const double* weights);
  void see_outside(std::int64_t value);
  struct Window;

  Column column_;
  std::vector<std::uint8_t> seen_;  ///< integers lowest_ + i; codes
  std::int64_t lowest_ = 0;
  std::unordered_set<std::int64_t> far_;  ///< integers that would make seen_ too long
  std::unordered_set<double> reals_;      ///< not whole, or beyond the integers
  std::unordered_set<std::string_view> strings_;
};

/// The codes of the levels of a column of names: labels, or a categorical feature. Negative codes:
/// `missing`, `unknown` for a name that is not in the dictionary, `infinite` for a number that has
/// no name.
class NameReader {
 public:
  static constexpr std::int32_t missing = -1;
  static constexpr std::int32_t unknown = -2;
  static constexpr std::int32_t infinite = -3;

  /// The names that occur in the column, among rows of positive weight (null: all rows).
  static Names names_in(const Column& column, const double* weights);
  /// The same for several columns in one pass over the rows, so that a row-major matrix is read
  /// once.
  static std::vector<Names> names_in(std::span<const Column> columns, const double* weights);

  /// A feature as a column, whatever part it lies in. Throws DataError for a sparse part.
  static Column column_of(const RowBlock& rows, Index feature);

  /// Keeps views of both arguments.
  NameReader(const Column& column, const Names& names);
  /// codes[i * stride] of rows [first, first + count).
  void read(Index first, Index count, std::int32_t* codes, Index stride) const;
  /// Tells the caches that these rows of neighbouring columns will be read soon; rows beyond the
  /// end are passed over.
  static void fetch(std::span<const NameReader> columns, Index first, Index count);

 private:
  template <class T>
  void read_integers(Index first, Index count, std::int32_t* codes, Index stride) const;
  template <class T>
  void read_reals(Index first, Index count, std::int32_t* codes, Index stride) const;
  template <class T>
  void read_codes(Index first, Index count, std::int32_t* codes, Index stride) const;
  std::int32_t code_of(std::int64_t value) const;

  Column column_;
  std::vector<std::int32_t> by_code_;     ///< of codes columns: their name's position; of bits
  std::vector<std::int32_t> by_integer_;  ///< of integers: position of value lowest_ + i
  std::int64_t lowest_ = 0;
  std::unordered_map<std::int64_t, std::int32_t> by_far_integer_;  ///< where a table is too long
  std::unordered_map<double, std::int32_t> by_real_;  ///< of floats: not whole, or beyond int64
  std::unordered_map<std::string_view, std::int32_t> by_string_;
};

/// All weights as doubles (null where there are none given: all 1), each finite and ≥ 0.
/// `scratch` owns them where they cannot be read in place. Throws DataError with the row.
const double* read_weights(const RowBlock& rows, Vector& scratch);

}  // namespace suffice
