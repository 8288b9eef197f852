#pragma once
// Which fold a row is in: dealt out class by class, or named by a column.
//
// The rows of a class are dealt in groups of as many rows as there are folds, and each group is a
// random order of the folds: a class's counts differ by one at most. The order is a function of the
// seed, the class's name and the number of the group alone, so a second pass over the same rows
// gives the same folds, however the rows are cut into blocks.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

class Folds {
 public:
  static Folds dealt(Index count, std::uint64_t seed);
  static Folds named() { return Folds(); }

  /// The fold of each row, -1 where its class is -1 (a row of weight 0). `label` has the position
  /// in `labels` of each row's class, `names` the folds' names where a column has them, `weight`
  /// is null where all are 1.
  /// Throws DataError for a row that the column names no fold for; InvalidArgument where a second
  /// pass names a new one.
  std::vector<std::int32_t> next(const Names& labels, const std::int32_t* label, Index rows,
                                 const Column& names, const double* weight);
  /// The number of the fold of this name, whose rows were summed up elsewhere.
  Index add(const std::string& name);
  /// A second pass: the first row comes next.
  void rewind();

  bool has_names() const noexcept { return count_ == 0; }
  Index size() const noexcept { return static_cast<Index>(names_.size()); }
  /// "1", "2", … where they were dealt; otherwise in the order of their first rows.
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// Rows that were dealt, or named, in this pass.
  Index rows() const noexcept { return rows_; }
  /// Of the class that has most of them; 0 where folds are named.
  Index rows_of_largest_class() const;

 private:
  struct Deal {
    std::uint64_t stream = 0;         ///< of the class's random numbers
    Index dealt = 0;                  ///< rows of the class so far
    std::vector<std::int32_t> order;  ///< of the folds, in this group
  };
  void deal(const Names& labels, const std::int32_t* label, std::vector<std::int32_t>& folds);
  void read(const std::int32_t* label, const Column& column, const double* weight,
            std::vector<std::int32_t>& folds);

  Index count_ = 0;  ///< of folds that are dealt; 0: named
  std::uint64_t seed_ = 0;
  std::map<std::string, Deal> deals_;
  std::vector<std::string> names_;
  std::map<std::string, std::int32_t, std::less<>> positions_;
  Index rows_ = 0;
  bool second_ = false;
};

}  // namespace suffice
