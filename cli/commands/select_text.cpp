#include "cli/commands/select_text.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cli/commands/model_words.hpp"
#include "cli/commands/options_json.hpp"
#include "cli/commands/show_json.hpp"
#include "cli/output/text.hpp"

namespace suffice::cli {
namespace {

using Columns = std::vector<const EstimateOption*>;

/// The options in which candidates differ; the covariance where they differ in none.
Columns columns_of(const std::vector<CandidateResult>& candidates) {
  Columns columns;
  for (const EstimateOption& option : estimate_options()) {
    std::set<std::string> values;
    for (const CandidateResult& candidate : candidates)
      values.insert(option.text(candidate.options));
    if (values.size() > 1) columns.push_back(&option);
  }
  if (columns.empty()) columns.push_back(&estimate_option("covariance"));
  return columns;
}

std::string in_words(const EstimateOptions& options, const Columns& columns) {
  std::string text;
  for (const EstimateOption* column : columns)
    text += (text.empty() ? "" : ", ") + std::string(column->name) + " " + column->text(options);
  return text;
}

bool has_costs(const Context& context) {
  return context.options.decision.cost.is_given() ||
         context.options.choice.criterion == Criterion::cost;
}

std::string table_of(const Context& context, const Selection& selection, const Columns& columns) {
  using enum TextTable::Align;
  std::vector<std::string> headings{""};
  std::vector<TextTable::Align> align(columns.size() + 1, left);
  for (const EstimateOption* column : columns) headings.emplace_back(column->name);
  headings.insert(headings.end(), {"error rate", "log-loss"});
  if (has_costs(context)) headings.emplace_back("cost");
  align.resize(headings.size(), decimal);
  headings.emplace_back("time");
  align.push_back(right);
  TextTable table(std::move(headings), std::move(align));
  for (const Index j : selection.ranking) {
    const CandidateResult& candidate = selection.candidates[j];
    std::vector<std::string> cells{j == selection.best ? "*" : ""};
    for (const EstimateOption* column : columns) cells.push_back(column->text(candidate.options));
    const bool failed = !candidate.error.empty();
    const auto add = [&](double value, double standard_error) {
      cells.push_back(failed ? "–" : with_deviation(value, standard_error, 2));
    };
    add(candidate.score.error_rate, candidate.error_rate_se);
    add(candidate.score.log_loss, candidate.log_loss_se);
    if (has_costs(context)) add(candidate.score.cost, candidate.cost_se);
    cells.push_back(run_time(candidate.seconds));
    table.add(std::move(cells));
  }
  return table.render(context.terminal);
}

/// Candidates that failed for the same reason, together.
std::string failures(const Selection& selection, const Columns& columns) {
  std::vector<std::pair<std::string, std::vector<Index>>> reasons;
  for (Index j = 0; j < std::ssize(selection.candidates); ++j) {
    const std::string& error = selection.candidates[j].error;
    if (error.empty()) continue;
    const auto known =
        std::ranges::find(reasons, error, &std::pair<std::string, std::vector<Index>>::first);
    if (known == reasons.end())
      reasons.push_back({error, {j}});
    else
      known->second.push_back(j);
  }
  std::string text;
  for (const auto& [reason, candidates] : reasons) {
    text += "\n– " + in_words(selection.candidates[candidates.front()].options, columns);
    if (candidates.size() > 1) text += " (and " + std::to_string(candidates.size() - 1) + " more)";
    text += ": " + reason + "\n";
  }
  return text;
}

Json score_json(const Context& context, const Score& score) {
  Json json = {{"rows", to_json(score.rows)},
               {"error_rate", to_json(score.error_rate)},
               {"log_loss", to_json(score.log_loss)}};
  if (has_costs(context)) json["cost"] = to_json(score.cost);
  return json;
}

}  // namespace

std::string select_text(const Context& context, const SelectSummary& summary) {
  const Selection& selection = summary.selection;
  const Columns columns = columns_of(selection.candidates);
  const Terminal& terminal = context.terminal;
  const auto folds = static_cast<double>(selection.folds.size());
  std::string text =
      terminal.styled(
          counted(summary.rows, "row") + " of " + summary.files + ", " +
              counted(static_cast<double>(summary.model.labels().size()), "class", "classes") +
              ", " + (folds > 0 ? counted(folds, "fold") : "each row left out in turn"),
          Style::bold) +
      "\n\n" + table_of(context, selection, columns) + failures(selection, columns) + "\n";
  if (summary.unlabelled_rows > 0)
    text += counted(summary.unlabelled_rows, "row") + " without a label left out\n";
  text += "* " + in_words(selection.best_options(), columns) +
          (context.options.choice.one_standard_error
               ? ": the simplest within one standard error of the best"
               : ": the best by " + std::string(to_string(context.options.choice.criterion))) +
          "; estimated from all rows\n" + calibration_in_words(summary.model);
  if (context.options.verbose)
    text += model_in_words(summary.model) + shrinkage_in_words(summary.model) +
            smoothing_in_words(summary.model) + projection_in_words(summary.model) +
            options_in_words(summary.model, true);
  return text + "Wrote " + summary.output + "\n";
}

Json select_json(const Context& context, const SelectSummary& summary) {
  const Selection& selection = summary.selection;
  Json candidates = Json::array();
  for (const CandidateResult& candidate : selection.candidates) {
    Json json = {{"options", options_json(candidate.options)}};
    if (!candidate.error.empty()) {
      json["error"] = candidate.error;
    } else {
      json.update(score_json(context, candidate.score));
      json["error_rate_se"] = to_json(candidate.error_rate_se);
      json["log_loss_se"] = to_json(candidate.log_loss_se);
      if (has_costs(context)) json["cost_se"] = to_json(candidate.cost_se);
      json["parameters"] = to_json(candidate.parameters);
      if (candidate.calibration) {
        json["calibration"] = calibration_json(*candidate.calibration);
        json["uncalibrated"] = {{"error_rate", to_json(candidate.uncalibrated.error_rate)},
                                {"log_loss", to_json(candidate.uncalibrated.log_loss)}};
      }
      json["folds"] = Json::array();
      for (std::size_t f = 0; f < candidate.folds.size(); ++f) {
        Json fold = {{"name", selection.folds[f]}};
        fold.update(score_json(context, candidate.folds[f]));
        json["folds"].push_back(std::move(fold));
      }
    }
    json["seconds"] = to_json(candidate.seconds);
    candidates.push_back(std::move(json));
  }
  return {{"rows", to_json(summary.rows)},
          {"unlabelled_rows", to_json(summary.unlabelled_rows)},
          {"labels", to_json(summary.model.labels())},
          {"criterion", to_string(context.options.choice.criterion)},
          {"candidates", std::move(candidates)},
          {"frequency_log_loss", to_json(selection.frequency_log_loss)},
          {"ranking", selection.ranking},
          {"best", selection.best},
          {"options", options_json(summary.model)},
          {"output", summary.output},
          {"warnings", context.terminal.warnings()}};
}

}  // namespace suffice::cli
