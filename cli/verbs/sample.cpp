#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/line/fail.hpp"
#include "cli/line/suggest.hpp"
#include "cli/line/verb.hpp"
#include "cli/output/json.hpp"
#include "cli/output/row_writer.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/context.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/files.hpp"
#include "core/parallel.hpp"
#include "suffice/sample/sample.hpp"

namespace suffice::cli {
namespace {

/// Rows drawn at a time: enough for all threads, few enough for any number of columns.
Index rows_of_a_block(Index features) {
  return std::clamp<Index>((Index{1} << 21) / std::max<Index>(1, features), 64, 1 << 16);
}

std::vector<RowColumn> columns_of(const Schema& schema) {
  const std::vector<std::string> names = schema.columns();
  std::vector<RowColumn> columns;
  for (Index j = 0; j < std::ssize(names); ++j)
    columns.push_back(
        {.name = names[static_cast<std::size_t>(j)], .is_text = schema.has_strings(j)});
  std::string label = schema.label().empty() ? "label" : schema.label();
  while (std::find(names.begin(), names.end(), label) != names.end()) label += '_';
  columns.push_back({.name = label, .is_text = true});
  return columns;
}

void add_cells(CellSink& cells, const Sample& sample, Index i) {
  for (Index j = 0; j < sample.values.cols(); ++j) {
    const double value = sample.values(i, j);
    if (const std::vector<std::string>& texts = sample.texts[j]; !texts.empty())
      cells.add(texts[i]);
    else if (const Names& levels = sample.levels[j]; levels.empty() && !std::isnan(value))
      cells.add(value);
    else if (value >= 0)
      cells.add(levels[static_cast<Index>(value)]);
    else
      cells.add_nothing();
  }
  cells.add(sample.labels[sample.classes[i]]);
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
  if (!one_class) mixture = priors_for(options.decision.prior, model, context);

  const std::vector<RowColumn> columns = columns_of(model.schema());
  const bool to_file = options.output != "-";
  RowWriter writer(options.output, row_format(options), columns);
  Workers workers(context.execution, 64);
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
    writer.write(
        rows, [&](Index i, CellSink& cells) { add_cells(cells, drawn, i); }, workers);
    context.terminal.progress("sampling", {.rows = first + rows});
  }
  writer.finish();
  if (!to_file) return;
  std::vector<std::string> names;
  for (const RowColumn& column : columns) names.push_back(column.name);
  if (options.json)
    context.terminal.print(
        dump(Json{{"file", options.output}, {"columns", names}, {"count", options.count}}));
  else
    context.terminal.note(fmt::format(
        "{} in {}", counted(static_cast<double>(options.count), "row"), options.output));
}

}  // namespace suffice::cli
