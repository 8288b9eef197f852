#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/commands/files.hpp"
#include "cli/commands/report_text.hpp"
#include "cli/commands/scoring.hpp"
#include "cli/output/text.hpp"
#include "cli/suggest.hpp"
#include "suffice/evaluate/report.hpp"

namespace suffice::cli {
namespace {

/// The true class of each row, and what there is to say about rows that have none.
class Truth {
 public:
  Truth(const Plan& plan, const Names& labels) : label_(plan.label), weight_(plan.weight) {
    for (Index c = 0; c < labels.size(); ++c) position_.emplace(labels[c], c);
  }

  /// Fills classes() and weights(). A row without a label gets the weight 0, which is absence.
  void read(const Rows& rows) {
    const auto count = static_cast<std::size_t>(rows.size());
    const TextColumn& labels = rows.texts()[label_];
    classes_.assign(count, -1);
    weights_.clear();
    if (weight_ >= 0 || labels.missing() > 0) weights_.assign(count, 1);
    for (Index i = 0; i < rows.size(); ++i) {
      const double weight = weight_ < 0 ? 1 : checked_weight(rows, i);
      if (labels.is_missing(i)) {
        unlabelled_ += weight;
        weights_[i] = 0;
        continue;
      }
      if (weight_ >= 0) weights_[i] = weight;
      const auto known = position_.find(labels[i]);
      if (known != position_.end())
        classes_[i] = known->second;
      else
        count_unknown(labels[i], weight);
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
  double checked_weight(const Rows& rows, Index row) const {
    const double weight = rows.numbers(row)[weight_];
    if (weight >= 0 && std::isfinite(weight)) return weight;
    throw FileError(rows.where(row) + ": the weight is " +
                        (std::isnan(weight) ? "missing" : name_of(weight)) +
                        "; it must be finite and not negative",
                    rows.place(row).path);
  }
  void count_unknown(std::string_view label, double weight) {
    constexpr std::size_t most_kept = 1000;  // a wrong column may have a new one in every row
    std::string name(label);
    const auto found = unknown_.find(name);
    if (found != unknown_.end())
      found->second += weight;
    else if (unknown_.size() < most_kept)
      unknown_.emplace(std::move(name), weight);
  }

  Index label_, weight_;
  std::unordered_map<std::string_view, Index> position_;
  std::vector<Index> classes_;
  std::vector<double> weights_;
  double unlabelled_ = 0;
  std::unordered_map<std::string, double> unknown_;
};

/// --label, or the column that the model was trained with, or where the format has the labels.
std::string label_column(const Options& options, const Model& model, const Table& table) {
  if (!options.columns.label.empty()) return options.columns.label;
  const std::string& file = table.files().front();
  if (!table.own_label().empty()) return table.own_label();
  if (model.schema().label().empty())
    throw FileError(
        "'" + options.model + "' does not say which column has the labels; name it with --label",
        options.model);
  std::vector<std::string> names;
  for (const SourceColumn& column : table.columns()) names.push_back(column.name);
  const std::string& label = model.schema().label();
  if (std::ranges::find(names, label) == names.end())
    throw FileError("'" + file + "' has no column '" + label +
                        "', which had the labels when the model was trained; name the column that "
                        "has them with --label." +
                        did_you_mean(label, names),
                    file);
  return label;
}

void require_known_rows(const Report& report, const Truth& truth, const Table& table,
                        const std::string& label) {
  if (report.rows > 0) return;
  const std::string& file = table.files().front();
  if (table.rows_read() == 0)
    throw FileError("'" + file + "' has no rows" +
                        (table.files().size() > 1 ? ", nor have the files after it" : ""),
                    file);
  if (report.unknown_label_rows > 0)
    throw FileError("no row has a label that the model knows: column '" + label + "' of '" + file +
                        "' has " + truth.unknown_in_words() + "; the classes of the model are " +
                        list_for_message(report.labels.list()) +
                        ". Is it the right column (--label)?",
                    file);
  throw FileError(truth.unlabelled() > 0
                      ? "no row has a label: column '" + label + "' of '" + file + "' is empty"
                      : "no row of '" + file + "' has a weight above 0",
                  file);
}

std::string prior_in_words(const PriorOption& option, const Priors& priors) {
  if (option.kind == PriorOption::Kind::uniform) return "uniform";
  constexpr Index at_most = 5;
  std::string text = option.kind == PriorOption::Kind::train ? "train (" : "";
  for (Index c = 0; c < std::min(priors.labels().size(), at_most); ++c)
    text += (c ? ", " : "") + priors.labels()[c] + " " + rounded(priors[c], 3);
  if (priors.labels().size() > at_most) text += ", …";
  return option.kind == PriorOption::Kind::train ? text + ")" : text;
}

}  // namespace

void evaluate(const Context& context) {
  const Options& options = context.options;
  const Model model = open_model(options.model);
  const Decision decision = decision_for(options.decision, model, context.execution);
  Table table(options.input, context.execution);
  // Columns that the model needs are missed before the label is.
  plan_scoring(table, model.schema(), {}, {});
  const std::string label = label_column(options, model, table);
  const Plan plan = plan_scoring(table, model.schema(), label, options.columns.weight);

  // A rejected row has a cost, so that all have one.
  std::optional<Costs> costs = decision.costs;
  if (!costs && decision.reject) costs = Costs::zero_one(model);
  Evaluator evaluator(model.labels(), costs);
  Truth truth(plan, model.labels());
  score_table(context, table, plan, model, decision, {}, [&](const ScoredRows& block) {
    truth.read(block.rows);
    evaluator.add(block.scores, decision.priors, block.decisions, truth.classes(), truth.weights(),
                  context.execution);
  });
  const Report report = evaluator.report();
  require_known_rows(report, truth, table, label);

  std::string left_out;
  if (report.unknown_label_rows > 0)
    left_out = counted(report.unknown_label_rows, "row") +
               (report.unknown_label_rows == 1 ? " has" : " have") +
               " a label that the model does not know, and " +
               (report.unknown_label_rows == 1 ? "is" : "are") +
               " in no figure: " + truth.unknown_in_words();
  if (options.json) {
    if (!left_out.empty()) context.terminal.warn(left_out);
    Json json = report_json(report);
    json["unlabelled_rows"] = to_json(truth.unlabelled());
    json["prior"] = to_json(decision.priors.probabilities());
    json["warnings"] = context.terminal.warnings();
    context.terminal.print(dump(json));
    return;
  }
  Terminal& terminal = context.terminal;
  std::string text =
      terminal.styled(counted(report.rows, "row") + " of " + files_in_words(table.files()),
                      Style::bold) +
      "\n";
  if (!left_out.empty()) text += left_out + "\n";
  if (truth.unlabelled() > 0)
    text += counted(truth.unlabelled(), "row") + " without a label left out\n";
  text += "prior: " + prior_in_words(options.decision.prior, decision.priors) + "\n\n" +
          report_text(report, terminal);
  terminal.print(text);
}

}  // namespace suffice::cli
