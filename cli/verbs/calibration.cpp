#include "cli/verbs/calibration.hpp"

#include <utility>

#include "cli/input/table.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/evaluation.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/table_rows.hpp"

namespace suffice::cli {
namespace {

void warn_of_rows(const Calibrator& calibrator, const CalibrationFit& fit, const Model& model,
                  Terminal& terminal) {
  if (calibrator.unknown_label_rows() > 0)
    terminal.warn(counted(calibrator.unknown_label_rows(), "row") +
                  " left out, with a label that the model does not know");
  std::vector<std::string> absent;
  for (Index c = 0; c < model.labels().size(); ++c)
    if (!(calibrator.class_rows()[c] > 0) && model.weights()[c] > 0)
      absent.push_back(model.labels()[c]);
  if (!absent.empty())
    terminal.warn("there are no rows of " + list_for_message(absent) +
                  "; the offset of such a class stays 0");
  if (fit.impossible > 0)
    terminal.warn(counted(fit.impossible, "row") +
                  " left out, whose own class has the probability 0; no calibration changes that, "
                  "so the log-loss is infinite");
}

}  // namespace

CalibratedByTables calibrate_by_tables(const Context& context, const Model& model,
                                       const InputOptions& input) {
  const Options& options = context.options;
  TableRows table(context, input, [&](Table& rows) {
    require_columns(rows, model.schema());
    const std::string label = label_column(options, model, rows);
    Plan plan = plan_scoring(rows, model.schema(), label, options.columns.weight);
    plan.schema = plan.schema.with_label(label);
    return plan;
  });
  Calibrator calibrator(model);
  const RowCounts counts = table.read(
      {.schema = table.schema(), .what = "scoring"},
      [&](const RowBlock& rows, const Column&) { calibrator.add(rows, context.execution); });
  CalibrationFit fit = calibrator.finish({.method = options.method});
  Model calibrated = model.with_calibration(fit.calibration);
  warn_of_rows(calibrator, fit, model, context.terminal);
  return {std::move(calibrated), std::move(calibrator), std::move(fit), table.files(),
          counts.unlabelled};
}

}  // namespace suffice::cli
