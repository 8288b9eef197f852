#include "suffice/report/report_figures.hpp"

#include <array>
#include <limits>
#include <utility>

#include "core/parallel.hpp"

namespace suffice {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// One figure of each entry of `detection` under each name; `figures` gives an array of as many.
template <std::size_t n, class Figures>
std::vector<Figure> of_each_class(const Report& report, const std::array<const char*, n>& names,
                                  const Execution& execution, const Figures& figures) {
  const auto classes = std::ssize(report.detection);
  std::array<Vector, n> values;
  values.fill(Vector(classes));
  Workers(execution, classes).run(classes, [&](Index c, int) {
    std::array<double, n> of_class;
    of_class.fill(none);
    if (report.detection[c]) of_class = figures(*report.detection[c]);
    for (std::size_t k = 0; k < n; ++k) values[k][c] = of_class[k];
  });
  std::vector<Figure> result;
  for (std::size_t k = 0; k < n; ++k) {
    if (report.labels.size() == 2)
      result.push_back({names[k], values[k][0]});
    else
      result.push_back({names[k], std::move(values[k])});
  }
  return result;
}

std::vector<Figure> detection(const Report& report, const Execution& execution) {
  constexpr std::array names = {"auc",        "cllr",    "min_cllr",      "eer_hull",
                                "actual_dcf", "min_dcf", "normalized_dcf"};
  const auto figures = [](const ClassDetection& of) -> std::array<double, 7> {
    const DetectionCurve& curve = of.curve;
    const Detection at = of.application ? curve.at(*of.application)
                                        : Detection{.cllr = curve.cllr(),
                                                    .min_cllr = curve.min_cllr(),
                                                    .eer_hull = curve.eer_hull(),
                                                    .actual_dcf = none,
                                                    .min_dcf = none,
                                                    .normalized_dcf = none};
    return {curve.auc(),   at.cllr,    at.min_cllr,      at.eer_hull,
            at.actual_dcf, at.min_dcf, at.normalized_dcf};
  };
  return of_each_class(report, names, execution, figures);
}

std::vector<Figure> novelty_figures(const Novelty& novelty) {
  std::vector<Figure> figures = {{"mean_log_density", novelty.mean_log_density},
                                 {"other_rows", novelty.other_rows}};
  if (novelty.curve) {
    figures.push_back({"auc", novelty.curve->auc()});
    figures.push_back({"equal_error_rate", novelty.curve->equal_error_rate()});
  }
  if (novelty.detected) figures.push_back({"detected", *novelty.detected});
  return figures;
}

std::vector<Figure> decomposition(const Report& report, const Execution& execution,
                                  Decomposition (DetectionCurve::*score)(double) const) {
  constexpr std::array names = {"score", "miscalibration", "discrimination", "uncertainty"};
  const auto figures = [score](const ClassDetection& of) -> std::array<double, 4> {
    if (!(of.prior > 0 && of.prior < 1)) return {none, none, none, none};
    const Decomposition parts = (of.curve.*score)(of.prior);
    return {parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty};
  };
  return of_each_class(report, names, execution, figures);
}

}  // namespace

std::vector<Figure> report_figures(const Report& report, const Execution& execution) {
  std::vector<Figure> all = {
      {"rows", report.rows},
      {"error_rate", report.error_rate},
      {"errors", report.errors},
      {"decided", report.decided},
      {"error_interval", Vector{report.error_interval.low, report.error_interval.high}},
      {"log_loss", report.log_loss},
      {"frequency_log_loss", report.frequency_log_loss},
      {"brier", report.brier}};
  const auto add_if = [&](const char* name, const std::optional<double>& value) {
    if (value) all.push_back({name, *value});
  };
  add_if("auc", report.auc);
  add_if("equal_error_rate", report.equal_error_rate);
  if (!report.detection.empty()) {
    all.push_back({"ratios_are_binned", report.ratios_are_binned});
    all.push_back({"detection", detection(report, execution)});
    all.push_back({"calibration",
                   std::vector<Figure>{
                       {"brier", decomposition(report, execution, &DetectionCurve::brier)},
                       {"log_loss", decomposition(report, execution, &DetectionCurve::log_loss)}}});
  }
  if (report.novelty) all.push_back({"novelty", novelty_figures(*report.novelty)});
  add_if("normalized_cost", report.normalized_cost);
  add_if("normalized_cross_entropy", report.normalized_cross_entropy);
  add_if("cost", report.cost);
  all.insert(
      all.end(),
      {{"rejected", report.rejected},
       {"outliers", report.outliers},
       {"unknown_label_rows", report.unknown_label_rows},
       {"confusion", std::vector<Figure>{{"labels", report.labels}, {"matrix", &report.confusion}}},
       {"class_rows", report.class_rows},
       {"recall", report.recall},
       {"precision", report.precision},
       {"f1", report.f1},
       {"balanced_accuracy", report.balanced_accuracy},
       {"macro_f1", report.macro_f1},
       {"weighted_f1", report.weighted_f1},
       {"matthews", report.matthews}});
  return all;
}

}  // namespace suffice
