#pragma once
// How rows are shared out among workers, whatever their number.

#include <functional>

#include "accumulate/labelled_rows.hpp"

namespace suffice {

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

}  // namespace suffice
