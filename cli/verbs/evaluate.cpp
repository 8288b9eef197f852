#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/text.hpp"
#include "cli/verbs/evaluation.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/set_choice.hpp"
#include "cli/words/evaluation_text.hpp"

namespace suffice::cli {
namespace {

std::string prior_in_words(const PriorOption& option, const Priors& priors) {
  if (option.kind == PriorOption::Kind::uniform) return "uniform";
  constexpr Index at_most = 5;
  const bool is_listed =
      option.kind != PriorOption::Kind::train && option.kind != PriorOption::Kind::pseudo_counts;
  std::string text;
  if (!is_listed)
    text = option.kind == PriorOption::Kind::train ? "train (" : "train with pseudo-counts (";
  for (Index c = 0; c < std::min(priors.labels().size(), at_most); ++c)
    text += (c ? ", " : "") + priors.labels()[c] + " " + rounded(priors[c], 3);
  if (priors.labels().size() > at_most) text += ", …";
  return is_listed ? text : text + ")";
}

std::string sets_text(const SetChoice& choice, const SetFigures& of, const Terminal& terminal) {
  using enum TextTable::Align;
  TextTable table({"", "", ""}, {left, decimal, left});
  table.add({"coverage", figure(of.coverage()),
             "of sets that are to contain the true class of " + rounded(100 * *choice.coverage) +
                 " % of " + (choice.per_class ? "the rows of each class" : "all rows")});
  table.add({"mean size", figure(of.mean_size()), "classes in a set"});
  if (choice.allow_empty) table.add({"empty", figure(of.empty / of.rows), "of the sets"});
  std::string text = "\n" + table.render(terminal);
  if (!choice.per_class) return text;
  TextTable classes({"class", "coverage"}, {left, decimal});
  for (Index c = 0; c < of.class_rows.size(); ++c)
    classes.add({of.labels[c],
                 of.class_rows[c] > 0 ? figure(of.class_covered[c] / of.class_rows[c]) : "–"});
  return text + "\n" + classes.render(terminal);
}

Json sets_json(const SetChoice& choice, const SetFigures& of) {
  Json by_class = Json::array();
  for (Index c = 0; c < of.class_rows.size(); ++c)
    by_class.push_back(of.class_rows[c] > 0 ? to_json(of.class_covered[c] / of.class_rows[c])
                                            : Json(nullptr));
  return {{"asked", to_json(*choice.coverage)},   {"per_class", choice.per_class},
          {"coverage", to_json(of.coverage())},   {"mean_size", to_json(of.mean_size())},
          {"empty", to_json(of.empty / of.rows)}, {"class_coverage", std::move(by_class)}};
}

}  // namespace

void check_evaluate(const Command& command) {
  check_sets(command, command.options.sets.coverage.has_value(), "add --coverage SHARE");
}

void evaluate(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  const Decision decision = decision_for(options.decision, model, context);
  Table table(options.input, context.execution);
  require_columns(table, model.schema());  // before the label is missed
  const std::string label = label_column(options, model, table);
  const Plan plan = plan_scoring(table, model.schema(), label, options.columns.weight);

  std::optional<SetMaker> sets;
  SetFigures set_figures;
  AlsoKept also;
  if (options.sets.coverage) {
    sets.emplace(model, set_options(options.sets));
    also.use_rows = [&](const EvaluatedRows& of) {
      set_figures.add((*sets)(of.scored.answers.scores()), of.truth, of.weights);
    };
  }
  const Evaluated evaluated = evaluate_table(context, table, plan, model, decision, also);
  require_known_rows(evaluated, table, label);
  const Report& report = evaluated.report;

  std::string left_out;
  if (report.unknown_label_rows > 0)
    left_out = counted(report.unknown_label_rows, "row") +
               (report.unknown_label_rows == 1 ? " has" : " have") +
               " a label that the model does not know, and " +
               (report.unknown_label_rows == 1 ? "is" : "are") +
               (report.novelty ? " treated as novel: " : " in no figure: ") +
               evaluated.unknown_labels;
  if (options.json) {
    if (!left_out.empty() && !report.novelty) context.terminal.warn(left_out);
    Json json = evaluation_json(evaluated, decision, context.execution);
    if (sets) json["sets"] = sets_json(options.sets, set_figures);
    json["warnings"] = context.terminal.warnings();
    context.terminal.print(dump(json, "matrix", report.confusion));
    return;
  }
  Terminal& terminal = context.terminal;
  std::string text =
      terminal.styled(counted_rows(report.rows) + " of " + files_in_words(table.files()),
                      Style::bold) +
      "\n";
  if (!left_out.empty()) text += left_out + "\n";
  if (evaluated.unlabelled_rows > 0)
    text += counted(evaluated.unlabelled_rows, "row") + " without a label left out\n";
  if (!report.novelty)
    text += "prior: " + prior_in_words(options.decision.prior, decision.priors) + "\n";
  text += "\n" + evaluation_text(report, evaluated.uncalibrated, terminal);
  if (sets) text += sets_text(options.sets, set_figures, terminal);
  terminal.print(text);
}

}  // namespace suffice::cli
