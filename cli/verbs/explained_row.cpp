#include "cli/verbs/explained_row.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "cli/line/suggest.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/evidence_columns.hpp"
#include "cli/words/reasons.hpp"
#include "suffice/predict/predictor.hpp"

namespace suffice::cli {
namespace {

/// Leaves the row with this number, the first of which is `first`.
Rows only_row(const Rows& rows, Index number, Index first) {
  std::vector<std::uint8_t> keep(static_cast<std::size_t>(rows.size()));
  keep[static_cast<std::size_t>(number - first)] = 1;
  Rows result = rows;
  result.keep_only(keep);
  return result;
}

Rows find_row(const Context& context, Table& table, const Plan& plan) {
  const Index wanted = context.options.row - 1;
  table.select(plan.selection);
  Index first = 0;
  for (Rows rows = table.make_rows(); table.next(rows); first += rows.size())
    if (wanted < first + rows.size()) return only_row(rows, wanted, first);
  throw FileError({.path = table.files().front()},
                  called(table.files().front()) + " has " +
                      counted(static_cast<double>(first), "row") + ", and row " +
                      counted(static_cast<double>(wanted + 1)) + " was asked for");
}

}  // namespace

std::string ExplainedRow::cell(const Model& model, const Plan& plan, Index column) const {
  const std::string text = cell_text({model.schema(), plan, rows}, 0, column);
  return text == "nan" ? "" : text;
}

ExplainedRow explained_row(const Context& context, const Model& model, const Decision& decision,
                           Table& table, const Plan& plan) {
  Rows rows = find_row(context, table, plan);
  const RowBlock block = view(plan, rows);
  const Predictions answers = predict(model, block,
                                      {.priors = decision.priors,
                                       .costs = decision.costs,
                                       .wanted = {.posteriors = true, .scores = true}},
                                      context.execution);
  const EvidenceChoice& choice = context.options.evidence;
  const auto [of, against] = classes_of(choice, model.labels());
  EvidenceScorer scorer(model, {.priors = decision.priors, .seed = context.options.seed});
  Contrast contrast =
      of.empty() ? runner_up(model, answers.scores(), decision.priors, answers.decisions.classes)
                 : contrast_of(model, 1, of, against);
  const auto name = [&](Index c) {
    return c == Contrast::others ? std::string("all others") : model.labels()[c];
  };
  ExplainedRow result{.rows = std::move(rows),
                      .evidence = {},
                      .label = std::string(answers.label(0)),
                      .posterior = Vector(model.labels().size()),
                      .of = name(contrast.of[0]),
                      .against = name(contrast.against[0]),
                      .unit = choice.unit.value_or(EvidenceUnit::nats)};
  for (Index c = 0; c < result.posterior.size(); ++c)
    result.posterior[c] = answers.posteriors(0, c);
  result.evidence = scorer(view(plan, result.rows), std::move(contrast), context.execution);
  const double factor = per_nat(result.unit);
  for (double& value : result.evidence.values.row(0)) value *= factor;
  result.evidence.offset[0] *= factor;
  return result;
}

}  // namespace suffice::cli
