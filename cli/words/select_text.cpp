#include "cli/words/select_text.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cli/line/error.hpp"
#include "cli/output/text.hpp"
#include "cli/words/model_words.hpp"
#include "cli/words/options_json.hpp"
#include "cli/words/show_json.hpp"

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

/// "visits=poisson, price=log"; nothing where the columns have one meaning.
std::string meaning_of(const SelectSummary& summary, Index candidate) {
  std::string text;
  if (summary.columns.empty()) return text;
  for (const auto& [column, word] : summary.columns[static_cast<std::size_t>(candidate)])
    text += (text.empty() ? "" : ", ") + column + "=" + word;
  return text;
}

std::string in_words(const SelectSummary& summary, Index candidate, const Columns& columns) {
  const EstimateOptions& options = summary.selection.candidates[candidate].options;
  std::string text = meaning_of(summary, candidate);
  for (const EstimateOption* column : columns)
    text += (text.empty() ? "" : ", ") + hyphenated(column->name) + " " + column->text(options);
  return text;
}

bool has_costs(const Context& context) {
  return context.options.decision.cost.is_given() ||
         context.options.choice.criterion == Criterion::cost;
}

/// Probabilities that are worse than none.
bool is_above_frequencies(const CandidateResult& candidate, const Selection& selection) {
  return candidate.error.empty() && candidate.score.log_loss > selection.frequency_log_loss;
}

std::string table_of(const Context& context, const SelectSummary& summary, const Columns& columns) {
  using enum TextTable::Align;
  const Selection& selection = summary.selection;
  const bool has_meanings = !summary.columns.empty();
  std::vector<std::string> headings{""};
  if (has_meanings) headings.emplace_back("columns");
  std::vector<TextTable::Align> align(columns.size() + headings.size(), left);
  for (const EstimateOption* column : columns) headings.push_back(hyphenated(column->name));
  headings.insert(headings.end(), {"error rate", "log-loss"});
  if (has_costs(context)) headings.emplace_back("cost");
  align.resize(headings.size(), decimal);
  headings.insert(headings.end(), {"parameters", "time"});
  align.resize(headings.size(), right);
  TextTable table(std::move(headings), std::move(align));
  for (const Index j : selection.ranking) {
    const CandidateResult& candidate = selection.candidates[j];
    std::vector<std::string> cells{j == selection.best ? "*" : ""};
    if (is_above_frequencies(candidate, selection)) cells[0] += "†";
    if (has_meanings) cells.push_back(meaning_of(summary, j));
    for (const EstimateOption* column : columns) cells.push_back(column->text(candidate.options));
    const bool failed = !candidate.error.empty();
    const auto add = [&](double value, double standard_error) {
      cells.push_back(failed ? "–" : with_deviation(value, standard_error, 2));
    };
    add(candidate.score.error_rate, candidate.error_rate_se);
    add(candidate.score.log_loss, candidate.log_loss_se);
    if (has_costs(context)) add(candidate.score.cost, candidate.cost_se);
    cells.push_back(failed ? "–" : counted(candidate.parameters));
    cells.push_back(run_time(candidate.seconds));
    table.add(std::move(cells));
  }
  return table.render(context.terminal);
}

/// What the signs of the table mean.
std::string legend(const Context& context, const Selection& selection) {
  std::string text = "± is one standard error, by the differences between " +
                     std::string(selection.folds.empty() ? "rows" : "folds") + "\n";
  if (std::ranges::any_of(selection.candidates, [&](const CandidateResult& candidate) {
        return is_above_frequencies(candidate, selection);
      }))
    text += "† log-loss above that of the class frequencies alone, " +
            rounded(selection.frequency_log_loss, 3) + ": no use as probabilities" +
            (context.options.choice.calibrate ? "" : "; try --calibration auto") + "\n";
  return text;
}

/// Candidates that failed for the same reason, together.
std::string failures(const SelectSummary& summary, const Columns& columns) {
  const Selection& selection = summary.selection;
  std::vector<std::pair<std::string, std::vector<Index>>> reasons;
  for (Index j = 0; j < std::ssize(selection.candidates); ++j) {
    const std::string error = selection.candidates[j].error.text(flag_spelling);
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
    text += "\n– " + in_words(summary, candidates.front(), columns);
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
      "\n\n" + table_of(context, summary, columns) + failures(summary, columns) + "\n" +
      legend(context, selection);
  if (summary.unlabelled_rows > 0)
    text += counted(summary.unlabelled_rows, "row") + " without a label left out\n";
  text += "* " + in_words(summary, selection.best, columns) +
          (context.options.choice.one_standard_error
               ? ": the simplest within one standard error of the best"
               : ": the best by " + std::string(to_string(context.options.choice.criterion))) +
          "; estimated from all rows\n" + kept_in_words(summary.model) +
          calibration_in_words(summary.model);
  for (const std::string& hint : selection.hints) text += "Note: " + hint + "\n";
  if (context.options.verbose)
    text += model_in_words(summary.model) + missing_in_words(summary.model) +
            shrinkage_in_words(summary.model) + smoothing_in_words(summary.model) +
            projection_in_words(summary.model) + options_in_words(summary.model, true);
  if (!context.options.choice.predictions.empty())
    text += "Wrote " + context.options.choice.predictions + ", the answers to rows of left-out " +
            (selection.folds.empty() ? "rows" : "folds") + "\n";
  return text + "Wrote " + summary.output + "\n";
}

Json select_json(const Context& context, const SelectSummary& summary) {
  const Selection& selection = summary.selection;
  Json candidates = Json::array();
  for (std::size_t j = 0; j < selection.candidates.size(); ++j) {
    const CandidateResult& candidate = selection.candidates[j];
    Json json = {{"options", options_json(candidate.options)}};
    if (!summary.columns.empty()) {
      json["columns"] = Json::object();
      for (const auto& [column, word] : summary.columns[j]) json["columns"][column] = word;
    }
    if (!candidate.error.empty()) {
      json["error"] = candidate.error.text(flag_spelling);
    } else {
      json.update(score_json(context, candidate.score));
      json["error_rate_se"] = to_json(candidate.error_rate_se);
      json["log_loss_se"] = to_json(candidate.log_loss_se);
      if (has_costs(context)) json["cost_se"] = to_json(candidate.cost_se);
      json["above_frequencies"] = is_above_frequencies(candidate, selection);
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
          {"hints", selection.hints},
          {"options", options_json(summary.model)},
          {"output", summary.output},
          {"warnings", context.terminal.warnings()}};
}

}  // namespace suffice::cli
