#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "cli/line/fail.hpp"
#include "cli/line/suggest.hpp"
#include "cli/line/verb.hpp"
#include "cli/output/writer.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/evaluation.hpp"
#include "cli/verbs/evidence_columns.hpp"
#include "cli/verbs/explained_row.hpp"
#include "cli/verbs/files.hpp"
#include "suffice/draw/plot.hpp"
#include "suffice/stats/reservoir.hpp"

namespace suffice::cli {
namespace {

/// Positions of the named features.
std::vector<Index> positions_of(const std::vector<std::string>& names, const Schema& schema) {
  std::vector<Index> result;
  for (const std::string& name : names) {
    std::vector<std::string> known;
    for (const Feature& feature : schema.features()) known.push_back(feature.name);
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      throw InvalidArgument(
          "the model has no feature '" + name + "'",
          "its features are " + list_for_message(known) + "." + did_you_mean(name, known));
    result.push_back(found - known.begin());
  }
  return result;
}

/// Up to 2000 labelled rows of the table.
SampledRows sampled_rows(const Context& context, Table& table, const Plan& plan,
                         const Model& model) {
  Reservoir reservoir(model.schema(), {.seed = context.options.seed});
  table.select(plan.selection);
  for (Rows rows = table.make_rows(); table.next(rows);) {
    drop_unlabelled(plan, rows);
    with_places(rows, [&] { reservoir.update(view(plan, rows)); });
    const Extent extent = table.extent();
    context.terminal.progress("reading", {extent.done, extent.total, table.rows_read()});
  }
  context.terminal.end_progress();
  return reservoir.sample();
}

Picture draw_correlations(const Model& model, const plot::Options& options, const RowBlock*) {
  return plot::correlations(model, options);
}

/// A picture of a model, with rows on top, or one of an evaluation.
struct Kind {
  PlotKind kind;
  Picture (*of_model)(const Model&, const plot::Options&, const RowBlock*) = nullptr;
  Picture (*of_report)(const Report&, bool) = nullptr;
};

constexpr Kind kinds[] = {
    {PlotKind::densities, plot::densities},
    {PlotKind::posteriors, plot::posteriors},
    {PlotKind::regions, plot::regions},
    {PlotKind::ellipses, plot::ellipses},
    {PlotKind::correlations, draw_correlations},
    {PlotKind::confusion, nullptr, plot::confusion},
    {PlotKind::bayes_error, nullptr, plot::bayes_error},
    {PlotKind::det, nullptr, plot::det},
    {PlotKind::roc, nullptr, plot::roc},
    {PlotKind::reliability, nullptr, plot::reliability},
    {PlotKind::ratios, nullptr, plot::ratios},
    {PlotKind::evidence},
};

const Kind& kind_of(PlotKind kind) { return *std::ranges::find(kinds, kind, &Kind::kind); }

/// The waterfall of a row: the columns with the most weight, and the others together.
Picture draw_evidence(const Context& context, const Model& model, const Decision& decision) {
  constexpr Index most_bars = 12;
  Table table(context.options.input, context.execution);
  const Plan plan = plan_scoring(table, model.schema(), "", "");
  const ExplainedRow row = explained_row(context, model, decision, table, plan);
  note_isotonic(model, context.terminal);
  const Evidence& evidence = row.evidence;
  plot::Waterfall picture{
      .title = "Row " + std::to_string(context.options.row) +
               (row.label.empty() ? "" : ": " + row.label),
      .of = row.of,
      .against = row.against,
      .unit = std::string(to_string(row.unit)),
  };
  if (evidence.offset[0] != 0) picture.bars.push_back({"(offset)", evidence.offset[0]});
  double others = evidence.ratio(0) - evidence.offset[0];
  const std::vector<Index> telling = evidence.most_telling(0, evidence.values.cols());
  const bool all = std::ssize(telling) <= most_bars;
  for (Index k = 0; k < (all ? std::ssize(telling) : most_bars - 1); ++k) {
    const Index j = telling[static_cast<std::size_t>(k)];
    const std::string cell = row.cell(model, plan, j);
    picture.bars.push_back(
        {evidence.columns[static_cast<std::size_t>(j)] + (cell.empty() ? "" : " = " + cell),
         evidence.values(0, j)});
    others -= evidence.values(0, j);
  }
  if (!all)
    picture.bars.push_back(
        {std::to_string(std::ssize(telling) - most_bars + 1) + " other columns", others});
  if (picture.bars.empty()) picture.bars.push_back({"(offset)", 0});
  return plot::evidence(picture);
}

}  // namespace

void check_plot(const Command& command) {
  const Options& options = command.options;
  if (!options.plot) fail("plot needs --what: which picture to draw");
  const bool of_row = *options.plot == PlotKind::evidence;
  if (of_row && options.input.paths.empty())
    fail("this picture is about a row; give it DATA, and --row N");
  for (const char* flag : {"--row", "--between", "--for", "--unit"})
    if (command.has(flag) && !of_row) fail("{} is for --what evidence", flag);
  check_classes_compared(command);
  if (kind_of(*options.plot).of_report && options.input.paths.empty())
    fail("this picture compares answers with known labels; give it DATA with labels");
}

void plot_model(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  const Decision decision = decision_for(options.decision, model, context);
  plot::Options picture_options{.features = positions_of(options.columns.features, model.schema()),
                                .costs = decision.costs};
  if (options.decision.prior.kind != PriorOption::Kind::train)
    picture_options.priors = decision.priors;
  const Kind& kind = kind_of(*options.plot);
  Picture picture;
  if (*options.plot == PlotKind::evidence) {
    picture = draw_evidence(context, model, decision);
  } else if (options.input.paths.empty()) {
    picture = kind.of_model(model, picture_options, nullptr);
  } else {
    Table table(options.input, context.execution);
    require_columns(table, model.schema());
    const std::string label = label_column(options, model, table);
    const Plan plan = plan_scoring(table, model.schema(), label, options.columns.weight);
    if (kind.of_model) {
      const SampledRows sample = sampled_rows(context, table, plan, model);
      const RowBlock rows = sample.rows();
      picture = kind.of_model(model, picture_options, &rows);
    } else {
      const Evaluated evaluated = evaluate_table(context, table, plan, model, decision);
      require_known_rows(evaluated, table, label);
      picture = kind.of_report(evaluated.report, true);
    }
  }
  Writer writer(options.output);
  writer.write(picture.svg);
  writer.finish();
}

}  // namespace suffice::cli
