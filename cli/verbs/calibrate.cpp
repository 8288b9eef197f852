#include <string>
#include <vector>

#include "cli/output/text.hpp"
#include "cli/verbs/calibration.hpp"
#include "cli/verbs/evaluation.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/evaluation_text.hpp"
#include "cli/words/model_words.hpp"
#include "cli/words/show_json.hpp"
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
      terminal.styled(counted_rows(of.fit.rows) + " of " + files_in_words(of.files), Style::bold) +
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

}  // namespace

void calibrate_model(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  require_folder(options.output);
  const CalibratedByTables done = calibrate_by_tables(context, model, options.input);
  const Model& calibrated = done.model;
  save(calibrated, options.output);
  const CalibrateSummary summary{calibrated, done.calibrator, done.fit, done.files,
                                 done.unlabelled_rows};
  if (options.json)
    context.terminal.print(dump(calibrate_json(context, summary)));
  else if (!options.quiet)
    context.terminal.print(calibrate_text(context, summary));
}

}  // namespace suffice::cli
