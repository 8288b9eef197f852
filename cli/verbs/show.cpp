#include <fmt/format.h>

#include "cli/line/error.hpp"
#include "cli/line/verb.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/show_decisions.hpp"
#include "cli/words/show_discriminant.hpp"
#include "cli/words/show_json.hpp"
#include "cli/words/show_model.hpp"
#include "cli/words/show_statistics.hpp"
#include "cli/words/show_tests.hpp"
#include "suffice/contrast/class_tests.hpp"
#include "suffice/io/file.hpp"

namespace suffice::cli {

void check_show(const Command& command) {
  if (command.has("--boundary") && !command.has("--feature"))
    throw UsageError("--boundary is along a column", "name it with --feature");
  if (command.has("--feature") && !command.has("--boundary"))
    throw UsageError("--feature is the column of --boundary", "add --boundary");
  if (command.has("--tests"))
    for (const char* other : {"--discriminant", "--boundary"})
      if (command.has(other))
        throw UsageError(std::string(other) + " is about a model, and --tests about statistics",
                         "use one of them");
}

namespace {

void show_tests(const Context& context, const Statistics& statistics) {
  const ClassTests tests = class_tests(statistics);
  context.terminal.print(context.options.json ? dump(to_json(test_figures(tests)))
                                              : tests_text(context, tests));
}

}  // namespace

void show(const Context& context) {
  const Options& options = context.options;
  const std::string& path = options.model;
  if (kind_of(path, "a model or statistics") == FileKind::model) {
    if (options.tests)
      throw FileError(
          {.path = path},
          fmt::format("'{}' is a model, and tests are made from the sums, which a model "
                      "does not keep",
                      path),
          "suffice stats makes a statistics file from the data");
    const Model model = load_model(path);
    const Decision decision = decision_for(options.decision, model, context);
    if (options.json) {
      Json json = model_json(model, options.discriminant);
      json["minimum_error"] = minimum_error_json(context, model, decision.priors);
      if (options.boundary) json["boundary"] = boundary_json(context, model, decision);
      context.terminal.print(dump(json));
      return;
    }
    std::string text =
        model_text(context, model, minimum_error_text(context, model, decision.priors));
    if (options.discriminant) text += discriminant_text(context, model);
    if (options.boundary) text += boundary_text(context, model, decision);
    context.terminal.print(text);
    return;
  }
  if (options.discriminant || options.boundary)
    throw FileError({.path = path},
                    fmt::format("'{}' has statistics, and only a model has a {}", path,
                                options.discriminant ? "discriminant" : "boundary"),
                    fmt::format("suffice fit {} -o model.suffice makes one from them", path));
  const StatisticsFile file = load_statistics_file(path);
  if (options.tests) return show_tests(context, file.statistics);
  if (options.json) {
    Json json = statistics_json(file.statistics);
    if (file.rows) json["sampled_rows"] = file.rows->size();
    context.terminal.print(dump(json));
    return;
  }
  std::string text = statistics_text(context, file.statistics);
  if (file.rows)
    text += fmt::format("\nThe file also holds {} of the data as they are.\n",
                        counted(static_cast<double>(file.rows->size()), "row"));
  context.terminal.print(text);
}

}  // namespace suffice::cli
