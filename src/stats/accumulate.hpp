#pragma once
// One pass over labelled rows, for each kind of block. Panels and the order in which their sums are
// added depend on the rows and on the shape of the data, never on the number of threads.

#include <cstdint>
#include <functional>

#include "core/parallel.hpp"
#include "data/panel.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// The rows of one call of update.
struct LabelledRows {
  const Schema& schema;
  const RowBlock& rows;
  const Names& labels;
  const std::int32_t* code;  ///< the class of each row; -1: weight 0, the row is absent
  const double* weight;      ///< null: all 1
  Missing missing;
  const Execution& execution;
  Workers& workers;
  Progress& progress;  ///< in rows, once for each block

  Index size() const { return rows.rows(); }
  double weight_of(Index row) const { return weight ? weight[row] : 1.0; }
};

GaussianStatistics accumulate_gaussian(const LabelledRows& rows, const Block& block, Scatter kind);
CountStatistics accumulate_counts(const LabelledRows& rows, const Block& block);
CategoricalStatistics accumulate_categorical(const LabelledRows& rows, const Block& block);

/// Consecutive panels of rows that one worker adds up in order. How many lanes there are is fixed
/// by the shape: at most 16, and few enough that merging their sums costs little beside making
/// them.
struct Lanes {
  Index rows = 0, panel_rows = 0, count = 1;

  /// Both kinds of work in multiplications, roughly: that of merging a lane's sums, and that of a
  /// row.
  static Lanes of(Index rows, Index panel_rows, double merge_work, double row_work);
  /// body(first, count) for the panels of a lane; throws Cancelled between them when asked to stop.
  void for_each_panel(Index lane, const LabelledRows& rows,
                      const std::function<void(Index, Index)>& body) const;
};

/// An infinite value, or one that the family cannot have: never returns.
[[noreturn]] void throw_bad_value(const LabelledRows& rows, Index feature, Index row, double value);
/// A missing value: returns where these are allowed.
void require_present(const LabelledRows& rows, Index feature, Index row);

}  // namespace suffice
