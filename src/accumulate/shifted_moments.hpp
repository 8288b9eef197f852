#pragma once
// Sums of labelled rows, feature by feature.

#include <cstdint>
#include <vector>

#include "accumulate/labelled_rows.hpp"

namespace suffice {

/// The rows of a panel, class by class.
struct SortedRows {
  std::vector<std::int32_t> place;  ///< per row: where it goes; -1: nowhere
  std::vector<std::int32_t> order;  ///< the row at each place
  std::vector<Index> start;         ///< per class: its first place; and the end

  void sort(const std::int32_t* code, Index n, Index classes);
  Index count(Index c) const { return start[c + 1] - start[c]; }

 private:
  std::vector<Index> next_;
};

/// Sums about a shift, feature by feature:  W_j, D = Σ w (x − s), Q = Σ w (x − s)².
/// The shift is a value that was seen, moved to the mean once the sums show that it is far off;
/// that is one pass with the digits of two.
class ShiftedMoments {
 public:
  ShiftedMoments(Index classes, Index d);

  /// Rows of values; NaN is missing. `row0` is the block's row number of the first.
  void add(const LabelledRows& rows, const Block& block, const double* values, Index stride,
           Index row0, Index n);
  /// The same for all rows at once, by all workers: each takes some features of a class, so that
  /// nothing has to be merged.
  void add_by_class(const LabelledRows& rows, const Block& block, const double* values,
                    Index stride);
  /// One row of which some values may be missing.
  void add_row(const LabelledRows& rows, const Block& block, const double* x, Index row);
  /// Centred moments of a class; empty where it has seen nothing.
  Moments finish(Index c) const;
  /// The same, in the memory of `result` where that is large enough.
  void finish(Index c, Moments& result) const;

 private:
  // Of all rows with a code. `checked`: false, and nothing of use, where a value is not finite.
  bool add_classes(const LabelledRows& rows, const std::int32_t* code, const double* values,
                   Index stride, bool checked);
  // Both add the rows of a panel and return true, or add nothing because a value is not finite.
  bool add_in_order(const double* values, Index stride, Index n, const std::int32_t* code,
                    const double* weight);
  bool add_sorted(const double* values, Index stride, Index n, const std::int32_t* code,
                  const double* weight);

  double weight(Index c, Index j) const { return complete_[c] + present(c, j); }
  double present(Index c, Index j) const {
    return present_.empty() ? 0.0 : present_[c * width_ + j];
  }
  void begin(Index c, const double* x);
  /// The features [first, last) of a class, whose rows so far have the weight `complete`.
  void recenter(Index c, Index first, Index last, double complete);

  Index width_, d_;
  bool many_classes_;  // their sums do not fit the second-level cache
  Vector complete_;    // weight of the rows without a missing value, per class
  Vector shift_, sums_, squares_;
  Vector present_;          // weight of the values present in the other rows; empty: there are none
  std::vector<char> seen_;  // per class: a row of it
  std::vector<char> begun_;  // per class: a value of each feature
  std::vector<Index> panels_;
  // Of the panel at hand: its rows by class, the sums before it, its classes and their weights.
  SortedRows sorted_;
  Vector sums_before_, squares_before_, panel_weight_;
  std::vector<std::int32_t> panel_rows_;  // rows without a class first, then those of each; twice
  std::vector<std::int32_t> in_panel_;
};

}  // namespace suffice
