#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/output/json.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/evidence_columns.hpp"
#include "cli/verbs/explained_row.hpp"
#include "cli/verbs/files.hpp"
#include "cli/words/reasons.hpp"
#include "suffice/inspect/usual_value.hpp"

namespace suffice::cli {
namespace {

std::string usual_text(const Model& model, Index column, Index label) {
  if (label < 0) return "–";
  const UsualValue usual = usual_value(model, column, label);
  if (usual.number) return rounded(*usual.number, 3);
  return usual.level.empty() ? "–" : usual.level;
}

/// The columns that say something first, by their weight; then the others.
std::vector<Index> in_order(const Evidence& evidence) {
  std::vector<Index> order = evidence.most_telling(0, evidence.values.cols());
  for (Index j = 0; j < evidence.values.cols(); ++j)
    if (std::ranges::find(order, j) == order.end()) order.push_back(j);
  return order;
}

std::string explain_text(const Context& context, const Model& model, const Plan& plan,
                         const ExplainedRow& of, const std::string& file) {
  using enum TextTable::Align;
  const Terminal& terminal = context.terminal;
  const Evidence& evidence = of.evidence;
  const Index a = evidence.contrast.of[0], b = evidence.contrast.against[0];
  std::string text = terminal.styled("Row " + counted(static_cast<double>(context.options.row)) +
                                         " of " + file + (of.label.empty() ? "" : ": " + of.label),
                                     Style::bold) +
                     "\nP(" + of.of + ") = " + rounded(of.posterior[a]);
  if (b >= 0) text += ", P(" + of.against + ") = " + rounded(of.posterior[b]);
  text += "\nEvidence for " + of.of + " against " + of.against + ", in " +
          std::string(to_string(of.unit)) + "\n\n";
  TextTable table({"column", "value", "usual in " + of.of, "in " + of.against, "evidence", "sum"},
                  {left, left, left, left, decimal, decimal});
  double sum = evidence.offset[0];
  if (sum != 0) table.add({"(offset)", "", "", "", with_sign(sum), with_sign(sum)});
  for (const Index j : in_order(evidence)) {
    const double value = evidence.values(0, j);
    sum += value;
    const std::string cell = of.cell(model, plan, j);
    const bool is_text = model.schema().reader(j).family == Family::text;
    table.add({evidence.columns[static_cast<std::size_t>(j)],
               is_text        ? "(text)"
               : cell.empty() ? "(missing)"
                              : cell,
               usual_text(model, j, a), usual_text(model, j, b), with_sign(value), with_sign(sum)});
  }
  return text + table.render(terminal);
}

Json explain_json(const Context& context, const Model& model, const Plan& plan,
                  const ExplainedRow& of) {
  const Evidence& evidence = of.evidence;
  const Index a = evidence.contrast.of[0], b = evidence.contrast.against[0];
  const auto usual = [&](Index column, Index label) -> Json {
    if (label < 0) return nullptr;
    const UsualValue value = usual_value(model, column, label);
    return value.number          ? to_json(*value.number)
           : value.level.empty() ? Json(nullptr)
                                 : Json(value.level);
  };
  Json columns = Json::array();
  for (const Index j : in_order(evidence)) {
    const std::string cell = of.cell(model, plan, j);
    columns.push_back({{"column", evidence.columns[static_cast<std::size_t>(j)]},
                       {"value", cell.empty() ? Json(nullptr) : Json(cell)},
                       {"usual", {usual(j, a), usual(j, b)}},
                       {"evidence", to_json(evidence.values(0, j))}});
  }
  return {{"row", context.options.row},
          {"label", of.label.empty() ? Json(nullptr) : Json(of.label)},
          {"labels", to_json(model.labels())},
          {"posterior", to_json(of.posterior)},
          {"of", of.of},
          {"against", of.against},
          {"unit", std::string(to_string(of.unit))},
          {"columns", std::move(columns)},
          {"offset", to_json(evidence.offset[0])},
          {"ratio", to_json(evidence.ratio(0))},
          {"warnings", context.terminal.warnings()}};
}

}  // namespace

void check_explain(const Command& command) { check_classes_compared(command); }

void explain(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  const Decision decision = decision_for(options.decision, model, context);
  Table table(options.input, context.execution);
  const Plan plan = plan_scoring(table, model.schema(), "", "");
  const ExplainedRow row = explained_row(context, model, decision, table, plan);
  note_isotonic(model, context.terminal);
  context.terminal.print(
      options.json ? dump(explain_json(context, model, plan, row))
                   : explain_text(context, model, plan, row, files_in_words(table.files())));
}

}  // namespace suffice::cli
