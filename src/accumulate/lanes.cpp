#include "accumulate/lanes.hpp"

#include <algorithm>

#include "suffice/core/error.hpp"

namespace suffice {

Lanes Lanes::of(Index rows, Index panel_rows, double merge_work, double row_work) {
  const double total = static_cast<double>(rows) * row_work;
  // Merging all lanes may cost an eighth of making their sums; and a lane is not worth having for
  // less than some 100 000 multiplications. Powers of two share out evenly.
  const double worth = std::min(total / (8 * std::max(merge_work, 1.0)), total / 1e5);
  Lanes lanes;
  lanes.rows = rows;
  lanes.panel_rows = panel_rows;
  const Index panels = (rows + panel_rows - 1) / panel_rows;
  while (2 * lanes.count <= std::min<Index>(16, panels) &&
         static_cast<double>(2 * lanes.count) <= worth) {
    lanes.count *= 2;
  }
  return lanes;
}

void Lanes::for_each_panel(Index lane, const LabelledRows& labelled,
                           const std::function<void(Index, Index)>& body) const {
  const Index panels = (rows + panel_rows - 1) / panel_rows;
  const Index last = panels * (lane + 1) / count;
  for (Index panel = panels * lane / count; panel < last; ++panel) {
    if (labelled.execution.stop.stop_requested()) throw Cancelled();
    const Index first = panel * panel_rows;
    const Index n = std::min(panel_rows, rows - first);
    body(first, n);
    labelled.progress.advance(static_cast<double>(n));
  }
}

}  // namespace suffice
