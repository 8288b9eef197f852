#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/verb.hpp"
#include "cli/output/json.hpp"
#include "cli/output/row_writer.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/evidence_columns.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/scoring.hpp"
#include "cli/verbs/set_choice.hpp"
#include "core/parallel.hpp"

namespace suffice::cli {
namespace {

/// The columns that were asked for, and how a row fills them.
class AnswerColumns {
 public:
  AnswerColumns(const Options& options, const Model& model, const Decision& decision,
                const Plan& plan, const EvidenceColumns& evidence)
      : columns_(options.output_columns),
        evidence_(evidence),
        kept_(plan.kept),
        labels_(model.labels()),
        with_status_(decision.reject || decision.outlier),
        short_llr_(options.compat),
        digits_(options.digits.value_or(0)),
        probability_digits_(options.digits.value_or(is_table_text(row_format(options)) ? 6 : 0)) {
    if (has(OutputColumn::set)) set_maker_.emplace(model, set_options(options.sets));
  }

  bool has(OutputColumn column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }
  Wanted wanted() const {
    return {.posteriors = has(OutputColumn::proba),
            .ratios = has(OutputColumn::llr),
            .log_likelihoods = has(OutputColumn::loglik),
            .log_densities = has(OutputColumn::logpx),
            .outlier_scores = has(OutputColumn::outlier),
            .typicality = has(OutputColumn::typicality),
            .scores = evidence_.needs_scores() || has(OutputColumn::set)};
  }

  std::vector<RowColumn> columns() const {
    std::vector<RowColumn> answers = {{.name = "label", .is_text = true}};
    const auto per_class = [&](const std::string& prefix) {
      for (const std::string& label : labels_) answers.push_back({prefix + label});
    };
    for (const OutputColumn column : columns_) {
      switch (column) {
        case OutputColumn::proba:
          per_class("proba:");
          break;
        case OutputColumn::loglik:
          per_class("loglik:");
          break;
        case OutputColumn::llr:
          if (labels_.size() == 2)
            answers.push_back({short_llr_ ? "llr" : "llr:" + labels_[0] + "/" + labels_[1]});
          else
            per_class("llr:");
          break;
        case OutputColumn::logpx:
          answers.push_back({"logpx"});
          break;
        case OutputColumn::outlier:
          answers.push_back({"outlier"});
          break;
        case OutputColumn::set:
          answers.push_back({.name = "set", .is_text = true});
          break;
        case OutputColumn::evidence:
          break;  // with its reasons, below
        case OutputColumn::typicality:
          break;  // after them
      }
    }
    evidence_.add_columns(answers);
    if (has(OutputColumn::typicality)) per_class("typicality:");
    if (with_status_) answers.push_back({.name = "status", .is_text = true});
    std::vector<RowColumn> all;
    for (const auto& [name, target] : kept_) {
      if (std::ranges::find(answers, name, &RowColumn::name) != answers.end())
        throw InvalidArgument("--keep: the answers have a column '" + name + "', too",
                              "rename it in the table");
      all.push_back({.name = name, .is_text = target.kind != Target::Kind::number});
    }
    all.insert(all.end(), answers.begin(), answers.end());
    return all;
  }

  void write(const ScoredRows& scored, RowWriter& writer, Workers& workers) {
    if (set_maker_) sets_ = (*set_maker_)(scored.answers.scores());
    writer.write(
        scored.rows.size(), [&](Index i, CellSink& cells) { add_cells(cells, scored, i); },
        workers);
  }

 private:
  static bool is_table_text(const RowFormat& format) {
    const auto* text = std::get_if<TextFormat>(&format);
    return text && !text->is_json;
  }

  void add_cells(CellSink& cells, const ScoredRows& scored, Index i) const {
    const Predictions& answers = scored.answers;
    for (const auto& [name, target] : kept_) add_kept(cells, scored.rows, target, i);
    if (answers.decisions.classes[i] < 0)
      cells.add_nothing();
    else
      cells.add(answers.label(i));
    for (const OutputColumn column : columns_) {
      switch (column) {
        case OutputColumn::proba:
          add_all(cells, answers.posteriors, i, probability_digits_);
          break;
        case OutputColumn::loglik:
          add_all(cells, answers.log_likelihoods.values, i, digits_);
          break;
        case OutputColumn::llr:
          add_all(cells, answers.ratios, i, digits_);
          break;
        case OutputColumn::logpx:
          cells.add(answers.log_densities[i], digits_);
          break;
        case OutputColumn::outlier:
          cells.add(answers.outlier_scores[i], probability_digits_);
          break;
        case OutputColumn::set:
          cells.add(set_text(sets_, i));
          break;
        case OutputColumn::evidence:
        case OutputColumn::typicality:
          break;
      }
    }
    if (evidence_.is_wanted()) evidence_.add_cells(cells, scored, i);
    if (has(OutputColumn::typicality)) add_all(cells, answers.typicality, i, probability_digits_);
    if (with_status_) cells.add(to_string(answers.decisions.status[i]));
  }
  static void add_all(CellSink& cells, const Matrix& values, Index i, int digits) {
    for (Index c = 0; c < values.cols(); ++c) cells.add(values(i, c), digits);
  }
  static void add_kept(CellSink& cells, const Rows& rows, const Target& target, Index i) {
    if (target.kind == Target::Kind::number) {
      const double value = rows.numbers(i)[target.slot];
      std::isnan(value) ? cells.add_nothing() : cells.add(value);
      return;
    }
    const TextColumn& texts = rows.texts()[static_cast<std::size_t>(target.slot)];
    texts.is_missing(i) ? cells.add_nothing() : cells.add(texts[i]);
  }

  std::vector<OutputColumn> columns_;
  const EvidenceColumns& evidence_;
  std::vector<std::pair<std::string, Target>> kept_;
  Names labels_;
  bool with_status_, short_llr_;
  int digits_, probability_digits_;
  std::optional<SetMaker> set_maker_;
  ClassSets sets_;  ///< of the rows that are being written
};

/// What was decided, for the summary of a file.
struct Counts {
  double rows = 0, rejected = 0, outliers = 0;
  std::vector<double> classes;

  void add(const Decisions& decisions) {
    classes.resize(static_cast<std::size_t>(decisions.labels.size()));
    rows += static_cast<double>(decisions.rows());
    for (Index i = 0; i < decisions.rows(); ++i) {
      if (decisions.classes[i] >= 0) classes[decisions.classes[i]] += 1;
      rejected += decisions.status[i] == Status::reject;
      outliers += decisions.status[i] == Status::outlier;
    }
  }
};

void summarize(const Context& context, const Model& model, const Counts& counts) {
  const std::string& output = context.options.output;
  if (context.options.json) {
    context.terminal.print(dump(Json{{"rows", to_json(counts.rows)},
                                     {"labels", to_json(model.labels())},
                                     {"decided", to_json(counts.classes)},
                                     {"rejected", to_json(counts.rejected)},
                                     {"outliers", to_json(counts.outliers)},
                                     {"output", output},
                                     {"warnings", context.terminal.warnings()}}));
    return;
  }
  std::string text = "Wrote " + counted(counts.rows, "answer") + " to " + output;
  if (counts.rejected > 0) text += ", " + counted(counts.rejected) + " rejected";
  if (counts.outliers > 0) text += ", " + counted(counts.outliers, "outlier");
  context.terminal.note(text);
}

}  // namespace

void check_predict(const Command& command) {
  check_evidence(command);
  const auto& columns = command.options.output_columns;
  check_sets(command, std::ranges::find(columns, OutputColumn::set) != columns.end(),
             "add --output set");
}

void predict(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  const Decision decision = decision_for(options.decision, model, context);
  if (model.labels().size() == 1 && !decision.outlier && options.output_columns.empty())
    context.terminal.warn("the model has one class, '" + model.labels()[0] +
                          "', which every row gets; --outlier ALPHA finds the rows unlike it");
  const bool to_file = options.output != "-";
  Table table(options.input, context.execution);
  require_not_an_input(table.files(), options.output);
  Plan plan = plan_scoring(table, model.schema(), "", "");
  keep_columns(plan, table, options.kept_columns);

  EvidenceColumns evidence(context, model, decision, plan);
  AnswerColumns columns(options, model, decision, plan, evidence);
  RowWriter writer(options.output, row_format(options), columns.columns());
  Workers workers(context.execution, 64);
  Counts counts;
  score_table(
      context, table, plan, model, decision, columns.wanted(),
      [&](const ScoredRows& scored) {
        if (evidence.is_wanted()) with_places(scored.rows, [&] { evidence.read(scored); });
        columns.write(scored, writer, workers);
        counts.add(scored.answers.decisions);
      },
      evidence.numbers());
  if (counts.rows == 0)
    throw FileError({.path = table.files().front()},
                    called(table.files().front()) + " has no rows to predict");
  writer.finish();
  if (to_file) summarize(context, model, counts);
}

}  // namespace suffice::cli
