#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/commands/context.hpp"
#include "cli/commands/decision.hpp"
#include "cli/commands/files.hpp"
#include "cli/line/fail.hpp"
#include "cli/line/suggest.hpp"
#include "cli/line/verb.hpp"
#include "cli/output/json.hpp"
#include "cli/output/row_text.hpp"
#include "cli/output/text.hpp"
#include "cli/output/writer.hpp"
#include "suffice/models/sample.hpp"

namespace suffice::cli {
namespace {

/// Rows drawn at a time: enough for all threads, few enough for any number of columns.
Index rows_of_a_block(Index features) {
  return std::clamp<Index>((Index{1} << 21) / std::max<Index>(1, features), 64, 1 << 16);
}

std::vector<std::string> columns_of(const Schema& schema) {
  std::vector<std::string> names = schema.columns();
  std::string label = schema.label().empty() ? "label" : schema.label();
  while (std::find(names.begin(), names.end(), label) != names.end()) label += '_';
  names.push_back(label);
  return names;
}

std::string rows_text(const RowText& text, const Sample& sample, bool first) {
  std::string rows;
  for (Index i = 0; i < sample.values.rows(); ++i) {
    text.begin_row(rows, first && i == 0);
    for (Index j = 0; j < sample.values.cols(); ++j) {
      const double value = sample.values(i, j);
      if (const Names& levels = sample.levels[j]; levels.empty())
        text.add(rows, value);
      else if (value >= 0)
        text.add(rows, levels[static_cast<Index>(value)]);
      else
        text.add_nothing(rows);
    }
    text.add(rows, sample.labels[sample.classes[i]]);
    text.end_row(rows);
  }
  return rows;
}

}  // namespace

void check_sample(const Command& command) {
  if (command.options.count == 0) fail("sample needs -n N, how many rows to draw");
  if (command.has("--class") && command.has("--prior"))
    fail("--class and --prior contradict each other: one class, or several by their priors");
}

void sample_rows(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  const bool one_class = !options.class_label.empty();
  if (one_class && !model.labels().find(options.class_label))
    throw InvalidArgument(fmt::format("--class: the model '{}' has no class '{}'.{}", options.model,
                                      options.class_label,
                                      did_you_mean(options.class_label, model.labels().list())));
  std::optional<Priors> mixture;
  if (!one_class) mixture = priors_for(options.decision.prior, model);

  const std::vector<std::string> columns = columns_of(model.schema());
  const bool to_file = options.output != "-";
  const RowText text(row_format(options));
  Writer writer(options.output);
  writer.write(text.beginning(columns));
  const Index block = rows_of_a_block(model.schema().size());
  for (Index first = 0; first < options.count; first += block) {
    if (context.execution.stop.stop_requested()) throw Cancelled();
    const Index rows = std::min<Index>(block, options.count - first);
    const SampleOptions how{.seed = options.seed,
                            .first_row = first,
                            .document_length = static_cast<Index>(options.document_length)};
    const Sample drawn =
        one_class ? sample(model, rows, options.class_label, how, context.execution)
                  : sample(model, rows, mixture->probabilities(), how, context.execution);
    writer.write(rows_text(text, drawn, first == 0));
    context.terminal.progress("sampling", {.rows = first + rows});
  }
  writer.write(text.end());
  writer.finish();
  if (!to_file) return;
  if (options.json)
    context.terminal.print(
        dump(Json{{"file", options.output}, {"columns", columns}, {"count", options.count}}));
  else
    context.terminal.note(fmt::format(
        "{} in {}", counted(static_cast<double>(options.count), "row"), options.output));
}

}  // namespace suffice::cli
