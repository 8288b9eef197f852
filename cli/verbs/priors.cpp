#include <string>
#include <vector>

#include "cli/output/json.hpp"
#include "cli/output/row_writer.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/scoring.hpp"
#include "core/parallel.hpp"
#include "data/weights.hpp"
#include "suffice/decide/estimate_priors.hpp"

namespace suffice::cli {
namespace {

struct PriorsSummary {
  const Model& model;
  const Priors& training;
  const PriorsEstimate& found;
  const std::vector<std::string>& files;
};

std::string priors_text(const Context& context, const PriorsSummary& of) {
  using enum TextTable::Align;
  const Terminal& terminal = context.terminal;
  const PriorsEstimate& found = of.found;
  TextTable table({"class", "in training", "here", "from", "to"},
                  {left, decimal, decimal, decimal, decimal});
  for (Index c = 0; c < of.model.labels().size(); ++c)
    table.add({of.model.labels()[c], figure(of.training[c]), figure(found.priors[c]),
               figure(found.low[c]), figure(found.high[c])});
  std::string text =
      terminal.styled(
          "Class shares of " + counted_rows(found.rows) + " of " + files_in_words(of.files),
          Style::bold) +
      "\n\n" + table.render(terminal) + "\n" + rounded(100 * context.options.confidence) +
      " % intervals, if the densities of the classes are as in training\n";
  if (context.options.output != "-") text += "Wrote " + context.options.output + ", for --prior\n";
  return text;
}

Json priors_json(const Context& context, const PriorsSummary& of) {
  const PriorsEstimate& found = of.found;
  Json json = {{"labels", to_json(of.model.labels())},
               {"priors", to_json(found.priors.probabilities())},
               {"low", to_json(found.low)},
               {"high", to_json(found.high)},
               {"confidence", to_json(context.options.confidence)},
               {"training_priors", to_json(of.training.probabilities())},
               {"rows", to_json(found.rows)},
               {"impossible_rows", to_json(found.impossible)},
               {"gain", to_json(found.gain)},
               {"iterations", found.iterations},
               {"warnings", context.terminal.warnings()}};
  if (context.options.output != "-") json["output"] = context.options.output;
  return json;
}

/// Two columns, as --prior reads them.
void write_priors(const std::string& path, const Priors& priors) {
  RowWriter writer(path, row_format_of(path),
                   {{.name = "class", .is_text = true}, {.name = "prior"}});
  Workers workers({}, 1);
  writer.write(
      priors.labels().size(),
      [&](Index c, CellSink& cells) {
        cells.add(priors.labels()[c]);
        cells.add(priors[c]);
      },
      workers);
  writer.finish();
}

}  // namespace

void estimate_priors(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  PriorsEstimator estimator(model.labels());
  if (options.output != "-") require_folder(options.output);
  Table table(options.input, context.execution);
  require_columns(table, model.schema());
  require_not_an_input(table.files(), options.output);
  const Plan plan = plan_scoring(table, model.schema(), "", options.columns.weight);
  const Priors training = Priors::from_counts(model);
  const Decision decision{training, {}, {}, {}};
  const Wanted wanted{.decisions = false, .scores = true};
  score_table(context, table, plan, model, decision, wanted, [&](const ScoredRows& scored) {
    Vector scratch;
    const double* weights = nullptr;
    with_places(scored.rows, [&] { weights = read_weights(view(plan, scored.rows), scratch); });
    estimator.add(scored.answers.scores(),
                  {weights, weights ? static_cast<std::size_t>(scored.rows.size()) : 0});
  });
  if (table.rows_read() == 0)
    throw FileError({.path = table.files().front()},
                    called(table.files().front()) + " has no rows");
  const PriorsEstimate found = estimator.finish(training, options.confidence, context.execution);
  if (found.impossible > 0)
    context.terminal.warn(counted(found.impossible, "row") +
                          " left out, impossible under every class");
  if (options.output != "-") write_priors(options.output, found.priors);
  const PriorsSummary summary{model, training, found, table.files()};
  if (options.json)
    context.terminal.print(dump(priors_json(context, summary)));
  else if (!options.quiet)
    context.terminal.print(priors_text(context, summary));
}

}  // namespace suffice::cli
