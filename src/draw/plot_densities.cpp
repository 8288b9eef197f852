// p(x | class) of single features, one small panel each.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/grid_scores.hpp"
#include "draw/sheet.hpp"
#include "models/feature_family.hpp"
#include "suffice/core/error.hpp"
#include "suffice/data/positions.hpp"
#include "suffice/draw/plot.hpp"
#include "suffice/inspect/separation.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace draw {
namespace {

constexpr Index most_panels = 12, most_bars = 12;

/// Probabilities of named values, per class.
struct Bars {
  std::vector<std::string> names;
  Matrix probability;  // K × names
};

/// The block of a feature, and its place there.
struct Place {
  std::size_t block;
  Index position;
};
Place place_of(const Schema& schema, Index feature) {
  for (std::size_t b = 0; b < schema.blocks().size(); ++b) {
    const auto& features = schema.blocks()[b].features;
    if (const auto found = std::ranges::find(features, feature); found != features.end())
      return {b, found - features.begin()};
  }
  return {0, 0};
}

/// P(level | class): the most probable ones where there are many.
Bars level_bars(const CategoricalDensity& density, Index position) {
  const Names& levels = density.levels[position];
  const Matrix& all = density.probability[position];
  std::vector<Index> order(static_cast<std::size_t>(levels.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto largest = [&](Index level) {
    double most = 0;
    for (Index c = 0; c < all.rows(); ++c) most = std::max(most, all(c, level));
    return most;
  };
  if (levels.size() > most_bars) {
    std::ranges::stable_sort(order, std::greater(), largest);
    order.resize(most_bars);
  }
  Bars result{{}, Matrix(all.rows(), std::ssize(order))};
  for (std::size_t k = 0; k < order.size(); ++k) {
    result.names.push_back(levels[order[k]]);
    for (Index c = 0; c < all.rows(); ++c)
      result.probability(c, static_cast<Index>(k)) = all(c, order[k]);
  }
  return result;
}

/// P(0 | class) and P(1 | class).
Bars binary_bars(const BernoulliDensity& density, Index position) {
  Bars result{{"0", "1"}, Matrix(density.probability.rows(), 2)};
  for (Index c = 0; c < result.probability.rows(); ++c) {
    result.probability(c, 1) = density.probability(c, position);
    result.probability(c, 0) = 1 - density.probability(c, position);
  }
  return result;
}

/// The share of a word among all words of a class.
Bars word_bars(const MultinomialDensity& density, Index position, const std::string& name) {
  Bars result{{name}, Matrix(density.probability.rows(), 1)};
  for (Index c = 0; c < result.probability.rows(); ++c)
    result.probability(c, 0) = density.probability(c, position);
  return result;
}

/// The words that tell the classes apart best.
Bars telling_bars(const TextDensity& density, Index position) {
  const Matrix& all = density.probability[position];
  std::vector<double> apart(static_cast<std::size_t>(all.cols()));
  for (Index i = 0; i < all.cols(); ++i)
    for (Index a = 0; a < all.rows(); ++a)
      for (Index b = a + 1; b < all.rows(); ++b)
        if (const double p = all(a, i), q = all(b, i); p > 0 && q > 0)
          apart[static_cast<std::size_t>(i)] += divergence_term(p, q);
  std::vector<Index> order(apart.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](Index i) { return apart[static_cast<std::size_t>(i)]; });
  order.resize(std::min<std::size_t>(order.size(), most_bars));
  Bars result{{}, Matrix(all.rows(), std::ssize(order))};
  for (std::size_t k = 0; k < order.size(); ++k) {
    result.names.emplace_back(density.words[position][order[k]]);
    for (Index c = 0; c < all.rows(); ++c)
      result.probability(c, static_cast<Index>(k)) = all(c, order[k]);
  }
  return result;
}

/// P(count | class) for 0, 1, … as far as it matters.
Bars count_bars(const Model& one) {
  double most = 1;
  for (const double rate : std::get<PoissonDensity>(one.densities()[0]).rate.row(0)) most = rate;
  const Matrix& rates = std::get<PoissonDensity>(one.densities()[0]).rate;
  for (Index c = 0; c < rates.rows(); ++c) most = std::max(most, rates(c, 0));
  const auto count = std::min<Index>(static_cast<Index>(most + 4 * std::sqrt(most) + 2), 60);
  Matrix values(count, 1);
  for (Index k = 0; k < count; ++k) values(k, 0) = static_cast<double>(k);
  const LogLikelihoods scores = log_likelihood(one, values);
  Bars result{{}, Matrix(rates.rows(), count)};
  for (Index k = 0; k < count; ++k) {
    result.names.push_back(std::to_string(k));
    for (Index c = 0; c < rates.rows(); ++c)
      result.probability(c, k) = std::exp(scores.values(k, c));
  }
  return result;
}

/// From bars of components to those of their classes.
Bars of_classes(Bars bars, const Model& model) {
  if (!model.mixture()) return bars;
  const Vector shares = model.mixture()->shares();
  Matrix mixed(model.labels().size(), bars.probability.cols());
  for (Index g = 0; g < shares.size(); ++g)
    for (Index k = 0; k < mixed.cols(); ++k)
      mixed(model.mixture()->label[static_cast<std::size_t>(g)], k) +=
          shares[g] * bars.probability(g, k);
  bars.probability = std::move(mixed);
  return bars;
}

class Densities {
 public:
  Densities(const Model& model, const plot::Options& options, const RowBlock* rows)
      : model_(model), options_(options), rows_(rows), classes_(model.labels().size()) {}

  Picture draw() {
    require_few_classes(model_);
    const std::vector<Index> features = chosen();
    picture_.title = features.size() == 1
                         ? "Density of " + model_.schema().feature(features[0]).name + " per class"
                         : "Densities per class";
    picture_.description = std::string("p(x | class) of each feature") +
                           (rows_ ? "; the steps are histograms of the rows" : "") +
                           (options_.features.empty() && left_out_ > 0
                                ? "; the features that separate the classes best come first"
                                : "") +
                           ".";
    picture_.columns = {"feature", "class", "value", "probability"};
    Sheet sheet({picture_.title, picture_.description, picture_.description,
                 class_legend({model_.labels().begin(), model_.labels().end()}, true)});
    const Index columns = features.size() == 1                           ? 1
                          : features.size() == 2 || features.size() == 4 ? 2
                                                                         : 3;
    const double gap = 46, left = 56,
                 width = (sheet.width() - left - 16 - gap * static_cast<double>(columns - 1)) /
                         static_cast<double>(columns),
                 height = columns == 1   ? 260
                          : columns == 2 ? 170
                                         : 120,
                 step = height + 62;
    double bottom = sheet.top();
    for (std::size_t k = 0; k < features.size(); ++k) {
      const auto column = static_cast<double>(static_cast<Index>(k) % columns);
      const Box area{left + column * (width + gap),
                     sheet.top() + 26 + step * static_cast<double>(static_cast<Index>(k) / columns),
                     width, height};
      draw_feature(sheet.svg(), area, features[k]);
      bottom = area.bottom();
    }
    const std::string note =
        left_out_ > 0 ? "The other " + std::to_string(left_out_) + " features are not shown." : "";
    picture_.svg = sheet.finish(bottom + 40, note, options_.with_style);
    return std::move(picture_);
  }

 private:
  std::vector<Index> chosen() {
    if (!options_.features.empty()) return options_.features;
    const Vector apart = separation(model_);
    std::vector<Index> order;
    for (Index j = 0; j < apart.size(); ++j)
      if (!std::isnan(apart[j])) order.push_back(j);
    if (order.empty())
      throw InvalidArgument("the model knows only projections of its features",
                            "draw the regions or the ellipses, which show a plane");
    std::ranges::stable_sort(order, [&](Index a, Index b) { return apart[a] > apart[b]; });
    const Index kept = std::min<Index>(std::ssize(order), classes_ > 10 ? 6 : most_panels);
    left_out_ = std::ssize(order) - kept;
    order.resize(static_cast<std::size_t>(kept));
    return order;
  }

  void draw_feature(Svg& svg, const Box& area, Index feature) {
    const Feature& of = model_.schema().feature(feature);
    const Place place = place_of(model_.schema(), feature);
    const Density& density = model_.densities()[place.block];
    const auto bars = [&](Bars by_row) {
      draw_bars(svg, area, feature, of_classes(std::move(by_row), model_));
    };
    switch (of.family) {
      case Family::gaussian:
      case Family::exponential:
        return draw_curves(svg, area, feature);
      case Family::poisson:
        return bars(count_bars(one_feature(feature)));
      case Family::bernoulli:
        return bars(binary_bars(std::get<BernoulliDensity>(density), place.position));
      case Family::categorical:
        return bars(level_bars(std::get<CategoricalDensity>(density), place.position));
      case Family::multinomial:
        return bars(word_bars(std::get<MultinomialDensity>(density), place.position, of.name));
      case Family::text:
        return bars(telling_bars(std::get<TextDensity>(density), place.position));
    }
  }

  Model one_feature(Index feature) const {
    const Place place = place_of(model_.schema(), feature);
    const auto& counts = std::get<PoissonDensity>(model_.densities()[place.block]);
    const Model& components = model_.components();
    const Index count = components.labels().size();
    PoissonDensity one{Matrix(count, 1), Matrix(counts.shape.empty() ? 0 : count, 1)};
    for (Index c = 0; c < count; ++c) {
      one.rate(c, 0) = counts.rate(c, place.position);
      if (!counts.shape.empty()) one.shape(c, 0) = counts.shape(c, place.position);
    }
    return Model({.schema = Schema({{"count", Family::poisson}}),
                  .labels = components.labels(),
                  .weights = components.weights(),
                  .densities = {one}});
  }

  void draw_curves(Svg& svg, const Box& area, Index feature) {
    const View view = feature_view(model_, {feature});
    Points points;
    if (rows_) points = view.points(model_, *rows_);
    const Domain domain = view.domain(0, points);
    const GridScores scores(view, options_, domain, {}, 241, 1);
    std::vector<std::vector<Point>> lines, steps;
    double most = 0;
    for (Index c = 0; c < classes_; ++c) {
      const Matrix values = scores.log_likelihood(c);
      auto& line = lines.emplace_back();
      for (Index j = 0; j < scores.across(); ++j) {
        const double p = std::exp(values(0, j));
        line.push_back({scores.x(static_cast<double>(j)), std::isfinite(p) ? p : 0});
        most = std::max(most, line.back().y);
      }
      // Many histograms on top of each other say nothing.
      steps.push_back(classes_ <= 10 ? histogram(points, c, domain) : std::vector<Point>());
      for (const Point& p : steps.back()) most = std::max(most, std::min(p.y, 1.6 * most));
    }
    Panel panel(svg, area, Scale::linear(domain.from, domain.to, area.left, area.right()),
                Scale::linear(0, most > 0 ? 1.05 * most : 1, area.bottom(), area.top));
    panel.axes({.x = "", .y = "", .title = model_.schema().feature(feature).name});
    panel.begin_marks();
    for (Index c = 0; c < classes_; ++c) {
      const ClassStyle style = style_of(c);
      const std::string colour(style.colour);
      panel.area_under(steps[c], 0, {colour, "", 1, 0.16});
      if (steps[c].empty() && classes_ <= 10) panel.area_under(lines[c], 0, {colour, "", 1, 0.1});
      panel.line(lines[c], {colour, std::string(style.dash), 1.8}, model_.labels()[c]);
    }
    panel.end_marks();
    for (Index c = 0; c < classes_; ++c) {
      const auto peak = std::ranges::max_element(lines[c], {}, &Point::y);
      picture_.rows.push_back({model_.schema().feature(feature).name, model_.labels()[c],
                               short_number(peak->x) + " (most likely)", short_number(peak->y)});
    }
  }

  /// Density of the rows of a class in bins, as steps.
  std::vector<Point> histogram(const Points& points, Index c, const Domain& domain) const {
    if (c >= std::ssize(points.of_class) || points.of_class[c].size() < 5) return {};
    const auto& of = points.of_class[c];
    const auto bins = static_cast<std::size_t>(
        std::clamp(2 * std::cbrt(static_cast<double>(of.size())), 8.0, 40.0));
    std::vector<double> count(bins);
    const double width = (domain.to - domain.from) / static_cast<double>(bins);
    for (const Point& p : of) {
      const double at = (p.x - domain.from) / width;
      if (at >= 0 && at < static_cast<double>(bins)) ++count[static_cast<std::size_t>(at)];
    }
    std::vector<Point> result;
    for (std::size_t k = 0; k < bins; ++k) {
      const double from = domain.from + width * static_cast<double>(k),
                   density = count[k] / (static_cast<double>(of.size()) * width);
      result.push_back({from, density});
      result.push_back({from + width, density});
    }
    return result;
  }

  void draw_bars(Svg& svg, const Box& area, Index feature, const Bars& bars) {
    const auto count = static_cast<double>(bars.names.size());
    double most = 0;
    for (Index k = 0; k < bars.probability.size(); ++k)
      most = std::max(most, bars.probability.data()[k]);
    Panel panel(svg, area, Scale::linear(0, count, area.left, area.right()),
                Scale::linear(0,
                              most > 0.5 ? 1
                              : most > 0 ? 1.05 * most
                                         : 1,
                              area.bottom(), area.top));
    std::vector<Tick> ticks;
    const double room = area.width / count - 4;
    for (std::size_t k = 0; k < bars.names.size(); ++k)
      ticks.push_back(
          {static_cast<double>(k) + 0.5, fitted(bars.names[k], std::max(room, 16.0), 10.5)});
    panel.axes({.x = "",
                .y = "",
                .title = model_.schema().feature(feature).name,
                .x_ticks = ticks,
                .grid = false});
    panel.begin_marks();
    const double width = 0.84 / static_cast<double>(classes_);
    for (std::size_t k = 0; k < bars.names.size(); ++k)
      for (Index c = 0; c < classes_; ++c) {
        const double p = bars.probability(c, static_cast<Index>(k)),
                     from = static_cast<double>(k) + 0.08 + width * static_cast<double>(c);
        panel.bar(from, from + 0.92 * width, 0, p, {std::string(style_of(c).colour), "", 1, 0.85},
                  model_.labels()[c] + ": P(" + bars.names[k] + ") = " + short_number(p, 3));
        picture_.rows.push_back({model_.schema().feature(feature).name, model_.labels()[c],
                                 bars.names[k], short_number(p)});
      }
    panel.end_marks();
  }

  const Model& model_;
  const plot::Options& options_;
  const RowBlock* rows_;
  Index classes_;
  Index left_out_ = 0;
  Picture picture_;
};

}  // namespace
}  // namespace draw

Picture plot::densities(const Model& model, const Options& options, const RowBlock* rows) {
  require_densities(model, "a picture of the classes");
  return draw::Densities(model, options, rows).draw();
}

}  // namespace suffice
