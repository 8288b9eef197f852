// Posteriors, decision regions and ellipses, over one feature or in a plane.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "draw/grid_scores.hpp"
#include "draw/sheet.hpp"
#include "suffice/core/error.hpp"
#include "suffice/draw/plot.hpp"

namespace suffice {
namespace draw {
namespace {

constexpr Index grid_points = 181, curve_points = 401;

std::vector<std::string> label_names(const Model& model) {
  return {model.labels().begin(), model.labels().end()};
}

std::string joined(std::string first, std::string_view second) {
  if (!first.empty() && !second.empty()) first += ' ';
  return first += second;
}

/// A view with its points and a panel to draw in.
struct Canvas {
  const Model& model;
  View view;
  Points points;
  Domain x, y;
  std::string footnote;

  Canvas(const Model& whole, const plot::Options& options, const RowBlock* rows, bool needs_plane)
      : model(whole), view(view_of(whole, options, needs_plane, rows != nullptr)) {
    if (rows) points = view.points(whole, *rows);
    x = view.domain(0, points);
    if (view.axes() > 1) y = view.domain(1, points);
    footnote = joined(decision_note(whole, options), view.note);
  }
  Index classes() const { return model.labels().size(); }
  std::string over() const { return view.words(); }
  /// Those of a panel below the header of the sheet.
  Box plane_area(const Sheet& sheet) const {
    return {64, sheet.top() + 26, sheet.width() - 88, 420};
  }
  Panel plane_panel(Sheet& sheet) const {
    const Box area = plane_area(sheet);
    return {sheet.svg(), area, Scale::linear(x.from, x.to, area.left, area.right()),
            Scale::linear(y.from, y.to, area.bottom(), area.top)};
  }
  void draw_points(Panel& panel) const {
    std::size_t count = 0;
    for (const auto& of : points.of_class) count += of.size();
    const double size = count > 1500 ? 1.7 : count > 400 ? 2.1 : 2.8;
    for (Index c = 0; c < std::ssize(points.of_class); ++c) {
      const ClassStyle style = style_of(c);
      panel.markers(points.of_class[c], style.marker, {std::string(style.colour), "", 1.1, 0.75},
                    size);
    }
  }
  /// Names of the classes where colours return, as far as they have room.
  void name_regions(Panel& panel, const GridScores& scores) const {
    if (classes() <= colour_count) return;
    const Box& area = panel.area();
    std::vector<Box> taken;
    for (Index c = 0; c < classes(); ++c) {
      const std::string name = fitted(model.labels()[c], 90, 11);
      const double width = text_width(name, 11) + 4, height = 14;
      const Matrix margin = scores.margin(c);
      Box best{};
      Point at{};
      double most = -1;
      for (Index k = 0; k < margin.size(); ++k) {
        if (!(margin.data()[k] >= 0)) continue;
        const Point place{scores.x(static_cast<double>(k % margin.cols())),
                          scores.y(static_cast<double>(k / margin.cols()))};
        const Box box{panel.x(place.x) - width / 2, panel.y(place.y) - height + 3, width, height};
        const double inside = std::min({box.left - area.left, area.right() - box.right(),
                                        box.top - area.top, area.bottom() - box.bottom()});
        const double value = std::min(margin.data()[k], 10.0) + 0.1 * std::min(inside, 60.0);
        if (inside < 0 || !(value > most)) continue;
        most = value;
        best = box;
        at = place;
      }
      const bool overlaps = std::ranges::any_of(taken, [&](const Box& other) {
        return best.left < other.right() && other.left < best.right() &&
               best.top < other.bottom() && other.top < best.bottom();
      });
      if (most < 0 || overlaps) continue;
      panel.label(at.x, at.y, name);
      taken.push_back(best);
    }
  }
};

std::vector<std::vector<Point>> placed(const std::vector<std::vector<Point>>& rings,
                                       const GridScores& scores) {
  std::vector<std::vector<Point>> result;
  for (const auto& ring : rings) {
    auto& to = result.emplace_back();
    for (const Point& p : ring) to.push_back({scores.x(p.x), scores.y(p.y)});
  }
  return result;
}

std::vector<Point> curve(const GridScores& scores, const Matrix& values, double factor = 1) {
  std::vector<Point> result;
  for (Index j = 0; j < scores.across(); ++j)
    result.push_back({scores.x(static_cast<double>(j)), factor * values(0, j)});
  return result;
}

/// Stretches of one axis on which one class is decided.
struct Stretch {
  Index c;
  double from, to;
};
std::vector<Stretch> stretches(const GridScores& scores) {
  std::vector<Stretch> result;
  for (Index j = 0; j < scores.across(); ++j) {
    const Index c = scores.decided(0, j);
    const double x = scores.x(static_cast<double>(j));
    if (result.empty()) {
      result.push_back({c, x, x});
    } else if (result.back().c != c) {
      // Where the two margins meet, by interpolation.
      const double before = scores.margin(c)(0, j - 1), after = scores.margin(c)(0, j);
      const double share = after == before ? 0.5 : std::clamp(-before / (after - before), 0.0, 1.0);
      const double border = scores.x(static_cast<double>(j - 1) + share);
      result.back().to = border;
      result.push_back({c, border, x});
    } else {
      result.back().to = x;
    }
  }
  return result;
}

void draw_stretches(Panel& panel, const std::vector<Stretch>& parts, double low, double high) {
  for (const Stretch& part : parts)
    panel.bar(part.from, part.to, low, high, {std::string(style_of(part.c).colour), "", 1, 0.18});
}

/// Rows of a table: where each class is decided.
void add_stretches(Picture& picture, const Canvas& canvas, const std::vector<Stretch>& parts) {
  picture.columns = {"class", "from", "to"};
  for (const Stretch& part : parts)
    picture.rows.push_back(
        {canvas.model.labels()[part.c], short_number(part.from), short_number(part.to)});
}

/// The share of the plane in which each class is decided.
void add_shares(Picture& picture, const Canvas& canvas, const GridScores& scores) {
  picture.columns = {"class", "share of the plane"};
  std::vector<double> share(static_cast<std::size_t>(canvas.classes()));
  for (Index i = 0; i < scores.down(); ++i)
    for (Index j = 0; j < scores.across(); ++j)
      share[scores.decided(i, j)] += 1.0 / static_cast<double>(scores.across() * scores.down());
  for (Index c = 0; c < canvas.classes(); ++c)
    picture.rows.push_back({canvas.model.labels()[c], short_number(100 * share[c], 3) + " %"});
}

Picture one_axis(const Canvas& canvas, const plot::Options& options, bool posterior) {
  const GridScores scores(canvas.view, options, canvas.x, {}, curve_points, 1);
  Picture picture;
  picture.title = (posterior ? "Posterior probabilities over " : "Decisions over ") + canvas.over();
  picture.description =
      posterior
          ? "Each line is the probability of a class given the value; the coloured bands show "
            "which class is decided."
          : "Each curve is the density of a class times its prior; the coloured bands show "
            "which class is decided.";
  Sheet sheet({picture.title, picture.description, picture.description,
               class_legend(label_names(canvas.model), true)});
  const Priors priors = priors_of(canvas.model, options);
  double most = posterior ? 1 : 0;
  std::vector<std::vector<Point>> lines;
  for (Index c = 0; c < canvas.classes(); ++c) {
    Matrix values = posterior ? scores.posterior(c) : scores.log_likelihood(c);
    for (Index k = 0; k < values.size() && !posterior; ++k) {
      values.data()[k] = priors[c] * std::exp(values.data()[k]);
      if (!std::isfinite(values.data()[k])) values.data()[k] = 0;
      most = std::max(most, values.data()[k]);
    }
    lines.push_back(curve(scores, values));
  }
  const Box area{64, sheet.top() + 26, sheet.width() - 88, 260};
  const double high = posterior ? 1 : 1.06 * most;
  Panel panel(sheet.svg(), area, Scale::linear(canvas.x.from, canvas.x.to, area.left, area.right()),
              Scale::linear(0, high > 0 ? high : 1, area.bottom(), area.top));
  panel.axes({canvas.view.names[0], posterior ? "P(class | x)" : "prior · p(x | class)"});
  panel.begin_marks();
  const auto parts = stretches(scores);
  draw_stretches(panel, parts, 0, high);
  for (Index c = 0; c < canvas.classes(); ++c) {
    const ClassStyle style = style_of(c);
    panel.line(lines[c], {std::string(style.colour), std::string(style.dash), 2},
               canvas.model.labels()[c]);
    // Rows as ticks along the lower edge.
    if (c < std::ssize(canvas.points.of_class)) {
      std::vector<Point> at;
      for (const Point& p : canvas.points.of_class[c]) at.push_back({p.x, 0.012 * high});
      panel.markers(at, Marker::plus, {std::string(style.colour), "", 1, 0.5}, 2.5);
    }
  }
  panel.end_marks();
  add_stretches(picture, canvas, parts);
  picture.svg = sheet.finish(area.bottom() + 44, canvas.footnote, options.with_style);
  return picture;
}

/// Fills where a grid of values reaches a level.
using Shade = std::function<void(const Matrix& values, double level, double opacity)>;

/// A plane in which `shade_class` colours what belongs to each class, with the rows on top.
Picture shaded_plane(
    const Canvas& canvas, const plot::Options& options, const std::string& what,
    std::string description,
    const std::function<void(const GridScores&, Index, const Shade&)>& shade_class) {
  const GridScores scores(canvas.view, options, canvas.x, canvas.y, grid_points, grid_points);
  Picture picture;
  picture.title = what + canvas.over();
  picture.description = std::move(description);
  Sheet sheet({picture.title, picture.description, picture.description,
               class_legend(label_names(canvas.model))});
  Panel panel = canvas.plane_panel(sheet);
  panel.axes({canvas.view.names[0], canvas.view.names[1]});
  panel.begin_marks();
  for (Index c = 0; c < canvas.classes(); ++c)
    shade_class(scores, c, [&](const Matrix& values, double level, double opacity) {
      panel.rings(placed(filled_contour(values, level), scores),
                  {std::string(style_of(c).colour), "", 1, opacity});
    });
  canvas.draw_points(panel);
  canvas.name_regions(panel, scores);
  panel.end_marks();
  add_shares(picture, canvas, scores);
  picture.svg = sheet.finish(panel.area().bottom() + 44, canvas.footnote, options.with_style);
  return picture;
}

}  // namespace
}  // namespace draw

namespace plot {

using namespace draw;

Picture regions(const Model& model, const Options& options, const RowBlock* rows) {
  const Canvas canvas(model, options, rows, false);
  if (canvas.view.axes() == 1) return one_axis(canvas, options, false);
  return shaded_plane(
      canvas, options, "Decision regions over ",
      rows
          ? "The colour of the plane is the class that is decided there; points are rows, coloured "
            "by their true class."
          : "The colour of the plane is the class that is decided there.",
      [](const GridScores& scores, Index c, const Shade& shade) {
        shade(scores.margin(c), 0, 0.22);
      });
}

Picture posteriors(const Model& model, const Options& options, const RowBlock* rows) {
  const Canvas canvas(model, options, rows, false);
  if (canvas.view.axes() == 1) return one_axis(canvas, options, true);
  return shaded_plane(
      canvas, options, "Posterior probabilities over ",
      "The darker the colour, the more probable the class: its probability is above 50, 75, 90 and "
      "99 %. White is where no class reaches 50 %.",
      [](const GridScores& scores, Index c, const Shade& shade) {
        for (const double level : {0.5, 0.75, 0.9, 0.99}) shade(scores.posterior(c), level, 0.14);
      });
}

Picture ellipses(const Model& model, const Options& options, const RowBlock* rows) {
  require_densities(model, "a picture of where the classes lie");
  const Canvas canvas(model, options, rows, true);
  Picture picture;
  picture.title = "Classes over " + canvas.over();
  picture.description = std::string("The inner ellipse of a ") +
                        (model.mixture() ? "component" : "class") +
                        " holds 50 % of its probability, the outer one 95 %; the mark is its mean.";
  picture.columns = {model.mixture() ? "component" : "class", "mean " + canvas.view.names[0],
                     "mean " + canvas.view.names[1],          "deviation " + canvas.view.names[0],
                     "deviation " + canvas.view.names[1],     "correlation"};
  const auto* density = std::get_if<GaussianDensity>(&canvas.view.model.densities()[0]);
  if (!density || density->mean.cols() != 2)
    throw InvalidArgument("ellipses need two numeric features of one Gaussian block",
                          "name two such features");
  const Schema& schema = canvas.view.model.schema();
  for (Index j = 0; j < 2; ++j)
    if (schema.feature(j).transform != Transform::none)
      throw InvalidArgument({.features = {schema.feature(j).name}},
                            "a transformed feature has no ellipses in its own units",
                            "draw the regions or the densities, or fit the features as they are");
  Sheet sheet(
      {picture.title, picture.description, picture.description, class_legend(label_names(model))});
  Panel panel = canvas.plane_panel(sheet);
  panel.axes({canvas.view.names[0], canvas.view.names[1]});
  panel.begin_marks();
  canvas.draw_points(panel);
  const Model& components = model.components();
  for (Index c = 0; c < components.labels().size(); ++c) {
    if (!(components.weights()[c] > 0)) continue;
    const Matrix covariance = covariance_of(*density, c);
    const double a = std::sqrt(covariance(0, 0)), b = a > 0 ? covariance(0, 1) / a : 0,
                 rest = std::sqrt(std::max(covariance(1, 1) - b * b, 0.0));
    const ClassStyle style =
        style_of(model.mixture() ? model.mixture()->label[static_cast<std::size_t>(c)] : c);
    const double dof = density->dof.empty() ? 0 : density->dof(c, 0);
    for (const double share : {0.5, 0.95}) {
      // The squared radius that holds the share: −2 log(1 − share) of a normal density; of a t with
      // ν degrees of freedom ν ((1 − share)^(−2/ν) − 1) times its scale matrix.
      const double squared =
          dof > 2 ? (dof - 2) * (std::pow(1 - share, -2 / dof) - 1) : -2 * std::log(1 - share);
      const double radius = std::sqrt(squared);
      std::vector<Point> ring;
      for (int k = 0; k <= 90; ++k) {
        const double angle = 2 * std::numbers::pi * k / 90, u = radius * std::cos(angle),
                     v = radius * std::sin(angle);
        ring.push_back({density->mean(c, 0) + a * u, density->mean(c, 1) + b * u + rest * v});
      }
      panel.line(ring, {std::string(style.colour), std::string(style.dash), 1.8},
                 components.labels()[c] + ", " + short_number(100 * share) + " %");
    }
    panel.markers({{density->mean(c, 0), density->mean(c, 1)}}, Marker::cross, {"", "", 2}, 4);
    picture.rows.push_back({components.labels()[c], short_number(density->mean(c, 0)),
                            short_number(density->mean(c, 1)), short_number(a),
                            short_number(std::sqrt(covariance(1, 1))),
                            short_number(covariance(0, 1) / (a * std::sqrt(covariance(1, 1))), 3)});
  }
  panel.end_marks();
  picture.svg = sheet.finish(panel.area().bottom() + 44, canvas.footnote, options.with_style);
  return picture;
}

}  // namespace plot
}  // namespace suffice
