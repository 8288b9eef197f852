// The waterfall of one row: from what no column says, bar by bar, to the ratio of the classes.

#include <algorithm>
#include <cmath>

#include "draw/sheet.hpp"
#include "draw/view.hpp"
#include "suffice/core/error.hpp"
#include "suffice/draw/plot.hpp"

namespace suffice::plot {

using namespace draw;

Picture evidence(const Waterfall& of, bool with_style) {
  if (of.bars.empty()) throw InvalidArgument("there is no evidence to draw");
  constexpr double height = 24, gap = 6, right = 70;
  Picture picture;
  picture.title = of.title;
  picture.description =
      "Each bar begins where the one above it ends. Bars to the right speak for " + of.of +
      ", bars to the left for " + of.against + "; they end at the ratio.";
  picture.columns = {"column", "evidence", "sum"};
  Sheet sheet({of.title,
               "evidence for " + of.of + " against " + of.against + ", in " + of.unit,
               picture.description,
               {}});
  // What is infinite is drawn to the edge.
  double low = 0, high = 0, sum = 0;
  for (const Waterfall::Bar& bar : of.bars) {
    if (std::isfinite(bar.value)) sum += bar.value;
    low = std::min(low, sum);
    high = std::max(high, sum);
  }
  const double room = std::max(high - low, 1e-9) * 0.04;
  low -= room;
  high += room;
  double side = 60;
  for (const Waterfall::Bar& bar : of.bars) side = std::max(side, text_width(bar.name, 11) + 14);
  side = std::min(side, sheet.width() * 0.45);
  const Box area{side, sheet.top() + 8, sheet.width() - side - right,
                 static_cast<double>(of.bars.size() + 1) * (height + gap)};
  const auto x = [&](double value) {
    return area.left + area.width * (std::clamp(value, low, high) - low) / (high - low);
  };
  Svg& svg = sheet.svg();
  svg.add("line", {{"x1", x(0)},
                   {"x2", x(0)},
                   {"y1", area.top},
                   {"y2", area.bottom()},
                   {"class", "grid"},
                   {"stroke", "#C9CED6"}});
  const auto draw_bar = [&](std::size_t k, const std::string& name, double from, double to,
                            double value, bool is_sum) {
    const double y = area.top + static_cast<double>(k) * (height + gap);
    const double left = std::min(x(from), x(to)), width = std::max(std::abs(x(to) - x(from)), 1.0);
    const std::string number = (value < 0 ? "" : "+") + short_number(value, 3);
    svg.add("text",
            {{"x", side - 8},
             {"y", y + height / 2 + 4},
             {"text-anchor", "end"},
             {"font-size", 11.0},
             {"font-weight", is_sum ? "600" : "400"},
             {"class", "ink"},
             {"fill", "#1B1E23"}},
            fitted(name, side - 12, 11), name);
    svg.add("rect",
            {{"x", left},
             {"y", y},
             {"width", width},
             {"height", height},
             {"fill", is_sum      ? "#777777"
                      : value < 0 ? "#0072B2"
                                  : "#D55E00"}},
            "", name + ": " + number);
    svg.add("text",
            {{"x", left + width + 5},
             {"y", y + height / 2 + 4},
             {"font-size", 11.0},
             {"class", "ink"},
             {"fill", "#1B1E23"}},
            number);
  };
  sum = 0;
  double ratio = 0;
  for (std::size_t k = 0; k < of.bars.size(); ++k) {
    const Waterfall::Bar& bar = of.bars[k];
    ratio += bar.value;
    const double next = std::isfinite(bar.value) ? sum + bar.value : bar.value;
    draw_bar(k, bar.name, sum, next, bar.value, false);
    if (std::isfinite(bar.value)) sum = next;
    picture.rows.push_back({bar.name, short_number(bar.value, 4), short_number(ratio, 4)});
  }
  draw_bar(of.bars.size(), "together", 0, ratio, ratio, true);
  picture.svg = sheet.finish(area.bottom() + 12, "", with_style);
  return picture;
}

}  // namespace suffice::plot
