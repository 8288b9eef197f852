#include "cli/verbs/evaluation.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/line/suggest.hpp"
#include "cli/output/text.hpp"
#include "cli/words/evaluation_text.hpp"
#include "data/weights.hpp"
#include "suffice/data/positions.hpp"

namespace suffice::cli {
namespace {

/// The true class of each row, and what there is to say about rows that have none.
class Truth {
 public:
  Truth(const Plan& plan, const Names& labels) : plan_(plan), known_(labels) {}

  /// Fills classes() and weights(). A row without a label gets the weight 0, which is absence.
  void read(const Rows& rows, const Execution& execution) {
    const auto count = static_cast<std::size_t>(rows.size());
    const TextColumn& labels = rows.texts()[plan_.label];
    classes_ = positions(known_, labels.column(), execution);
    const double* given = nullptr;
    with_places(rows, [&] { given = read_weights(view(plan_, rows), scratch_); });
    weights_.clear();
    if (given)
      weights_.assign(given, given + count);
    else if (labels.missing() > 0)
      weights_.assign(count, 1);
    const bool all_known = std::ranges::find(classes_, -1) == classes_.end();
    for (Index i = 0; i < (all_known ? 0 : rows.size()); ++i) {
      const double weight = given ? given[i] : 1;
      if (labels.is_missing(i)) {
        unlabelled_ += weight;
        weights_[i] = 0;
      } else if (classes_[i] < 0) {
        count_unknown(labels[i], weight);
      }
    }
  }
  std::span<const Index> classes() const { return classes_; }
  std::span<const double> weights() const { return weights_; }
  double unlabelled() const { return unlabelled_; }

  /// "'lynx' (12 rows), 'puma' (1 row)", the most frequent first.
  std::string unknown_in_words() const {
    std::vector<std::pair<std::string, double>> labels(unknown_.begin(), unknown_.end());
    std::ranges::sort(labels, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    constexpr std::size_t at_most = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(labels.size(), at_most); ++i)
      text += (i ? ", '" : "'") + labels[i].first + "' (" + counted(labels[i].second, "row") + ")";
    return labels.size() > at_most ? text + ", …" : text;
  }

 private:
  void count_unknown(std::string_view label, double weight) {
    constexpr std::size_t most_kept = 1000;  // a wrong column may have a new one in every row
    std::string name(label);
    const auto found = unknown_.find(name);
    if (found != unknown_.end())
      found->second += weight;
    else if (unknown_.size() < most_kept)
      unknown_.emplace(std::move(name), weight);
  }

  const Plan& plan_;
  const Names& known_;
  Vector scratch_;
  std::vector<Index> classes_;
  std::vector<double> weights_;
  double unlabelled_ = 0;
  std::unordered_map<std::string, double> unknown_;
};

void keep_labelled(const Plan& plan, const Rows& rows, Reservoir& reservoir) {
  if (rows.texts()[plan.label].missing() == 0) return reservoir.update(view(plan, rows));
  Rows labelled = rows;
  drop_unlabelled(plan, labelled);
  reservoir.update(view(plan, labelled));
}

}  // namespace

std::string label_column(const Options& options, const Model& model, Table& table) {
  if (!options.columns.label.empty()) return options.columns.label;
  const std::string& file = table.files().front();
  if (!table.own_label().empty()) return table.own_label();
  if (model.schema().label().empty())
    throw FileError({.path = options.model},
                    "'" + options.model + "' does not say which column has the labels",
                    "name it with --label");
  const std::vector<std::string> names = names_of(table.columns());
  const std::string& label = model.schema().label();
  if (std::ranges::find(names, label) == names.end())
    throw FileError({.path = file},
                    called(file) + " has no column '" + label +
                        "', which had the labels when the model was trained",
                    "name the column that "
                    "has them with --label, or a file of labels with --labels." +
                        did_you_mean(label, names));
  return label;
}

Evaluated evaluate_table(const Context& context, Table& table, const Plan& plan, const Model& model,
                         const Decision& decision, const AlsoKept& kept) {
  Evaluator evaluator(decision.priors, {.costs = decision.costs,
                                        .reject = decision.reject,
                                        .outlier = decision.outlier,
                                        .worst_rows = kept.worst_rows});
  std::optional<Evaluator> before;
  if (model.calibration())
    before.emplace(
        decision.priors,
        EvaluatorOptions{.costs = decision.costs, .detection = false, .confusion = false});
  Truth truth(plan, model.labels());
  const bool one_class = model.labels().size() == 1;  // judged by log p(x)
  const Wanted wanted{.decisions = false,
                      .log_likelihoods = one_class,
                      .scores = true,
                      .uncalibrated = before.has_value()};
  score_table(context, table, plan, model, decision, wanted, [&](const ScoredRows& block) {
    truth.read(block.rows, context.execution);
    const Predictions& answers = block.answers;
    evaluator.add(answers.scores(), truth.classes(), truth.weights(), answers.outlier_scores,
                  context.execution);
    if (kept.use_rows) kept.use_rows({block, truth.classes(), truth.weights()});
    if (kept.reservoir) keep_labelled(plan, block.rows, *kept.reservoir);
    if (before)
      before->add(answers.plain(), truth.classes(), truth.weights(), {}, context.execution);
  });
  Evaluated evaluated{.report = evaluator.report(context.execution),
                      .unlabelled_rows = truth.unlabelled(),
                      .unknown_labels = truth.unknown_in_words()};
  if (before) evaluated.uncalibrated = before->report(context.execution);
  return evaluated;
}

Json evaluation_json(const Evaluated& evaluated, const Decision& decision,
                     const Execution& execution) {
  Json json = evaluation_json(evaluated.report, execution);
  if (evaluated.uncalibrated)
    json["uncalibrated"] = {{"error_rate", to_json(evaluated.uncalibrated->error_rate)},
                            {"log_loss", to_json(evaluated.uncalibrated->log_loss)},
                            {"brier", to_json(evaluated.uncalibrated->brier)}};
  json["unlabelled_rows"] = to_json(evaluated.unlabelled_rows);
  json["prior"] = to_json(decision.priors.probabilities());
  return json;
}

void require_known_rows(const Evaluated& evaluated, const Table& table, const std::string& label) {
  const Report& report = evaluated.report;
  if (report.rows > 0) return;
  const std::string& file = table.files().front();
  if (table.rows_read() == 0)
    throw FileError({.path = file},
                    called(file) + " has no rows" +
                        (table.files().size() > 1 ? ", nor have the files after it" : ""));
  if (report.unknown_label_rows > 0)
    throw FileError({.path = file},
                    "no row has a label that the model knows: column '" + label + "' of '" + file +
                        "' has " + evaluated.unknown_labels,
                    "the classes of the model are " + list_for_message(report.labels.list()) +
                        ". Is it the right column (--label)?");
  throw FileError({.path = file},
                  evaluated.unlabelled_rows > 0
                      ? "no row has a label: column '" + label + "' of '" + file + "' is empty"
                      : "no row of '" + file + "' has a weight above 0");
}

}  // namespace suffice::cli
