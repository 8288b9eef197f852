#include <string>
#include <vector>

#include "cli/commands/evaluation.hpp"
#include "cli/commands/evaluation_text.hpp"
#include "cli/commands/files.hpp"
#include "cli/commands/model_words.hpp"
#include "cli/commands/show_json.hpp"
#include "cli/commands/training.hpp"
#include "cli/output/text.hpp"
#include "suffice/calibrate/calibrator.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {
namespace {

struct CalibrateSummary {
  const Model& model;  ///< calibrated
  const Calibrator& calibrator;
  const CalibrationFit& fit;
  const std::vector<std::string>& files;
  double unlabelled_rows;
};

std::string calibrate_text(const Context& context, const CalibrateSummary& of) {
  using enum TextTable::Align;
  const Terminal& terminal = context.terminal;
  std::string text =
      terminal.styled(counted(of.fit.rows, "row") + " of " + files_in_words(of.files),
                      Style::bold) +
      "\n";
  if (of.unlabelled_rows > 0)
    text += counted(of.unlabelled_rows, "row") + " without a label left out\n";
  TextTable table({"", "log-loss", ""}, {left, decimal, left});
  table.add({"before", figure(of.fit.log_loss_before)});
  table.add({"after", figure(of.fit.log_loss), "on the same rows"});
  table.add({"class frequencies alone", figure(frequency_log_loss(of.calibrator.class_rows()))});
  return text + "\n" + table.render(terminal) + "\n" + calibration_in_words(of.model) + "Wrote " +
         context.options.output + "\n";
}

Json calibrate_json(const Context& context, const CalibrateSummary& of) {
  return {{"rows", to_json(of.fit.rows)},
          {"unlabelled_rows", to_json(of.unlabelled_rows)},
          {"unknown_label_rows", to_json(of.calibrator.unknown_label_rows())},
          {"labels", to_json(of.model.labels())},
          {"class_rows", to_json(of.calibrator.class_rows())},
          {"method", to_string(context.options.method)},
          {"log_loss_before", to_json(of.fit.log_loss_before)},
          {"log_loss", to_json(of.fit.log_loss)},
          {"frequency_log_loss", to_json(frequency_log_loss(of.calibrator.class_rows()))},
          {"calibration", calibration_json(*of.model.calibration())},
          {"output", context.options.output},
          {"warnings", context.terminal.warnings()}};
}

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

void calibrate_model(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  require_folder(options.output);
  Table table(options.input, context.execution);
  require_columns(table, model.schema());
  require_not_an_input(table.files(), options.output);
  const std::string label = label_column(options, model, table);
  Plan plan = plan_scoring(table, model.schema(), label, options.columns.weight);
  plan.schema = plan.schema.with_label(label);
  table.select(plan.selection);

  Calibrator calibrator(model);
  double unlabelled = 0;
  for (Rows rows = table.make_rows(); table.next(rows);) {
    unlabelled += static_cast<double>(drop_unlabelled(plan, rows));
    with_places(rows, [&] { calibrator.add(view(plan, rows), context.execution); });
    const Extent extent = table.extent();
    context.terminal.progress("scoring", {extent.done, extent.total, table.rows_read()});
  }
  context.terminal.end_progress();
  require_labelled_rows(table, plan, unlabelled);
  const CalibrationFit fit = calibrator.finish({.method = options.method});
  const Model calibrated = model.with_calibration(fit.calibration);
  warn_of_rows(calibrator, fit, model, context.terminal);
  save(calibrated, options.output);
  const CalibrateSummary summary{calibrated, calibrator, fit, table.files(), unlabelled};
  if (options.json)
    context.terminal.print(dump(calibrate_json(context, summary)));
  else if (!options.quiet)
    context.terminal.print(calibrate_text(context, summary));
}

}  // namespace suffice::cli
