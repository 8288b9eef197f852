#pragma once
// A sample of labelled rows, kept in the one pass that adds up the sums: what sums cannot tell
// (which model predicts best, how to calibrate it) is measured on these rows. It lives in memory,
// and in a statistics file only where that is asked for.
//
// A row is kept where the hash of (seed, row number) is among the smallest of its class, so the
// sample is the same for any chunks, threads and file format. Rare classes have more rows than
// their share; `importance` undoes that.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

struct ReservoirOptions {
  Index rows = 2000;     ///< at most
  double numbers = 8e6;  ///< rows times columns at most
  std::uint64_t seed = 0;
  /// Rare classes keep more rows than their share. Otherwise all rows have the same chance, and
  /// rows of weight 0 are not counted.
  bool by_class = true;
};

/// Rows with memory of their own, in the order of the input.
class SampledRows {
 public:
  SampledRows() = default;
  Index size() const noexcept { return std::ssize(labels_); }
  /// All columns of the schema, labels and weights. A view of this object, for every schema of
  /// these columns.
  RowBlock rows() const;
  /// The columns of one block of such a schema, in the order in which it reads them, with labels
  /// and weights.
  RowBlock rows(const Schema& schema, const Block& block) const;
  /// The same rows as they are left out: where all weights are whole numbers they count rows, and
  /// one of these is left out; otherwise the whole row is.
  RowBlock left_out() const;
  RowBlock left_out(const Schema& schema, const Block& block) const;
  /// How many rows of the input each row stands for, scaled to a sum of size(): the rows of its
  /// class over those that were kept. All 1 where all rows were kept.
  const Vector& importance() const noexcept { return importance_; }
  /// The weight of a row over that of left_out(): 1, or a number of rows.
  const Vector& copies() const noexcept { return copies_; }
  /// The share of rows without a value, per column.
  Vector missing() const;

 private:
  friend class Reservoir;
  RowBlock& add_labels(RowBlock& rows) const;
  void add_column(Index column, RowBlock& rows) const;

  struct Place {
    bool named = false;
    Index position = 0;  ///< in numbers_ or names_
  };
  struct NamedColumn {
    std::vector<std::string> values;
    std::vector<std::uint8_t> valid;  ///< bits
  };
  std::vector<Place> places_;  ///< per column
  Matrix numbers_;             ///< rows × columns that are numbers, as they came
  std::vector<NamedColumn> names_;
  std::vector<std::string> labels_;
  Vector weights_, left_out_, importance_, copies_;
};

class Reservoir {
 public:
  explicit Reservoir(const Schema& schema, const ReservoirOptions& options = {});

  /// The next labelled rows of the input, after Statistics has accepted them. Rows of weight 0 are
  /// never kept.
  void update(const RowBlock& rows);

  /// The rows that were offered, those of weight 0 left out.
  double seen() const noexcept { return seen_; }
  Index size() const noexcept { return kept_; }
  /// How many rows it keeps at most.
  Index capacity() const noexcept { return capacity_; }
  SampledRows sample() const;
  /// With at most that many rows.
  Reservoir limited(Index capacity) const;

  /// A sample of the rows of both, as large as the larger of them may be: of each class the rows
  /// with the smallest hashes. Rows are numbered in each by itself; of rows that have the same hash
  /// those whose numbers and names are smaller come first, so the order of the two does not matter.
  /// Throws InvalidArgument where the features differ.
  friend Reservoir merge(const Reservoir& a, const Reservoir& b);

  /// All that it has, for files.
  struct Parts {
    Schema schema;
    Index capacity = 0;
    // Per class.
    std::vector<std::string> labels;
    Vector seen;
    std::vector<std::int64_t> limited;  ///< 0 or 1
    std::vector<std::int64_t> limit;    ///< the bits of the hash
    // Per row.
    std::vector<std::int64_t> label;  ///< position of its class
    std::vector<std::int64_t> hash, number;
    Vector weight;
    Matrix numbers;                                  ///< rows × numeric features
    std::vector<std::vector<std::string>> names;     ///< per named feature
    std::vector<std::vector<std::int64_t>> present;  ///< 0 or 1, per named feature
  };
  Parts parts() const;
  /// Throws InvalidArgument where these do not fit together.
  explicit Reservoir(const Parts& parts);

 private:
  struct Row {
    std::uint64_t hash;
    std::int64_t number;
    double weight;
    std::vector<double> numbers;
    std::vector<std::string> names;
    std::vector<bool> present;  ///< of the names
    bool operator<(const Row& other) const;
  };
  /// Rows of a class in which every row with a hash below `limit` was kept.
  struct Class {
    std::string label;
    double seen = 0;
    bool limited = false;
    std::uint64_t limit = 0;
    std::vector<Row> rows;  ///< a heap, the largest hash first
  };
  class Reader;
  void drop_one();
  void sort_classes();

  Schema schema_;
  ReservoirOptions options_;
  std::vector<Index> numeric_, named_;  ///< columns
  std::vector<Class> classes_;          ///< in the order in which they were met
  std::unordered_map<std::string, std::size_t> class_of_;
  Index capacity_ = 0, kept_ = 0;
  double seen_ = 0;
  std::int64_t next_ = 0;  ///< number of the next row
};

}  // namespace suffice
