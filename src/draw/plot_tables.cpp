// Tables as heat maps: correlations and confusion.

#include <algorithm>
#include <cmath>
#include <functional>

#include "draw/sheet.hpp"
#include "draw/view.hpp"
#include "models/gaussian_density.hpp"
#include "suffice/core/error.hpp"
#include "suffice/draw/plot.hpp"
#include "suffice/inspect/separation.hpp"

namespace suffice {
namespace draw {
namespace {

struct Cell {
  std::string colour, text, tooltip;
};

/// A grid of coloured cells with names at its sides, on the left in `side` pixels.
void draw_cells(Svg& svg, const Box& area, double side, const std::vector<std::string>& rows,
                const std::vector<std::string>& columns,
                const std::function<Cell(Index, Index)>& cell) {
  const double width = area.width / static_cast<double>(columns.size()),
               height = area.height / static_cast<double>(rows.size()),
               size = std::clamp(std::min(width / 3.2, height * 0.62), 6.0, 11.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const Cell of = cell(static_cast<Index>(i), static_cast<Index>(j));
      const double x = area.left + width * static_cast<double>(j),
                   y = area.top + height * static_cast<double>(i);
      svg.add("rect",
              {{"x", x + 0.5},
               {"y", y + 0.5},
               {"width", std::max(width - 1, 0.5)},
               {"height", std::max(height - 1, 0.5)},
               {"fill", of.colour}},
              "", of.tooltip);
      if (!of.text.empty() && text_width(of.text, size) < width - 2 && height > 8)
        svg.add("text",
                {{"x", x + width / 2},
                 {"y", y + height / 2 + size * 0.36},
                 {"font-size", size},
                 {"text-anchor", "middle"},
                 {"pointer-events", "none"},
                 {"fill", is_dark(of.colour) ? "#FFFFFF" : "#1B1E23"}},
                of.text);
    }
  const double label_size = std::clamp(height * 0.7, 5.0, 11.0),
               column_size = std::clamp(width * 0.7, 5.0, 11.0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    svg.add("text",
            {{"x", area.left - 5},
             {"y", area.top + height * (static_cast<double>(i) + 0.5) + label_size * 0.36},
             {"text-anchor", "end"},
             {"font-size", label_size},
             {"class", "ink"},
             {"fill", "#1B1E23"}},
            fitted(rows[i], side - 8, label_size), rows[i]);
  bool upright = true;
  for (const std::string& name : columns) upright &= text_width(name, 10.5) < width - 3;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const double x = area.left + width * (static_cast<double>(j) + 0.5), y = area.top - 6;
    const double font = upright ? 10.5 : column_size;
    svg.add(
        "text",
        {{"x", x + (upright ? 0 : font * 0.36)},
         {"y", y},
         {"font-size", font},
         {"text-anchor", upright ? "middle" : ""},
         {"class", "ink"},
         {"fill", "#1B1E23"},
         {"transform", upright ? std::string()
                               : "rotate(-60 " + pixels(x + font * 0.36) + " " + pixels(y) + ")"}},
        upright ? columns[j] : fitted(columns[j], 74, font), columns[j]);
  }
}

double widest(const std::vector<std::string>& names, double most) {
  double width = 30;
  for (const std::string& name : names) width = std::max(width, text_width(name, 11));
  return std::min(width, most);
}

}  // namespace
}  // namespace draw

namespace plot {

using namespace draw;

Picture correlations(const Model& whole, const Options& options) {
  require_densities(whole, "a picture of how the numbers vary together");
  const Model& model = whole.components();
  const Schema& schema = model.schema();
  std::optional<std::size_t> block;
  for (std::size_t b = 0; b < model.densities().size() && !block; ++b) {
    const auto* of = std::get_if<GaussianDensity>(&model.densities()[b]);
    if (of && is_dense(of->structure)) block = b;
  }
  if (!block)
    throw InvalidArgument("the model has no correlations",
                          "they belong to full and tied covariances");
  const auto& density = std::get<GaussianDensity>(model.densities()[*block]);
  const std::vector<std::string> all = names_of(density, schema, schema.blocks()[*block]);
  std::vector<Index> used;
  if (!options.features.empty()) {
    for (const Index feature : options.features) {
      const auto& features = schema.blocks()[*block].features;
      const auto found = std::ranges::find(features, feature);
      if (found == features.end() || !density.projection.empty())
        throw InvalidArgument({.features = {schema.feature(feature).name}},
                              "the feature is not part of the covariance",
                              "choose numeric features, or none for all of them");
      used.push_back(found - features.begin());
    }
  } else {
    for (Index j = 0; j < density.mean.cols(); ++j)
      if (!std::ranges::binary_search(density.constant, j)) used.push_back(j);
  }
  std::vector<Index> classes;
  const bool tied = is_tied(density.structure);
  for (Index c = 0; c < model.labels().size(); ++c)
    if (model.weights()[c] > 0 && (classes.empty() || !tied)) classes.push_back(c);
  const std::size_t shown = std::min<std::size_t>(classes.size(), 9);
  // Some 900 cells are as many as a page should carry and a person can read.
  const auto most = static_cast<std::size_t>(
      std::clamp(std::sqrt(900 / static_cast<double>(std::max<std::size_t>(shown, 1))), 8.0, 30.0));
  const std::size_t varying_count = used.size();
  if (used.size() > most) used.resize(most);
  std::vector<std::string> names;
  for (const Index j : used) names.push_back(all[j]);
  Picture picture;
  const std::string what = whole.mixture() ? "component" : "class",
                    all_of = whole.mixture() ? "components" : "classes";
  picture.title = tied ? "Correlations within the " + all_of : "Correlations per " + what;
  picture.description = "Orange: two features rise together; blue: one falls as the other rises.";
  picture.columns = {what, "feature", "feature", "correlation"};
  Sheet sheet(
      {picture.title, picture.description, picture.description, {}, shown > 1 ? 760.0 : 640.0});
  const Index columns = shown == 1 ? 1 : shown == 2 || shown == 4 ? 2 : 3;
  const double side = widest(names, shown > 1 ? 84 : 140) + 14,
               slot = (sheet.width() - 16) / static_cast<double>(columns),
               size = std::min(slot - side - 12, 460.0), step = size + 108;
  double bottom = sheet.top();
  for (std::size_t k = 0; k < shown; ++k) {
    // Of thin covariances only what is shown is made; correlations have no scale.
    const bool thin = !density.thin.empty();
    const Matrix covariance = thin ? covariance_of(density.thin, tied ? 0 : classes[k], used)
                                   : covariance_of(density, classes[k]);
    const auto at = [&](Index i, Index j) {
      return thin ? covariance(i, j) : covariance(used[i], used[j]);
    };
    const auto column = static_cast<double>(static_cast<Index>(k) % columns);
    const Box area{8 + column * slot + side,
                   sheet.top() + 96 + step * static_cast<double>(static_cast<Index>(k) / columns),
                   size, size};
    const std::string title = tied ? "all " + all_of : model.labels()[classes[k]];
    if (!tied)
      sheet.svg().add("text",
                      {{"x", area.left - side + 8},
                       {"y", area.top - 78},
                       {"font-size", 12.0},
                       {"font-weight", "600"},
                       {"class", "ink"},
                       {"fill", "#1B1E23"}},
                      fitted(title, (slot - 20) / 1.1, 12), title);  // bold is wider
    draw_cells(sheet.svg(), area, side, names, names, [&](Index i, Index j) {
      const double scale = std::sqrt(at(i, i) * at(j, j));
      const double r = scale > 0 ? at(i, j) / scale : 0;
      if (i < j) picture.rows.push_back({title, names[i], names[j], short_number(r, 3)});
      return Cell{diverging_colour(r), i == j ? "" : short_number(std::round(100 * r) / 100, 3),
                  ""};
    });
    bottom = area.bottom();
  }
  std::string note;
  if (classes.size() > shown)
    note = "The first " + std::to_string(shown) + " of " + std::to_string(classes.size()) + " " +
           all_of + " are shown.";
  if (varying_count > most)
    note += std::string(note.empty() ? "" : " ") + "The first " + std::to_string(most) + " of " +
            std::to_string(varying_count) + " features are shown.";
  picture.svg = sheet.finish(bottom + 24, note, options.with_style);
  return picture;
}

Picture confusion(const Report& report, bool with_style) {
  const Index classes = report.labels.size();
  constexpr Index most = 40;
  const Index shown = std::min(classes, most);
  const std::vector<std::string> names(report.labels.begin(), report.labels.begin() + shown);
  Picture picture;
  picture.title = "Confusion matrix";
  picture.description =
      "A row is a true class, a column what was decided; the colour is the share of the row. "
      "Mistakes are off the diagonal.";
  picture.columns = {"true class", "decided", "rows", "share"};
  Sheet sheet({picture.title, picture.description, picture.description, {}});
  const double side = widest(names, 150) + 22,
               size = std::min(sheet.width() - side - 24, 60.0 * static_cast<double>(shown) + 60);
  bool short_names = true;
  for (const std::string& name : names)
    short_names &= text_width(name, 10.5) < size / static_cast<double>(shown) - 3;
  const Box area{side, sheet.top() + (short_names ? 44 : 100), size,
                 std::min(size, 30.0 * static_cast<double>(shown) + 60)};
  sheet.svg().add("text",
                  {{"x", area.left},
                   {"y", sheet.top() + 14},
                   {"font-size", 11.0},
                   {"class", "faint"},
                   {"fill", "#5C6370"}},
                  "decided →");
  draw_cells(sheet.svg(), area, side, names, names, [&](Index i, Index j) {
    double all = 0;
    for (Index k = 0; k < classes; ++k) all += report.confusion(i, k);
    const double count = report.confusion(i, j), share = all > 0 ? count / all : 0;
    if (count > 0)
      picture.rows.push_back(
          {names[i], names[j], short_number(count, 6), short_number(100 * share, 3) + " %"});
    return Cell{sequential_colour(share), count > 0 ? short_number(count, 6) : "",
                count > 0 ? names[i] + " decided as " + names[j] + ": " + short_number(count, 6) +
                                ", " + short_number(100 * share, 3) + " %"
                          : std::string()};
  });
  const std::string note = classes > shown ? "The first " + std::to_string(shown) + " of " +
                                                 std::to_string(classes) + " classes are shown."
                                           : "";
  picture.svg = sheet.finish(area.bottom() + 24, note, with_style);
  return picture;
}

}  // namespace plot
}  // namespace suffice
