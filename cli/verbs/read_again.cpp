#include "cli/verbs/read_again.hpp"

#include <string>

#include "cli/input/plan.hpp"
#include "cli/input/table.hpp"

namespace suffice::cli {

void read_again(const Context& context, const Schema& schema, Groups& groups,
                const std::function<void(const RowBlock&, const Column&)>& use,
                std::string_view what, bool unlabelled) {
  Table table(context.options.input, context.execution);
  const ColumnOptions& columns = context.options.columns;
  Plan plan = plan_scoring(table, schema, schema.label(), columns.weight, columns.fold);
  plan.one_class = columns.unlabelled;
  table.select(plan.selection);
  for (Rows rows = table.make_rows(); table.next(rows);) {
    if (!unlabelled) drop_unlabelled(plan, rows);
    with_places(rows, [&] {
      use(view(plan, rows), plan.fold < 0 ? Column() : Column(groups.folds(plan, rows)));
    });
    if (what.empty()) continue;
    const Extent extent = table.extent();
    context.terminal.progress(std::string(what), {extent.done, extent.total, table.rows_read()});
  }
  if (!what.empty()) context.terminal.end_progress();
}

}  // namespace suffice::cli
