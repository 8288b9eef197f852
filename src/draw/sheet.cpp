#include "draw/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace suffice::draw {
namespace {

constexpr double tick_size = 10.5, name_size = 11, title_size = 15, subtitle_size = 12;
constexpr std::string_view ink = "#1B1E23", faint = "#5C6370", grid = "#E3E5E8";
constexpr std::string_view style_sheet =
    "<style>@media (prefers-color-scheme:dark){.paper{fill:#16181C}text.ink{fill:#E8EAED}"
    "text.faint{fill:#A9B0BA}path.ink,line.ink,rect.ink{stroke:#E8EAED}.grid{stroke:#32363D}"
    "line.faint{stroke:#A9B0BA}}</style>\n";

/// Attributes of lines: those without a colour of their own are ink.
Attributes stroked(const Paint& paint) {
  Attributes result = {{"fill", "none"},
                       {"stroke", paint.colour.empty() ? std::string(ink) : paint.colour},
                       {"stroke-width", paint.width},
                       {"stroke-dasharray", paint.dash},
                       {"class", paint.colour.empty() ? "ink" : ""}};
  if (paint.opacity < 1) result.emplace_back("stroke-opacity", paint.opacity);
  return result;
}

Attributes filled(const Paint& paint) {
  Attributes result = {{"fill", paint.colour.empty() ? std::string(ink) : paint.colour}};
  if (paint.opacity < 1) result.emplace_back("fill-opacity", paint.opacity);
  return result;
}

void append_marker(Path& path, Marker marker, double x, double y, double r) {
  switch (marker) {
    case Marker::circle:
    case Marker::ring:  // an octagon is round at this size
      path.move(x - 0.38 * r, y - 0.92 * r).line_by(0.76 * r, 0).line_by(0.54 * r, 0.54 * r);
      path.line_by(0, 0.76 * r).line_by(-0.54 * r, 0.54 * r).line_by(-0.76 * r, 0);
      path.line_by(-0.54 * r, -0.54 * r).line_by(0, -0.76 * r).close();
      break;
    case Marker::square:
      path.move(x - 0.85 * r, y - 0.85 * r).line_by(1.7 * r, 0).line_by(0, 1.7 * r);
      path.line_by(-1.7 * r, 0).close();
      break;
    case Marker::triangle:
      path.move(x, y - 1.15 * r).line_by(1.1 * r, 1.95 * r).line_by(-2.2 * r, 0).close();
      break;
    case Marker::down:
      path.move(x, y + 1.15 * r).line_by(1.1 * r, -1.95 * r).line_by(-2.2 * r, 0).close();
      break;
    case Marker::diamond:
      path.move(x, y - 1.25 * r).line_by(1.25 * r, 1.25 * r).line_by(-1.25 * r, 1.25 * r);
      path.line_by(-1.25 * r, -1.25 * r).close();
      break;
    case Marker::plus:
      path.move(x - 1.2 * r, y).line_by(2.4 * r, 0).move(x, y - 1.2 * r).line_by(0, 2.4 * r);
      break;
    case Marker::cross:
      path.move(x - r, y - r).line_by(2 * r, 2 * r).move(x - r, y + r).line_by(2 * r, -2 * r);
      break;
  }
}

bool is_outline(Marker marker) {
  return marker == Marker::plus || marker == Marker::cross || marker == Marker::ring;
}

void write_markers(Svg& svg, const Path& path, Marker marker, const Paint& paint) {
  if (path.empty()) return;
  Attributes attributes = is_outline(marker) ? stroked(paint) : filled(paint);
  if (!is_outline(marker)) {  // a thin rim keeps neighbours apart, also on their own colour
    attributes.emplace_back("stroke", "#FFFFFF");
    attributes.emplace_back("stroke-width", 0.5);
  }
  attributes.emplace_back("d", path.text());
  svg.add("path", attributes);
}

Attributes text_at(double x, double y, std::string_view anchor, std::string_view kind,
                   double size) {
  return {{"x", x},
          {"y", y},
          {"class", kind},
          {"fill", kind == "faint" ? faint : ink},
          {"font-size", size},
          {"text-anchor", anchor == "start" ? std::string_view() : anchor}};
}

/// For scripts that read a picture.
std::string domain_of(const Scale& scale) {
  char text[64];
  std::snprintf(text, sizeof text, "%.12g %.12g", scale.from(), scale.to());
  return text;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, double width, double font_size) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    std::string word(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    if (text_width(word, font_size) > width) word = fitted(word, width, font_size);
    std::string& line = lines.back();
    if (!line.empty() && text_width(line + ' ' + word, font_size) > width)
      lines.push_back(std::move(word));
    else
      line += (line.empty() ? "" : " ") + word;
  }
  return lines;
}

void Panel::axes(const Axes& axes) {
  if (!axes.title.empty())
    svg_.add("text", text_at(area_.left, area_.top - 8, "start", "ink", name_size),
             fitted(axes.title, area_.width, name_size), axes.title);
  const auto x_ticks = axes.x_ticks.empty()
                           ? x_.ticks(std::max(static_cast<int>(area_.width / 70), 3))
                           : axes.x_ticks;
  const auto y_ticks = axes.y_ticks.empty()
                           ? y_.ticks(std::max(static_cast<int>(area_.height / 45), 3))
                           : axes.y_ticks;
  double last_right = -1e9;
  for (const Tick& tick : x_ticks) {
    const double at = x_(tick.value);
    if (axes.grid)
      svg_.add("line", {{"x1", at},
                        {"x2", at},
                        {"y1", area_.top},
                        {"y2", area_.bottom()},
                        {"stroke", grid},
                        {"class", "grid"}});
    if (!axes.show_x) continue;
    const double half = text_width(tick.label, tick_size) / 2;
    if (at - half < last_right + 4) continue;  // would touch its neighbour
    last_right = at + half;
    svg_.add("text", text_at(at, area_.bottom() + 15, "middle", "faint", tick_size), tick.label);
  }
  for (const Tick& tick : y_ticks) {
    const double at = y_(tick.value);
    if (axes.grid)
      svg_.add("line", {{"x1", area_.left},
                        {"x2", area_.right()},
                        {"y1", at},
                        {"y2", at},
                        {"stroke", grid},
                        {"class", "grid"}});
    if (axes.show_y)
      svg_.add("text", text_at(area_.left - 6, at + 3.5, "end", "faint", tick_size), tick.label);
  }
  if (!axes.x.empty())
    svg_.add("text", text_at(area_.right(), area_.bottom() + 32, "end", "ink", name_size),
             fitted(axes.x, area_.width - 14, name_size) + " →", axes.x);
  if (!axes.y.empty())
    svg_.add("text", text_at(area_.left - 34, area_.top - 8, "start", "ink", name_size),
             "↑ " + fitted(axes.y, area_.width, name_size), axes.y);
}

void Panel::begin_marks() {
  // A nested svg cuts off what is outside of it and needs no id, of which a page may have two.
  svg_.open("svg", {{"x", area_.left},
                    {"y", area_.top},
                    {"width", area_.width},
                    {"height", area_.height},
                    {"overflow", "hidden"},
                    {"data-x", x_.kind() == Scale::Kind::linear ? domain_of(x_) : ""},
                    {"data-y", y_.kind() == Scale::Kind::linear ? domain_of(y_) : ""},
                    {"viewBox", pixels(area_.left) + " " + pixels(area_.top) + " " +
                                    pixels(area_.width) + " " + pixels(area_.height)}});
}

void Panel::line(const std::vector<Point>& points, const Paint& paint, std::string_view tooltip) {
  std::vector<Point> placed;
  for (const Point& p : points) placed.push_back({x_(p.x), y_(p.y)});
  Path path;
  for (const Point& p : simplified(placed, 0.15))
    path.empty() ? path.move(p.x, p.y) : path.line(p.x, p.y);
  if (path.empty()) return;
  Attributes attributes = stroked(paint);
  attributes.emplace_back("stroke-linejoin", "round");
  attributes.emplace_back("d", path.text());
  tooltip.empty() ? svg_.add("path", attributes) : svg_.add("path", attributes, "", tooltip);
}

void Panel::area_under(const std::vector<Point>& points, double base, const Paint& paint) {
  if (points.empty()) return;
  std::vector<Point> placed;
  for (const Point& p : points) placed.push_back({x_(p.x), y_(p.y)});
  Path path;
  path.move(placed.front().x, y_(base));
  for (const Point& p : simplified(placed, 0.15)) path.line(p.x, p.y);
  path.line(placed.back().x, y_(base)).close();
  Attributes attributes = filled(paint);
  attributes.emplace_back("d", path.text());
  svg_.add("path", attributes);
}

void Panel::rings(const std::vector<std::vector<Point>>& rings, const Paint& paint) {
  Path path;
  for (const std::vector<Point>& ring : rings) {
    std::vector<Point> placed;
    for (const Point& p : ring) placed.push_back({x_(p.x), y_(p.y)});
    bool first = true;
    for (const Point& p : simplified(placed, 0.2)) {
      first ? path.move(p.x, p.y) : path.line(p.x, p.y);
      first = false;
    }
    path.close();
  }
  if (path.empty()) return;
  Attributes attributes = filled(paint);
  attributes.emplace_back("fill-rule", "evenodd");
  attributes.emplace_back("d", path.text());
  svg_.add("path", attributes);
}

void Panel::markers(const std::vector<Point>& points, Marker marker, const Paint& paint,
                    double size) {
  Path path;
  for (const Point& p : points) append_marker(path, marker, x_(p.x), y_(p.y), size);
  write_markers(svg_, path, marker, paint);
}

void Panel::bar(double x0, double x1, double y0, double y1, const Paint& paint,
                std::string_view tooltip) {
  const double left = x_(x0), right = x_(x1), low = y_(y0), high = y_(y1);
  Attributes attributes = filled(paint);
  attributes.emplace_back("x", std::min(left, right));
  attributes.emplace_back("y", std::min(low, high));
  attributes.emplace_back("width", std::abs(right - left));
  attributes.emplace_back("height", std::abs(high - low));
  tooltip.empty() ? svg_.add("rect", attributes) : svg_.add("rect", attributes, "", tooltip);
}

void Panel::rule_x(double x, const Paint& paint) {
  Attributes attributes = stroked(paint);
  const Attributes place = {
      {"x1", x_(x)}, {"x2", x_(x)}, {"y1", area_.top}, {"y2", area_.bottom()}};
  attributes.insert(attributes.end(), place.begin(), place.end());
  svg_.add("line", attributes);
}

void Panel::rule_y(double y, const Paint& paint) {
  Attributes attributes = stroked(paint);
  const Attributes place = {
      {"x1", area_.left}, {"x2", area_.right()}, {"y1", y_(y)}, {"y2", y_(y)}};
  attributes.insert(attributes.end(), place.begin(), place.end());
  svg_.add("line", attributes);
}

void Panel::label(double x, double y, std::string_view text, std::string_view anchor,
                  const Paint& paint, double font_size) {
  Attributes attributes = text_at(x_(x), y_(y), anchor, "ink", font_size);
  if (!paint.colour.empty())
    for (Attribute& attribute : attributes) {
      if (attribute.name == "fill") attribute.value = paint.colour;
      if (attribute.name == "class") attribute.value.clear();
    }
  svg_.add("text", attributes, text);
}

std::vector<LegendEntry> class_legend(const std::vector<std::string>& names, bool line) {
  std::vector<LegendEntry> result;
  for (std::size_t c = 0; c < names.size(); ++c)
    result.push_back({names[c], style_of(static_cast<Index>(c)), line});
  return result;
}

Sheet::Sheet(Words words) : words_(std::move(words)) {
  const double room = words_.width - 32;
  double y = 8;
  for (const std::string& line : wrapped(words_.title, room / 1.1, title_size)) {  // bold is wider
    y += 19;
    Attributes attributes = text_at(16, y, "start", "ink", title_size);
    attributes.emplace_back("font-weight", "600");
    svg_.add("text", attributes, line);
  }
  if (!words_.subtitle.empty())
    for (const std::string& line : wrapped(words_.subtitle, room, subtitle_size)) {
      y += 17;
      svg_.add("text", text_at(16, y, "start", "faint", subtitle_size), line);
    }
  top_ = y + 10;
  write_legend();
}

void Sheet::write_legend() {
  if (words_.legend.empty()) return;
  constexpr std::size_t most = 24;
  const double room = words_.width - 16, longest = 200;
  double x = 16, y = top_ + 13;
  std::size_t shown = 0;
  for (const LegendEntry& entry : words_.legend) {
    if (shown == most && words_.legend.size() > most + 1) break;
    const std::string name = fitted(entry.name, longest, name_size);
    const double sign = entry.line ? 22 : 12, width = sign + 5 + text_width(name, name_size) + 14;
    if (x + width > room && x > 16) {
      x = 16;
      y += 18;
    }
    const Paint paint{std::string(entry.style.colour), std::string(entry.style.dash)};
    Path path;
    if (entry.line) {
      path.move(x, y - 4).line(x + sign, y - 4);
      Attributes attributes = stroked({paint.colour, paint.dash, 2});
      attributes.emplace_back("d", path.text());
      svg_.add("path", attributes);
    } else {
      append_marker(path, entry.style.marker, x + 6, y - 4, 4.2);
      write_markers(svg_, path, entry.style.marker, {paint.colour, "", 1.8});
    }
    svg_.add("text", text_at(x + sign + 5, y, "start", "ink", name_size), name,
             name == entry.name ? std::string_view() : std::string_view(entry.name));
    x += width;
    ++shown;
  }
  if (shown < words_.legend.size()) {
    const std::string rest = "and " + std::to_string(words_.legend.size() - shown) + " more";
    if (x + text_width(rest, name_size) > room) {
      x = 16;
      y += 18;
    }
    svg_.add("text", text_at(x, y, "start", "faint", name_size), rest);
  }
  top_ = y + 10;
}

std::string Sheet::finish(double height, std::string_view footnote, bool with_style) {
  if (!footnote.empty())
    for (const std::string& line : wrapped(footnote, words_.width - 32, tick_size)) {
      svg_.add("text", text_at(16, height + 4, "start", "faint", tick_size), line);
      height += 15;
    }
  height += 8;
  Svg whole;
  const std::string size = pixels(words_.width) + " " + pixels(height);
  whole.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                     {"viewBox", "0 0 " + size},
                     {"width", words_.width},
                     {"height", height},
                     {"role", "img"},
                     {"font-family",
                      "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', "
                      "Helvetica, Arial, sans-serif"}});
  whole.add("title", {}, words_.title);
  whole.add("desc", {}, words_.description.empty() ? words_.subtitle : words_.description);
  if (with_style) whole.append(style_sheet);
  whole.add("rect",
            {{"width", words_.width}, {"height", height}, {"fill", "#FFFFFF"}, {"class", "paper"}});
  whole.append(svg_.text());
  whole.close();
  return whole.text();
}

}  // namespace suffice::draw
