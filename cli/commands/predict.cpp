#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/files.hpp"
#include "cli/commands/scoring.hpp"
#include "cli/output/json.hpp"
#include "cli/output/row_text.hpp"
#include "cli/output/text.hpp"
#include "cli/output/writer.hpp"
#include "core/parallel.hpp"

namespace suffice::cli {
namespace {

/// The columns that were asked for, and how a row fills them.
class Answers {
 public:
  Answers(const Options& options, const Model& model, const Decision& decision, const Plan& plan)
      : columns_(options.output_columns),
        kept_(plan.kept),
        labels_(model.labels()),
        priors_(decision.priors),
        with_status_(decision.reject || decision.outlier),
        text_(row_format(options)),
        digits_(options.digits) {}

  bool has(OutputColumn column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }
  Wanted wanted() const {
    return {.log_likelihoods = has(OutputColumn::loglik),
            .log_densities = has(OutputColumn::logpx),
            .outlier_scores = has(OutputColumn::outlier)};
  }

  std::string beginning() const {
    std::vector<std::string> names = {"label"};
    const auto per_class = [&](const std::string& prefix) {
      for (const std::string& label : labels_) names.push_back(prefix + label);
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
            names.push_back("llr");
          else
            per_class("llr:");
          break;
        case OutputColumn::logpx:
          names.push_back("logpx");
          break;
        case OutputColumn::outlier:
          names.push_back("outlier");
          break;
      }
    }
    if (with_status_) names.push_back("status");
    std::vector<std::string> all;
    for (const auto& [name, target] : kept_) {
      if (std::find(names.begin(), names.end(), name) != names.end())
        throw InvalidArgument("--keep: the answers have a column '" + name + "', too",
                              "rename it in the table");
      all.push_back(name);
    }
    all.insert(all.end(), names.begin(), names.end());
    return text_.beginning(all);
  }
  std::string end() const { return text_.end(); }

  /// The text of a block, in pieces that follow each other. `first` is the table's first block.
  std::vector<std::string> rows(const ScoredRows& scored, const Decisions& decisions, bool first,
                                Workers& workers) const {
    constexpr Index piece = 2048;
    const Index count = scored.rows.size();
    const Matrix proba = has(OutputColumn::proba) ? posteriors(scored.scores, priors_) : Matrix();
    const Matrix llr =
        has(OutputColumn::llr) ? log_likelihood_ratios(scored.scores, priors_) : Matrix();
    std::vector<std::string> pieces(static_cast<std::size_t>((count + piece - 1) / piece));
    workers.run(std::ssize(pieces), [&](Index p, int) {
      for (Index i = p * piece; i < std::min(count, (p + 1) * piece); ++i)
        add_row(pieces[p], scored, decisions, proba, llr, i, first && i == 0);
    });
    return pieces;
  }

 private:
  void add_row(std::string& text, const ScoredRows& scored, const Decisions& decisions,
               const Matrix& proba, const Matrix& llr, Index i, bool first) const {
    text_.begin_row(text, first);
    for (const auto& [name, target] : kept_) add_kept(text, scored.rows, target, i);
    const std::string_view label = decisions.label(i);
    if (label.empty() && decisions.classes[i] < 0)
      text_.add_nothing(text);
    else
      text_.add(text, label);
    for (const OutputColumn column : columns_) {
      switch (column) {
        case OutputColumn::proba:
          add_all(text, proba, i);
          break;
        case OutputColumn::loglik:
          add_all(text, scored.log_likelihoods.values, i);
          break;
        case OutputColumn::llr:
          add_all(text, llr, i);
          break;
        case OutputColumn::logpx:
          text_.add(text, scored.log_densities[i], digits_);
          break;
        case OutputColumn::outlier:
          text_.add(text, scored.outlier_scores[i], digits_);
          break;
      }
    }
    if (with_status_) text_.add(text, to_string(decisions.status[i]));
    text_.end_row(text);
  }
  void add_all(std::string& text, const Matrix& values, Index i) const {
    for (Index c = 0; c < values.cols(); ++c) text_.add(text, values(i, c), digits_);
  }
  void add_kept(std::string& text, const Rows& rows, const Target& target, Index i) const {
    if (target.kind == Target::Kind::number) {
      const double value = rows.numbers(i)[target.slot];
      std::isnan(value) ? text_.add_nothing(text) : text_.add(text, value);
      return;
    }
    const TextColumn& cells = rows.texts()[static_cast<std::size_t>(target.slot)];
    cells.is_missing(i) ? text_.add_nothing(text) : text_.add(text, cells[i]);
  }

  std::vector<OutputColumn> columns_;
  std::vector<std::pair<std::string, Target>> kept_;
  Names labels_;
  Priors priors_;
  bool with_status_;
  RowText text_;
  int digits_;
};

Decisions decided(const ScoredRows& scored, const Decision& decision, const Execution& execution) {
  const DecideOptions options = {.reject = decision.reject,
                                 .outlier = decision.outlier,
                                 .outlier_scores = scored.outlier_scores};
  return decision.costs
             ? decide(scored.scores, decision.priors, *decision.costs, options, execution)
             : decide(scored.scores, decision.priors, options, execution);
}

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

void predict(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  const Decision decision = decision_for(options.decision, model, context.execution);
  const bool to_file = options.output != "-";
  Table table(options.input, context.execution);
  require_not_an_input(table.files(), options.output);
  Plan plan = plan_scoring(table, model.schema(), "", "");
  keep_columns(plan, table, options.kept_columns);

  const Answers answers(options, model, decision, plan);
  Writer writer(options.output);
  writer.write(answers.beginning());
  Workers workers(context.execution, 64);
  Counts counts;
  score_table(
      context, table, plan, model, decision, answers.wanted(), [&](const ScoredRows& scored) {
        const Decisions decisions = decided(scored, decision, context.execution);
        for (const std::string& text : answers.rows(scored, decisions, counts.rows == 0, workers))
          writer.write(text);
        counts.add(decisions);
      });
  if (counts.rows == 0)
    throw FileError({.path = table.files().front()},
                    called(table.files().front()) + " has no rows to predict");
  writer.write(answers.end());
  writer.finish();
  if (to_file) summarize(context, model, counts);
}

}  // namespace suffice::cli
