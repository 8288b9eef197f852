#include "cli/verbs/evidence_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "cli/line/fail.hpp"
#include "cli/words/reasons.hpp"

namespace suffice::cli {
namespace {

bool writes_values(const Options& options) {
  return std::ranges::count(options.output_columns, OutputColumn::evidence) > 0;
}

/// A and B of "A,B"; names may have commas.
std::pair<std::string, std::string> classes_between(const std::string& text, const Names& labels) {
  for (std::size_t comma = text.find(','); comma != std::string::npos;
       comma = text.find(',', comma + 1)) {
    std::pair both{text.substr(0, comma), text.substr(comma + 1)};
    if (labels.find(both.first) && labels.find(both.second)) return both;
  }
  const std::size_t comma = text.find(',');
  return {text.substr(0, comma), text.substr(comma + 1)};
}

}  // namespace

std::pair<std::string, std::optional<std::string>> classes_of(const EvidenceChoice& choice,
                                                              const Names& labels) {
  if (choice.between.empty()) return {choice.of, std::nullopt};
  return classes_between(choice.between, labels);
}

void note_isotonic(const Model& model, Terminal& terminal) {
  if (model.calibration() && !model.calibration()->knots.empty())
    terminal.note("the model has an isotonic calibration: evidence is that of the ratio before it");
}

void check_evidence(const Command& command) {
  const Options& options = command.options;
  const EvidenceChoice& choice = options.evidence;
  const bool wanted = writes_values(options) || choice.reasons;
  for (const char* flag : {"--between", "--for", "--unit"})
    if (command.has(flag) && !wanted)
      throw UsageError(fmt::format("{} is for evidence", flag),
                       "add --output evidence or --reasons N");
  check_classes_compared(command);
}

void check_classes_compared(const Command& command) {
  const EvidenceChoice& choice = command.options.evidence;
  if (!choice.between.empty() && !choice.of.empty())
    fail("--between and --for contradict each other");
  if (command.has("--between") && choice.between.find(',') == std::string::npos)
    throw UsageError(fmt::format("--between: '{}' does not name two classes", choice.between),
                     "write them with a comma between them: A,B");
  if (command.has("--for") && choice.of.empty()) fail("--for needs the name of a class");
}

EvidenceColumns::EvidenceColumns(const Context& context, const Model& model,
                                 const Decision& decision, const Plan& plan)
    : context_(context),
      model_(model),
      plan_(plan),
      values_(writes_values(context.options)),
      texts_(context.options.evidence.reasons.has_value()),
      digits_(context.options.digits.value_or(0)) {
  if (!values_ && !texts_) return;
  const EvidenceChoice& choice = context.options.evidence;
  factor_ = per_nat(choice.unit.value_or(EvidenceUnit::nats));
  std::tie(of_, against_) = classes_of(choice, model.labels());
  if (!of_.empty()) contrast_of(model, 0, of_, against_);
  scorer_ = std::make_unique<EvidenceScorer>(
      model, EvidenceOptions{.priors = decision.priors, .seed = context.options.seed});
  note_isotonic(model, context.terminal);
}

Index EvidenceColumns::numbers() const {
  return is_wanted() ? model_.schema().column_count() + 1 : 1;
}

void EvidenceColumns::add_columns(std::vector<RowColumn>& columns) const {
  if (values_) {
    for (const std::string& column : model_.schema().columns())
      columns.push_back({"evidence:" + column});
    columns.push_back({"evidence:offset"});
  }
  if (is_wanted()) columns.push_back({.name = "against", .is_text = true});
  if (texts_) columns.push_back({.name = "reasons", .is_text = true});
}

void EvidenceColumns::read(const ScoredRows& scored) {
  Contrast contrast = of_.empty() ? runner_up(model_, scored.answers.scores(), scorer_->priors(),
                                              scored.answers.decisions.classes)
                                  : contrast_of(model_, scored.block.rows(), of_, against_);
  evidence_ = (*scorer_)(scored.block, std::move(contrast), context_.execution);
  for (double& value :
       std::span(evidence_.values.data(), static_cast<std::size_t>(evidence_.values.size())))
    value *= factor_;
  for (double& offset : evidence_.offset) offset *= factor_;
}

void EvidenceColumns::add_cells(CellSink& cells, const ScoredRows& scored, Index i) const {
  if (values_) {
    for (const double value : evidence_.values.row(i)) cells.add(value, digits_);
    cells.add(evidence_.offset[i], digits_);
  }
  if (is_wanted()) {
    const Index against = evidence_.contrast.against[static_cast<std::size_t>(i)];
    cells.add(against == Contrast::others ? std::string_view("others")
                                          : std::string_view(model_.labels()[against]));
  }
  if (texts_)
    cells.add(reasons(evidence_, {model_.schema(), plan_, scored.rows}, i,
                      *context_.options.evidence.reasons));
}

}  // namespace suffice::cli
