#pragma once
// A picture: title, legend, one or more panels with axes, a footnote. Pictures are plain SVG with
// presentation attributes, so that they show where scripts and styles are blocked; a style sheet
// may recolour what has a class (ink, faint, grid, paper) for dark screens.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "draw/contour.hpp"
#include "draw/palette.hpp"
#include "draw/scale.hpp"
#include "draw/svg.hpp"

namespace suffice::draw {

struct Box {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// How a mark looks.
struct Paint {
  std::string colour = "";  ///< empty: ink
  std::string dash = "";
  double width = 1.5;
  double opacity = 1;
};

/// What the axes of a panel say.
struct Axes {
  std::string x, y;  ///< names; empty: none
  std::string title = "";
  std::vector<Tick> x_ticks = {}, y_ticks = {};  ///< empty: round values
  bool show_x = true, show_y = true;
  bool grid = true;
};

/// A plotting area with two scales. Marks outside of it are cut off.
class Panel {
 public:
  Panel(Svg& svg, const Box& area, const Scale& x, const Scale& y)
      : svg_(svg), area_(area), x_(x), y_(y) {}

  const Box& area() const { return area_; }
  double x(double value) const { return x_(value); }
  double y(double value) const { return y_(value); }
  const Scale& x_scale() const { return x_; }
  const Scale& y_scale() const { return y_; }

  void axes(const Axes& axes);
  /// Marks between the two are cut off at the panel's edge.
  void begin_marks();
  void end_marks() { svg_.close(); }

  void line(const std::vector<Point>& points, const Paint& paint, std::string_view tooltip = {});
  /// From the line down to a value of y.
  void area_under(const std::vector<Point>& points, double base, const Paint& paint);
  /// Filled by the even-odd rule.
  void rings(const std::vector<std::vector<Point>>& rings, const Paint& paint);
  void markers(const std::vector<Point>& points, Marker marker, const Paint& paint,
               double size = 2.6);
  void bar(double x0, double x1, double y0, double y1, const Paint& paint,
           std::string_view tooltip = {});
  void rule_x(double x, const Paint& paint);  ///< a vertical line
  void rule_y(double y, const Paint& paint);
  void label(double x, double y, std::string_view text, std::string_view anchor = "middle",
             const Paint& paint = {}, double font_size = 11);

 private:
  Svg& svg_;
  Box area_;
  Scale x_, y_;
};

struct LegendEntry {
  std::string name;
  ClassStyle style;
  bool line = false;  ///< a line with its dash, instead of a marker
};
/// One entry per name, in the style of its class.
std::vector<LegendEntry> class_legend(const std::vector<std::string>& names, bool line = false);

class Sheet {
 public:
  struct Words {
    std::string title;
    std::string subtitle = "";
    std::string description = "";  ///< for readers who do not see it
    std::vector<LegendEntry> legend = {};
    double width = 640;
  };
  explicit Sheet(Words words);

  double width() const { return words_.width; }
  /// Below title and legend.
  double top() const { return top_; }
  Svg& svg() { return svg_; }

  /// The whole picture, `height` without the footnote high; `with_style` for a file of its own,
  /// which follows the reader's dark or light screen.
  std::string finish(double height, std::string_view footnote = {}, bool with_style = true);

 private:
  void write_legend();
  Words words_;
  double top_ = 0;
  Svg svg_;
};

/// Text in lines that are at most this wide.
std::vector<std::string> wrapped(std::string_view text, double width, double font_size);

}  // namespace suffice::draw
