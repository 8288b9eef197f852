#include "cli/words/evaluation_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cli/output/text.hpp"
#include "suffice/report/report_figures.hpp"

namespace suffice::cli {
namespace {

using enum TextTable::Align;

constexpr Index most_classes_shown = 15;
constexpr std::size_t most_confusions = 10;

std::string errors_in_words(const Report& report) {
  return counted(report.errors) + " of " + counted_rows(report.decided, "decided row") +
         "; 95 % interval " + rounded(report.error_interval.low, 3) + " to " +
         rounded(report.error_interval.high, 3);
}

std::string part_of_rows(double count, const Report& report) {
  return rounded(100 * count / report.rows, 3) + " % of the rows";
}

/// What a log-loss says of the probabilities, where it is not good.
std::string log_loss_in_words(const Report& report, bool is_calibrated) {
  if (std::isinf(report.log_loss)) return "a row's own class has the probability 0";
  if (!(report.log_loss > report.frequency_log_loss)) return "";
  return "above the class frequencies alone (" + rounded(report.frequency_log_loss, 3) + "): " +
         (is_calibrated ? "calibrate again on rows like these, with suffice calibrate"
                        : "try fit --calibration auto, or suffice calibrate");
}

/// Of the log-likelihood ratio of the first class over the second.
void add_two_class_figures(const Report& report, TextTable& table) {
  const ClassDetection& first = *report.detection.front();
  const DetectionCurve& curve = first.curve;
  table.add(
      {"AUC", figure(*report.auc),
       "of the log-likelihood ratio '" + report.labels[0] + "' over '" + report.labels[1] + "'"});
  table.add({"equal error rate", figure(*report.equal_error_rate),
             figure(curve.eer_hull()) + " on the convex hull of the ROC"});
  table.add({"Cllr", figure(curve.cllr()),
             figure(curve.min_cllr()) + " when recalibrated; 1 means no information"});
  if (!first.application) return;
  const Detection at = curve.at(*first.application);
  table.add(
      {"detection cost", figure(at.actual_dcf),
       figure(at.min_dcf) + " with the best threshold; normalised " + figure(at.normalized_dcf)});
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
  if (report.labels.size() > 2 && report.normalized_cross_entropy)
    table.add({"cross-entropy", figure(*report.normalized_cross_entropy),
               "normalised: 1 means no better than the priors"});
  if (report.labels.size() > 2 && report.normalized_cost)
    table.add({"normalised cost", figure(*report.normalized_cost),
               "normalised: 1 means no better than the priors"});
  if (report.auc) add_two_class_figures(report, table);
  if (report.decided > 0 && report.labels.size() > 1) {
    table.add({"mean recall", figure(report.balanced_accuracy), "balanced accuracy"});
    table.add({"macro F1", figure(report.macro_f1), "weighted " + figure(report.weighted_f1)});
    table.add({"Matthews", figure(report.matthews), "correlation of truth and decision"});
  }
  if (report.cost) table.add({"mean cost", std::isnan(*report.cost) ? "–" : figure(*report.cost)});
  if (report.rejected > 0)
    table.add({"rejected", counted(report.rejected), part_of_rows(report.rejected, report)});
  if (report.outliers > 0)
    table.add({"outliers", counted(report.outliers), part_of_rows(report.outliers, report)});
  return table.render(terminal);
}

/// A model of one class: how usual its rows are, and how unusual the others.
std::string novelty_text(const Report& report, const Terminal& terminal) {
  const Novelty& novelty = *report.novelty;
  const std::string& label = report.labels[0];
  TextTable table({"", "", ""}, {left, decimal, left});
  table.add({"mean log p(x)", figure(novelty.mean_log_density),
             "of the " + counted(report.rows, "row") + " of '" + label + "'"});
  if (novelty.curve) {
    table.add({"AUC", figure(novelty.curve->auc()),
               "of p(x), '" + label + "' against the " + counted(novelty.other_rows, "row") +
                   " with other labels"});
    table.add({"equal error rate", figure(novelty.curve->equal_error_rate()),
               "with the threshold at which both kinds of errors are as frequent"});
  }
  if (report.outliers > 0 || novelty.detected)
    table.add({"outliers", figure(report.outliers / report.rows),
               counted(report.outliers) + " of the rows of '" + label + "'"});
  if (novelty.detected)
    table.add(
        {"detected", figure(*novelty.detected), "of the rows with other labels are outliers"});
  return table.render(terminal);
}

/// A figure of each class against the others; NaN where there is none.
Vector per_class(const Report& report, double (DetectionCurve::*figure)() const) {
  Vector values(std::ssize(report.detection));
  for (Index c = 0; c < values.size(); ++c)
    values[c] = report.detection[c] ? (report.detection[c]->curve.*figure)()
                                    : std::numeric_limits<double>::quiet_NaN();
  return values;
}

std::string classes(const Report& report, const Terminal& terminal) {
  const bool against_rest = report.detection.size() > 1;
  std::vector<std::string> headings = {"class", std::string(rows_or_weight(report.class_rows)),
                                       "recall", "precision", "F1"};
  if (against_rest) headings.insert(headings.end(), {"AUC", "Cllr", "min Cllr"});
  std::vector<TextTable::Align> align(headings.size(), decimal);
  align[0] = left;
  align[1] = right;
  TextTable table(std::move(headings), std::move(align));
  std::vector<std::vector<std::string>> columns = {figures(report.recall),
                                                   figures(report.precision), figures(report.f1)};
  if (against_rest)
    for (const auto of : {&DetectionCurve::auc, &DetectionCurve::cllr, &DetectionCurve::min_cllr})
      columns.push_back(figures(per_class(report, of)));
  for (Index c = 0; c < report.labels.size(); ++c) {
    std::vector<std::string> cells = {report.labels[c], counted(report.class_rows[c])};
    for (const std::vector<std::string>& column : columns) cells.push_back(column[c]);
    table.add(std::move(cells));
  }
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

std::string evaluation_text(const Report& report, const std::optional<Report>& uncalibrated,
                            const Terminal& terminal) {
  if (report.novelty) return novelty_text(report, terminal);
  std::string text =
      figures_text(report, uncalibrated, terminal) + "\n" + classes(report, terminal);
  if (report.decided == 0) return text;
  const bool fits = report.labels.size() <= most_classes_shown &&
                    width_of_matrix(report) <= static_cast<std::size_t>(terminal.width());
  return text + "\n" + (fits ? matrix(report, terminal) : confusions(report, terminal));
}

Json evaluation_json(const Report& report, const Execution& execution) {
  return to_json(report_figures(report, execution));
}

}  // namespace suffice::cli
