// Pictures of the log-likelihood ratios of a report: error rates, reliability, histograms.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "draw/sheet.hpp"
#include "suffice/core/error.hpp"
#include "suffice/draw/plot.hpp"
#include "suffice/report/interval.hpp"

namespace suffice {
namespace draw {
namespace {

/// A class whose rows and whose others were seen.
struct ComparedClass {
  Index c;
  std::string name;
  const ClassDetection* of;
};

constexpr std::size_t most_targets = 16;

std::vector<ComparedClass> targets_of(const Report& report) {
  std::vector<ComparedClass> result;
  for (std::size_t c = 0; c < report.detection.size(); ++c)
    if (report.detection[c])
      result.push_back(
          {static_cast<Index>(c), report.labels[static_cast<Index>(c)], &*report.detection[c]});
  if (result.empty())
    throw InvalidArgument("there are no log-likelihood ratios to draw",
                          "they need rows of two classes or more, and at most 100 classes");
  return result;
}

std::string against(const Report& report) {
  return report.labels.size() == 2 ? report.labels[0] + " against " + report.labels[1]
                                   : std::string("each class against the others");
}

double log_odds_of(double p) { return std::log(p) - std::log1p(-p); }
double probability_of(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

std::string per_cent(double share) { return short_number(100 * share, 3) + " %"; }

/// Curves of one or more targets in a square or a wide panel.
class CurveSheet {
 public:
  CurveSheet(const Report& report, Picture picture, std::vector<LegendEntry> lines,
             std::vector<std::string> columns)
      : picture_(std::move(picture)),
        targets_(targets_of(report)),
        two_(report.labels.size() == 2),
        all_(targets_.size()) {
    if (targets_.size() > most_targets)
      targets_.erase(targets_.begin() + most_targets, targets_.end());
    picture_.columns = std::move(columns);
    std::vector<LegendEntry> legend;
    if (two_)
      legend = std::move(lines);
    else
      for (const ComparedClass& target : targets_)
        legend.push_back({target.name, style_of(target.c), true});
    sheet_.emplace(Sheet::Words{picture_.title, picture_.description, picture_.description,
                                std::move(legend)});
  }

  bool two() const { return two_; }
  const std::vector<ComparedClass>& targets() const { return targets_; }
  Sheet& sheet() { return *sheet_; }
  Picture& picture() { return picture_; }
  Box area(double width, double height) const {
    return {64, sheet_->top() + 30, std::min(width, sheet_->width() - 88), height};
  }
  /// The main line of a target.
  Paint paint(const ComparedClass& target) const {
    const ClassStyle style = style_of(target.c);
    return {std::string(style.colour), two_ ? "" : std::string(style.dash), 1.9};
  }
  Picture finish(double bottom, std::string note, bool with_style) {
    if (all_ > targets_.size())
      note += std::string(note.empty() ? "" : " ") + "The first " +
              std::to_string(targets_.size()) + " of " + std::to_string(all_) +
              " classes are shown.";
    picture_.svg = sheet_->finish(bottom, note, with_style);
    return std::move(picture_);
  }

 private:
  Picture picture_;
  std::vector<ComparedClass> targets_;
  bool two_;
  std::size_t all_;
  std::optional<Sheet> sheet_;
};

LegendEntry line_entry(const char* name, std::string_view colour, std::string_view dash) {
  return {name, {colour, dash, Marker::circle}, true};
}
constexpr std::string_view first_colour = "#0072B2", hull_colour = "#D55E00",
                           base_colour = "#777777";

/// Where the application's threshold lies on a curve of error rates.
std::optional<ErrorRates> operating_point(const ComparedClass& target) {
  if (!target.of->application) return std::nullopt;
  return target.of->curve.rates(-target.of->application->log_odds());
}

/// False alarms to the right; misses (DET) or hits (ROC) upwards.
Picture error_rates(const Report& report, Picture picture, bool hits, bool with_style) {
  const LegendEntry hull_entry =
      hits ? line_entry("convex hull", hull_colour, "6 3")
           : LegendEntry{"corners of the convex hull", {hull_colour, "", Marker::diamond}};
  CurveSheet curves(report, std::move(picture),
                    {line_entry("all thresholds", first_colour, ""), hull_entry},
                    {"class", "false alarms", hits ? "hits" : "misses"});
  const Box area = curves.area(430, 430);
  // A DET curve ends where half a row is missed.
  double least = 0.1;
  for (const ComparedClass& target : curves.targets()) {
    double of_targets = 0, of_others = 0;
    for (const RatioCount& count : target.of->curve.counts()) {
      of_targets += count.target;
      of_others += count.other;
    }
    least = std::min({least, 0.5 / of_targets, 0.5 / of_others});
  }
  least = std::max(least, 1e-4);
  const auto scale = [&](double begin, double end) {
    return hits ? Scale::linear(0, 1, begin, end)
                : Scale(Scale::Kind::probit, least, std::min(0.6, 1 - least), begin, end);
  };
  Panel panel(curves.sheet().svg(), area, scale(area.left, area.right()),
              scale(area.bottom(), area.top));
  panel.axes({.x = "false alarms: share of the other rows that are taken for the class",
              .y = hits ? "hits: share of the class's rows that are found"
                        : "misses: share of the class's rows that are not found"});
  panel.begin_marks();
  const auto place = [&](const ErrorRates& rates) -> Point {
    if (hits) return {rates.false_alarm, 1 - rates.miss};
    return {std::clamp(rates.false_alarm, least, 1 - least),
            std::clamp(rates.miss, least, 1 - least)};
  };
  panel.line({place({hits ? 1.0 : least, hits ? 0.0 : least}),
              place({hits ? 0.0 : 1 - least, hits ? 1.0 : 1 - least})},
             {"#777777", "2 3", 1});
  for (const ComparedClass& target : curves.targets()) {
    // Each threshold is a step: first the rows of one ratio are missed, then others are refused.
    std::vector<Point> steps, hull;
    for (const ErrorRates& rates : target.of->curve.steps()) steps.push_back(place(rates));
    for (const ErrorRates& rates : target.of->curve.hull()) hull.push_back(place(rates));
    panel.line(steps, curves.paint(target), target.name);
    if (curves.two() && hits) panel.line(hull, {std::string(hull_colour), "6 3", 1.4});
    if (curves.two() && !hits)
      panel.markers(hull, Marker::diamond, {std::string(hull_colour)}, 2.6);
    for (const ErrorRates& rates : target.of->curve.hull())
      curves.picture().rows.push_back(
          {target.name, per_cent(rates.false_alarm), per_cent(hits ? 1 - rates.miss : rates.miss)});
  }
  for (const ComparedClass& target : curves.targets())
    if (const auto at = operating_point(target))
      panel.markers({place(*at)}, Marker::circle, {curves.two() ? "" : curves.paint(target).colour},
                    5);
  panel.end_marks();
  return curves.finish(area.bottom() + 46,
                       "Large circle: the threshold of the given priors and costs. The table has "
                       "the corners of the convex hull.",
                       with_style);
}

/// Weights of the ratios of a target and of the others in bins; what is outside or infinite has the
/// bins at the ends.
struct Histogram {
  double low, high;
  std::vector<double> target, other;  // shares

  double width() const { return (high - low) / static_cast<double>(target.size()); }
  double edge(std::size_t k) const { return low + width() * static_cast<double>(k); }
};

Histogram histogram_of(const DetectionCurve& curve) {
  // Finite ratios between the quantiles 1 % and 99 %.
  double all = 0;
  for (const RatioCount& count : curve.counts())
    if (std::isfinite(count.ratio)) all += count.target + count.other;
  double low = -1, high = 1, before = 0;
  bool found = false;
  for (const RatioCount& count : curve.counts()) {
    if (!std::isfinite(count.ratio)) continue;
    before += count.target + count.other;
    if (!found && before >= 0.01 * all) low = count.ratio, found = true;
    if (before <= 0.99 * all || !found) high = count.ratio;
  }
  const Domain domain = rounded_domain(std::min(low, -1e-9), std::max(high, 1e-9), 8);
  Histogram result{domain.from, domain.to, std::vector<double>(48), std::vector<double>(48)};
  double targets = 0, others = 0;
  for (const RatioCount& count : curve.counts()) {
    const double at = (count.ratio - result.low) / result.width();
    const auto bin = static_cast<std::size_t>(std::clamp(at, 0.0, 47.0));
    result.target[bin] += count.target;
    result.other[bin] += count.other;
    targets += count.target;
    others += count.other;
  }
  for (double& share : result.target) share /= targets;
  for (double& share : result.other) share /= others;
  return result;
}

}  // namespace
}  // namespace draw

namespace plot {

using namespace draw;

Picture bayes_error(const Report& report, bool with_style) {
  Picture picture{.svg = "",
                  .title = "Bayes error: " + against(report),
                  .description =
                      "The error rate for every prior of the class, at the threshold "
                      "that belongs to the prior. Between the lines lies what "
                      "recalibration could save."};
  CurveSheet curves(report, std::move(picture),
                    {line_entry("at the threshold of the prior", first_colour, ""),
                     line_entry("best threshold", hull_colour, "6 3"),
                     line_entry("without looking at the rows", base_colour, "2 3")},
                    {"class", "prior", "error rate", "best threshold"});
  const Box area = curves.area(540, 300);
  double most = 0;
  constexpr double range = 7;  // log-odds, 0.1 % to 99.9 %
  constexpr int points = 281;
  const auto odds_at = [](int k) { return range * (2.0 * k / (points - 1) - 1); };
  for (const ComparedClass& target : curves.targets())
    for (int k = 0; k < points; ++k) most = std::max(most, target.of->curve.error(odds_at(k)));
  Panel panel(
      curves.sheet().svg(), area, Scale::linear(-range, range, area.left, area.right()),
      Scale::linear(0, std::min(1.0, std::max(1.08 * most, 1e-6)), area.bottom(), area.top));
  std::vector<Tick> ticks;
  for (const double p : {0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999})
    ticks.push_back({log_odds_of(p), short_number(100 * p, 3) + "%"});
  panel.axes({.x = "effective prior of the class: prior and costs of the mistakes together",
              .y = "error rate",
              .x_ticks = ticks});
  panel.begin_marks();
  std::vector<Point> base;
  for (int k = 0; k < points; ++k)
    base.push_back({odds_at(k), std::min(probability_of(odds_at(k)), probability_of(-odds_at(k)))});
  panel.line(base, {std::string(base_colour), "2 3", 1.3});
  for (const ComparedClass& target : curves.targets()) {
    std::vector<Point> actual, least;
    for (int k = 0; k < points; ++k) {
      const double odds = odds_at(k);
      actual.push_back({odds, target.of->curve.error(odds)});
      if (curves.two()) least.push_back({odds, target.of->curve.minimum_error(odds)});
    }
    panel.line(least, {std::string(hull_colour), "6 3", 1.6});
    panel.line(actual, curves.paint(target), target.name);
    for (const Tick& tick : ticks)
      curves.picture().rows.push_back({target.name, tick.label,
                                       per_cent(target.of->curve.error(tick.value)),
                                       per_cent(target.of->curve.minimum_error(tick.value))});
  }
  if (curves.two() && curves.targets()[0].of->application)
    panel.rule_x(curves.targets()[0].of->application->log_odds(), {"", "", 1});
  panel.end_marks();
  return curves.finish(area.bottom() + 46,
                       curves.two() ? "Vertical line: the given priors and costs." : std::string(),
                       with_style);
}

Picture det(const Report& report, bool with_style) {
  return error_rates(report,
                     {.svg = "",
                      .title = "Detection error trade-off: " + against(report),
                      .description = "Each threshold on the log-likelihood ratio trades misses "
                                     "against false alarms. Lower left is better; normal ratios "
                                     "give a straight line."},
                     false, with_style);
}

Picture roc(const Report& report, bool with_style) {
  return error_rates(report,
                     {.svg = "",
                      .title = "ROC curve: " + against(report),
                      .description = "Each threshold on the log-likelihood ratio trades hits "
                                     "against false alarms. Upper left is better; the diagonal is "
                                     "guessing."},
                     true, with_style);
}

Picture reliability(const Report& report, bool with_style) {
  Picture picture{.svg = "",
                  .title = "Reliability: " + against(report),
                  .description =
                      "Among the rows with one posterior, the share that has the class "
                      "(isotonic regression). On the diagonal probabilities can be "
                      "taken at their word."};
  CurveSheet curves(report, std::move(picture), {},
                    {"class", "posterior", "share of rows", "rows"});
  const Box area = curves.area(400, 400);
  Panel panel(curves.sheet().svg(), area, Scale::linear(0, 1, area.left, area.right()),
              Scale::linear(0, 1, area.bottom(), area.top));
  panel.axes({.x = "posterior probability of the class", .y = "share of rows that have the class"});
  panel.begin_marks();
  panel.line({{0, 0}, {1, 1}}, {std::string(base_colour), "2 3", 1.3});
  std::vector<double> rows_in(25);
  for (const ComparedClass& target : curves.targets()) {
    if (!(target.of->prior > 0 && target.of->prior < 1)) continue;
    std::vector<Point> line;
    for (const auto& step : target.of->curve.reliability(target.of->prior)) {
      const double low = std::max(step.low, 0.0), high = std::min(step.high, 1.0);
      if (curves.two()) {
        const Interval interval = binomial_interval(step.share * step.rows, step.rows);
        const double room = std::max(high - low, 0.004);
        panel.bar(low, low + room, interval.low, interval.high,
                  {curves.paint(target).colour, "", 1, 0.16});
      }
      line.push_back({low, step.share});
      line.push_back({high, step.share});
      curves.picture().rows.push_back({target.name,
                                       short_number(low, 3) + " to " + short_number(high, 3),
                                       per_cent(step.share), short_number(step.rows, 6)});
    }
    panel.line(line, curves.paint(target), target.name);
    const double shift = log_odds_of(target.of->prior);
    for (const RatioCount& count : target.of->curve.counts()) {
      const double p = probability_of(count.ratio + shift);
      rows_in[static_cast<std::size_t>(std::min(25 * p, 24.0))] += count.target + count.other;
    }
  }
  panel.end_marks();
  const Box below{area.left, area.bottom() + 62, area.width, 70};
  const double most = std::ranges::max(rows_in);
  Panel rows(curves.sheet().svg(), below, Scale::linear(0, 1, below.left, below.right()),
             Scale::linear(0, most > 0 ? most : 1, below.bottom(), below.top));
  rows.axes({.x = "", .y = "", .title = "rows by posterior"});
  rows.begin_marks();
  for (std::size_t k = 0; k < rows_in.size(); ++k) {
    const double from = static_cast<double>(k) / 25;
    rows.bar(from + 0.002, from + 0.038, 0, rows_in[k], {"#777777", "", 1, 0.7},
             short_number(rows_in[k], 6) + " rows with a posterior from " + short_number(from, 3) +
                 " to " + short_number(from + 0.04, 3));
  }
  rows.end_marks();
  return curves.finish(
      below.bottom() + 34,
      curves.two() ? "Shaded: 95 % intervals (Clopper and Pearson) of the shares." : std::string(),
      with_style);
}

Picture ratios(const Report& report, bool with_style) {
  const std::vector<ComparedClass> all = targets_of(report);
  const bool two = report.labels.size() == 2;
  const std::size_t shown = std::min<std::size_t>(all.size(), 9);
  Picture picture{.svg = "",
                  .title = "Log-likelihood ratios: " + against(report),
                  .description =
                      "How the ratio log p(x | class) − log p(x | others) is "
                      "distributed. The less the two overlap, the better the classes "
                      "are told apart; ratios above 0 speak for the class."};
  picture.columns = {"class", "ratio", "share of the class", "share of the others"};
  const ClassStyle second{"#777777", "6 3", Marker::square};
  std::vector<LegendEntry> legend = {
      {two ? report.labels[0] : "rows of the class", style_of(0), true},
      {two ? report.labels[1] : "rows of the other classes", two ? style_of(1) : second, true}};
  Sheet sheet({picture.title, picture.description, picture.description, std::move(legend)});
  const Index columns = shown == 1 ? 1 : shown == 2 || shown == 4 ? 2 : 3;
  const double gap = 40, left = 56,
               width = (sheet.width() - left - 20 - gap * static_cast<double>(columns - 1)) /
                       static_cast<double>(columns),
               height = columns == 1 ? 240 : 120, step = height + 66;
  double bottom = sheet.top();
  for (std::size_t k = 0; k < shown; ++k) {
    const Histogram bins = histogram_of(all[k].of->curve);
    const auto column = static_cast<double>(static_cast<Index>(k) % columns);
    const Box area{left + column * (width + gap),
                   sheet.top() + 28 + step * static_cast<double>(static_cast<Index>(k) / columns),
                   width, height};
    const double most = std::max(std::ranges::max(bins.target), std::ranges::max(bins.other));
    Panel panel(sheet.svg(), area, Scale::linear(bins.low, bins.high, area.left, area.right()),
                Scale::linear(0, 1.05 * most, area.bottom(), area.top));
    panel.axes({.x = columns == 1 ? "log-likelihood ratio (nats)" : "",
                .y = "",
                .title = two ? "" : all[k].name});
    panel.begin_marks();
    panel.rule_x(0, {"", "", 0.8});
    for (const bool of_target : {false, true}) {
      const std::vector<double>& shares = of_target ? bins.target : bins.other;
      const ClassStyle style = of_target ? style_of(0) : two ? style_of(1) : second;
      std::vector<Point> line;
      for (std::size_t b = 0; b < shares.size(); ++b) {
        line.push_back({bins.edge(b), shares[b]});
        line.push_back({bins.edge(b + 1), shares[b]});
      }
      panel.area_under(line, 0, {std::string(style.colour), "", 1, 0.2});
      panel.line(line, {std::string(style.colour), std::string(style.dash), 1.4});
    }
    panel.end_marks();
    for (std::size_t b = 0; b < bins.target.size(); ++b)
      if (bins.target[b] > 0 || bins.other[b] > 0)
        picture.rows.push_back(
            {all[k].name,
             short_number(bins.edge(b), 3) + " to " + short_number(bins.edge(b + 1), 3),
             per_cent(bins.target[b]), per_cent(bins.other[b])});
    bottom = area.bottom();
  }
  std::string note = "Ratios beyond the axis, infinite ones too, are counted at its ends.";
  if (all.size() > shown)
    note += " The first " + std::to_string(shown) + " of " + std::to_string(all.size()) +
            " classes are shown.";
  picture.svg = sheet.finish(bottom + 44, note, with_style);
  return picture;
}

}  // namespace plot
}  // namespace suffice
