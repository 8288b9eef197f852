#include "suffice/export/export.hpp"

#include <fmt/format.h>

#include "cli/line/fail.hpp"
#include "cli/line/verb.hpp"
#include "cli/output/json.hpp"
#include "cli/output/terminal.hpp"
#include "cli/output/writer.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/files.hpp"
#include "suffice/core/names.hpp"

namespace suffice::cli {

void check_export(const Command& command) {
  const ExportChoice& choice = command.options.exported;
  if (!choice.to) fail("export needs --to c, sql, onnx or json");
  try {
    suffice::check_export(*choice.to, choice.options);
  } catch (const InvalidArgument& error) {
    throw UsageError(error);
  }
  const bool to_file = !command.options.output.empty() && command.options.output != "-";
  if (command.options.json && !to_file && *choice.to != ExportTarget::json)
    fail("--json says what was written to a file; give -o FILE");
}

void export_file(const Context& context) {
  const Options& options = context.options;
  const ExportTarget target = *options.exported.to;
  const bool to_file = options.output != "-";
  if (!to_file && is_binary(target) && context.terminal.is_terminal())
    throw InvalidArgument("an ONNX file is not text for a terminal", "give -o FILE");
  const Model model = open_model(options.model);
  ExportOptions how = options.exported.options;
  Decision decision = decision_for(options.decision, model, context);
  how.priors = decision.priors;
  how.costs = decision.costs;
  const std::string written = export_model(model, target, how, context.execution);
  Writer writer(options.output);
  writer.write(written);
  writer.finish();
  const std::vector<std::vector<std::string>> joint = joint_columns(model);
  if (options.json && to_file) {
    context.terminal.print(dump(Json{{"file", options.output},
                                     {"to", to_string(target)},
                                     {"bytes", written.size()},
                                     {"joint_columns", joint}}));
    return;
  }
  if (to_file) context.terminal.note(fmt::format("{} bytes in {}", written.size(), options.output));
  for (const std::vector<std::string>& names : joint)
    context.terminal.note(fmt::format(
        "A row in which some of {} are missing gets no decision from this file: fill them in, use "
        "suffice predict for such rows, or fit with --covariance diag.",
        list_for_message(names, 3)));
}

}  // namespace suffice::cli
