#include "cli/commands/evaluation_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/output/text.hpp"

namespace suffice::cli {
namespace {

using enum TextTable::Align;

constexpr Index most_classes_shown = 15;
constexpr std::size_t most_confusions = 10;

std::string errors_in_words(const Report& report) {
  return counted(report.errors) + " of " + counted(report.decided, "decided row") +
         "; 95 % interval " + rounded(report.error_interval.low, 3) + " to " +
         rounded(report.error_interval.high, 3);
}

std::string part_of_rows(double count, const Report& report) {
  return rounded(100 * count / report.rows, 3) + " % of the rows";
}

/// What a log-loss says of the probabilities, where it is not good.
std::string log_loss_in_words(const Report& report, bool is_calibrated) {
  if (std::isinf(report.log_loss)) return "a row's own class has the probability 0";
  const double least = frequency_log_loss(report.class_rows);
  if (!(report.log_loss > least)) return "";
  return "above the class frequencies alone (" + rounded(least, 3) + "): " +
         (is_calibrated ? "calibrate again on rows like these, with suffice calibrate"
                        : "try fit --calibration auto, or suffice calibrate");
}

std::string figures_text(const Report& report, const std::optional<Report>& uncalibrated,
                         const Terminal& terminal) {
  TextTable table({"", "", ""}, {left, decimal, left});
  if (report.decided > 0)
    table.add({"error rate", figure(report.error_rate), errors_in_words(report)});
  else
    table.add({"error rate", "–", "no row was decided"});
  table.add({"log-loss", figure(report.log_loss), log_loss_in_words(report, !!uncalibrated)});
  if (uncalibrated)
    table.add({"  uncalibrated", figure(uncalibrated->log_loss),
               "error rate " + figure(uncalibrated->error_rate)});
  table.add({"Brier score", figure(report.brier)});
  if (report.auc)
    table.add(
        {"AUC", figure(*report.auc),
         "of the log-likelihood ratio '" + report.labels[0] + "' over '" + report.labels[1] + "'"});
  if (report.equal_error_rate) table.add({"equal error rate", figure(*report.equal_error_rate)});
  if (report.cost) table.add({"mean cost", std::isnan(*report.cost) ? "–" : figure(*report.cost)});
  if (report.rejected > 0)
    table.add({"rejected", counted(report.rejected), part_of_rows(report.rejected, report)});
  if (report.outliers > 0)
    table.add({"outliers", counted(report.outliers), part_of_rows(report.outliers, report)});
  return table.render(terminal);
}

std::string classes(const Report& report, const Terminal& terminal) {
  TextTable table({"class", "rows", "recall", "precision"}, {left, right, decimal, decimal});
  const std::vector<std::string> recall = figures(report.recall),
                                 precision = figures(report.precision);
  for (Index c = 0; c < report.labels.size(); ++c)
    table.add({report.labels[c], counted(report.class_rows[c]), recall[c], precision[c]});
  return table.render(terminal);
}

/// Characters of a line of the whole matrix.
std::size_t width_of_matrix(const Report& report) {
  std::size_t width = 0, widest_label = 0;
  for (Index k = 0; k < report.labels.size(); ++k) {
    std::size_t column = characters(report.labels[k]);
    widest_label = std::max(widest_label, column);
    for (Index c = 0; c < report.labels.size(); ++c)
      column = std::max(column, characters(counted(report.confusion(c, k))));
    width += 2 + column;
  }
  return std::max<std::size_t>(widest_label, 14) + width;
}

std::string matrix(const Report& report, const Terminal& terminal) {
  std::vector<std::string> headings = {"true \\ decided"};
  headings.insert(headings.end(), report.labels.begin(), report.labels.end());
  std::vector<TextTable::Align> align(headings.size(), right);
  align.front() = left;
  TextTable table(std::move(headings), std::move(align));
  for (Index c = 0; c < report.labels.size(); ++c) {
    std::vector<std::string> cells = {report.labels[c]};
    for (const double count : report.confusion.row(c))
      cells.push_back(count > 0 ? counted(count) : "·");
    table.add(std::move(cells));
  }
  return table.render(terminal);
}

std::string confusions(const Report& report, const Terminal& terminal) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index c = 0; c < report.labels.size(); ++c)
    for (Index k = 0; k < report.labels.size(); ++k)
      if (c != k && report.confusion(c, k) > 0) pairs.emplace_back(c, k);
  if (pairs.empty()) return "No class was confused with another.\n";
  std::ranges::stable_sort(pairs, [&](const auto& a, const auto& b) {
    return report.confusion(a.first, a.second) > report.confusion(b.first, b.second);
  });
  const bool all = pairs.size() <= most_confusions;
  if (!all) pairs.resize(most_confusions);
  TextTable table({"true", "decided", "rows"}, {left, left, right});
  for (const auto& [c, k] : pairs)
    table.add({report.labels[c], report.labels[k], counted(report.confusion(c, k))});
  return std::string(all ? "Confusions" : "The most frequent confusions") +
         "; the whole matrix is in --json\n\n" + table.render(terminal);
}

}  // namespace

double frequency_log_loss(const Vector& class_rows) {
  const double total = class_rows.map().sum();
  double loss = 0;
  for (const double rows : class_rows)
    if (rows > 0) loss -= rows / total * std::log(rows / total);
  return loss;
}

std::string evaluation_text(const Report& report, const std::optional<Report>& uncalibrated,
                            const Terminal& terminal) {
  std::string text =
      figures_text(report, uncalibrated, terminal) + "\n" + classes(report, terminal);
  if (report.decided == 0) return text;
  const bool fits = report.labels.size() <= most_classes_shown &&
                    width_of_matrix(report) <= static_cast<std::size_t>(terminal.width());
  return text + "\n" + (fits ? matrix(report, terminal) : confusions(report, terminal));
}

Json evaluation_json(const Report& report) {
  Json json = {{"rows", to_json(report.rows)},
               {"error_rate", to_json(report.error_rate)},
               {"errors", to_json(report.errors)},
               {"decided", to_json(report.decided)},
               {"error_interval", Json::array({to_json(report.error_interval.low),
                                               to_json(report.error_interval.high)})},
               {"log_loss", to_json(report.log_loss)},
               {"frequency_log_loss", to_json(frequency_log_loss(report.class_rows))},
               {"brier", to_json(report.brier)}};
  if (report.auc) json["auc"] = to_json(*report.auc);
  if (report.equal_error_rate) json["equal_error_rate"] = to_json(*report.equal_error_rate);
  if (report.auc) json["ratios_are_binned"] = report.ratios_are_binned;
  if (report.cost) json["cost"] = to_json(*report.cost);
  json["rejected"] = to_json(report.rejected);
  json["outliers"] = to_json(report.outliers);
  json["unknown_label_rows"] = to_json(report.unknown_label_rows);
  json["confusion"] = {{"labels", to_json(report.labels)}, {"matrix", to_json(report.confusion)}};
  json["class_rows"] = to_json(report.class_rows);
  json["recall"] = to_json(report.recall);
  json["precision"] = to_json(report.precision);
  return json;
}

}  // namespace suffice::cli
