#include "draw/view.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "data/number_reader.hpp"
#include "data/transform.hpp"
#include "draw/discriminant_plane.hpp"
#include "models/gaussian_density.hpp"
#include "models/marginal.hpp"
#include "suffice/core/error.hpp"
#include "suffice/data/positions.hpp"

namespace suffice::draw {
namespace {

/// Its features can be axes.
bool has_curve(Family family) {
  switch (family) {
    case Family::gaussian:
    case Family::exponential:
      return true;
    case Family::bernoulli:
    case Family::categorical:
    case Family::poisson:
    case Family::multinomial:
    case Family::text:
      return false;
  }
  return false;
}

/// The block of a model that a discriminant plane can be made of.
std::optional<Index> gaussian_block(const Model& model) {
  for (Index b = 0; b < std::ssize(model.densities()); ++b) {
    const auto* density = std::get_if<GaussianDensity>(&model.densities()[b]);
    if (density && density->mean.cols() - std::ssize(density->constant) >= 2) return b;
  }
  return {};
}

}  // namespace

std::string listing(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  if (names.size() == 1) return names[0];
  if (names.size() == 2) return names[0] + " and " + names[1];
  return names[0] + ", " + names[1] + " and " + std::to_string(names.size() - 2) + " more";
}

Matrix covariance_of(const GaussianDensity& density, Index c) {
  const Index d = density.mean.cols(), row = is_tied(density.structure) ? 0 : c;
  Matrix result(d, d);
  const auto scale = [&](Index j) {
    double factor = 1;
    if (!density.scale.empty()) factor = density.scale(c, density.scale.cols() == 1 ? 0 : j);
    if (!density.dof.empty()) {
      const double dof = density.dof(c, density.dof.cols() == 1 ? 0 : j);
      if (dof > 2) factor *= dof / (dof - 2);
    }
    return factor;
  };
  if (!density.thin.empty()) {
    std::vector<Index> all(static_cast<std::size_t>(d));
    std::iota(all.begin(), all.end(), Index{0});
    const Matrix whole = covariance_of(density.thin, c, all);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j) result(i, j) = whole(i, j) * std::sqrt(scale(i) * scale(j));
    return result;
  }
  for (Index i = 0; i < d; ++i) {
    if (is_dense(density.structure))
      for (Index j = 0; j < d; ++j)
        result(i, j) = density.covariance[row](i, j) * std::sqrt(scale(i) * scale(j));
    else
      result(i, i) = diagonal_at(density, c, i) * scale(i);
  }
  return result;
}

namespace {

/// What a discriminative model says of some of its features depends on the others.
void require_drawable(const Model& model) {
  if (model.logistic())
    throw InvalidArgument(
        "the axes of this picture are all features of a discriminative model, one or two numbers, "
        "and this model has " +
            std::to_string(model.schema().size()) + " features",
        "draw a model of two of them, or an evaluation");
}

/// The model of these features; none of the others has a part in a projection of them.
View named_view(const Model& model, const std::vector<Index>& features) {
  const Schema& schema = model.schema();
  std::vector<bool> missing(static_cast<std::size_t>(schema.size()), true);
  std::vector<std::string> names;
  for (const Index j : features) {
    if (j < 0 || j >= schema.size())
      throw InvalidArgument("there is no feature number " + std::to_string(j));
    const Feature& feature = schema.feature(j);
    if (!has_curve(feature.family))
      throw InvalidArgument({.features = {feature.name}},
                            "a " + std::string(to_string(feature.family)) +
                                " feature cannot be an axis of this picture",
                            "choose features with numbers");
    missing[j] = false;
    names.push_back(feature.name);
  }
  if (features.size() == 2 && features[0] == features[1])
    throw InvalidArgument({.features = {names[0]}}, "the feature is named twice",
                          "choose two different ones");
  // The marginal keeps the order of the schema.
  std::vector<Index> sorted = features;
  std::ranges::sort(sorted);
  const Index others = schema.size() - std::ssize(features);
  if (others > 0) require_drawable(model);
  const std::span<const double> weights(model.weights().data(),
                                        static_cast<std::size_t>(model.weights().size()));
  View view{with_indicators_as_columns(others == 0 ? model : marginal(model, missing, weights)),
            {},
            "",
            sorted,
            0,
            {}};
  for (const Index j : sorted) view.names.push_back(schema.feature(j).name);
  if (others > 0)
    view.note = others == 1
                    ? "The other feature is not known here."
                    : "The other " + std::to_string(others) + " features are not known here.";
  if (others > 0 && model.calibration())
    view.note += " The calibration of the model, which is for all features, is left out.";
  return view;
}

}  // namespace

View feature_view(const Model& model, const std::vector<Index>& features) {
  const Schema& schema = model.schema();
  for (const Block& block : schema.blocks()) {
    const auto& density = model.densities()[&block - schema.blocks().data()];
    const auto* gaussian = std::get_if<GaussianDensity>(&density);
    if (!gaussian || gaussian->projection.empty()) continue;
    for (const Index j : block.features)
      if (std::ranges::find(features, j) != features.end())
        throw InvalidArgument({.features = {schema.feature(j).name}},
                              "the model knows only projections of this feature",
                              "leave the features out: the plane of the discriminant directions is "
                              "drawn then");
  }
  return named_view(model, features);
}

View discriminant_view(const Model& model) {
  require_drawable(model);
  const std::optional<Index> block = gaussian_block(model);
  if (!block)
    throw InvalidArgument("this picture needs two numeric features",
                          "name a feature for a picture of one, or draw the densities");
  const auto& density = std::get<GaussianDensity>(model.densities()[*block]);
  if (!density.thin.empty())
    throw InvalidArgument("the plane of the discriminant directions of " +
                              std::to_string(density.mean.cols()) +
                              " features takes whole covariances, which a model of fewer rows than "
                              "features never makes",
                          "name two features, or fit with principal components");
  const LinearMap map = discriminant_plane(model, density);
  const Index varying = density.mean.cols() - std::ssize(density.constant);

  const Model& components = model.components();
  const Index count = components.labels().size();
  GaussianDensity flat{Covariance::full, Matrix(count, 2), {}, {}};
  const bool joint_t = !density.dof.empty() && density.dof.cols() == 1;
  for (Index c = 0; c < count; ++c) {
    Matrix& covariance = flat.covariance.emplace_back(2, 2);
    if (!(components.weights()[c] > 0)) continue;
    Eigen::VectorXd mean = density.mean.map().row(c).transpose() - map.offset.map();
    const Eigen::Vector2d z = map.matrix.map().transpose() * mean;
    const Eigen::Matrix2d s =
        map.matrix.map().transpose() * covariance_of(density, c).map() * map.matrix.map();
    for (Index k = 0; k < 2; ++k) flat.mean(c, k) = z[k];
    const double dof = joint_t ? density.dof(c, 0) : 0, shrink = dof > 2 ? (dof - 2) / dof : 1;
    covariance(0, 0) = s(0, 0) * shrink;
    covariance(1, 1) = s(1, 1) * shrink;
    covariance(0, 1) = covariance(1, 0) = 0.5 * (s(0, 1) + s(1, 0)) * shrink;
  }
  if (joint_t) flat.dof = density.dof;
  const std::vector<std::string> names = {"discriminant direction 1", "discriminant direction 2"};
  View view{Model({.schema = Schema({{names[0]}, {names[1]}}),
                   .labels = model.labels(),
                   .weights = model.weights(),
                   .densities = {flat},
                   .mixture = model.mixture()}),
            names,
            "A projection: the plane of the " + std::to_string(varying) +
                " numeric features in which the classes differ most. Decisions in all features are "
                "better than they look here.",
            {},
            *block,
            density.projection.empty() ? map : compose(density.projection, map)};
  if (!density.projection.empty()) {  // compose leaves the second offset out
    const Eigen::RowVectorXd shift = map.offset.map().transpose() * map.matrix.map();
    GaussianDensity moved = flat;
    for (Index c = 0; c < count; ++c)
      for (Index k = 0; k < 2; ++k) moved.mean(c, k) += shift[k];
    view.model = Model({.schema = view.model.schema(),
                        .labels = model.labels(),
                        .weights = model.weights(),
                        .densities = {moved},
                        .mixture = model.mixture()});
  }
  if (std::ssize(model.densities()) > 1)
    view.note += " Features of other families have no part in it.";
  if (model.calibration()) view.note += " It shows the model before calibration.";
  return view;
}

void require_few_classes(const Model& model) {
  constexpr Index most = 250;
  if (model.labels().size() <= most) return;
  throw InvalidArgument(
      "a picture of " + std::to_string(model.labels().size()) + " classes shows none of them",
      "draw models of " + std::to_string(most) + " classes or fewer");
}

View view_of(const Model& model, const plot::Options& options, bool needs_plane, bool has_rows) {
  require_few_classes(model);
  if (options.features.size() > 2)
    throw InvalidArgument(
        "this picture has one or two features, not " + std::to_string(options.features.size()),
        "name two of them");
  if (needs_plane && options.features.size() == 1)
    throw InvalidArgument("this picture needs two features", "name another one");
  if (!options.features.empty()) return feature_view(model, options.features);
  const Schema& schema = model.schema();
  std::vector<Index> numbers;
  for (Index j = 0; j < schema.size(); ++j)
    if (has_curve(schema.feature(j).family)) numbers.push_back(j);
  const bool projected = std::ranges::any_of(model.densities(), [](const Density& density) {
    const auto* gaussian = std::get_if<GaussianDensity>(&density);
    return gaussian && !gaussian->projection.empty();
  });
  if (!projected && (numbers.size() == 2 || (numbers.size() == 1 && !needs_plane)))
    return feature_view(model, numbers);
  // Two features that are projected together: decisions are shown over the features themselves,
  // as far as the rows reach, since the model has only the means of projections.
  if (projected && has_rows && !needs_plane && numbers.size() == 2 && schema.size() == 2)
    return named_view(model, numbers);
  return discriminant_view(model);
}

std::string View::words() const {
  return features.empty() ? "the discriminant plane" : listing(names);
}

Points View::points(const Model& whole, const RowBlock& rows) const {
  Points result;
  result.of_class.resize(static_cast<std::size_t>(whole.labels().size()));
  const std::vector<Index> codes = positions(whole.labels(), rows.labels());
  const auto add = [&](Index row, double x, double y) {
    if (codes[row] >= 0 && std::isfinite(x) && std::isfinite(y))
      result.of_class[codes[row]].push_back({x, y});
  };
  if (!features.empty()) {
    const auto value = [&](std::size_t axis, Index row) {
      const Index feature = features[axis];
      if (!whole.schema().feature(feature).indicator)
        return number_at(rows, whole.schema().column(feature), row);
      double scratch = 0;
      return *NumberReader(whole.schema(), {Family::gaussian, {feature}}, rows)
                  .read(row, 1, &scratch)
                  .values;
    };
    for (Index i = 0; i < rows.rows(); ++i)
      add(i, value(0, i), features.size() > 1 ? value(1, i) : 0);
    return result;
  }
  const NumberReader reader(whole.schema(), whole.schema().blocks()[block], rows);
  Vector scratch(reader.features());
  for (Index i = 0; i < rows.rows(); ++i) {
    const double* x = reader.read(i, 1, scratch.data()).values;
    double z[2] = {0, 0};
    for (Index j = 0; j < reader.features(); ++j)
      for (Index k = 0; k < 2; ++k)
        if (plane.matrix(j, k) != 0) z[k] += (x[j] - plane.offset[j]) * plane.matrix(j, k);
    add(i, z[0], z[1]);
  }
  return result;
}

Domain View::domain(Index axis, const Points& points) const {
  double low = infinity, high = -infinity;
  const auto include = [&](double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  };
  const auto b = static_cast<std::size_t>(
      std::ranges::find_if(model.schema().blocks(),
                           [&](const Block& of) {
                             return std::ranges::find(of.features, axis) != of.features.end();
                           }) -
      model.schema().blocks().begin());
  const auto position = std::ranges::find(model.schema().blocks()[b].features, axis) -
                        model.schema().blocks()[b].features.begin();
  const Vector& weights = model.components().weights();
  for (Index c = 0; c < weights.size(); ++c) {
    if (!(weights[c] > 0)) continue;
    if (const auto* density = std::get_if<GaussianDensity>(&model.densities()[b])) {
      if (!density->projection.empty()) continue;  // the points alone
      const double mean = density->mean(c, position),
                   deviation = std::sqrt(density->thin.empty()
                                             ? covariance_of(*density, c)(position, position)
                                             : thin_variance(density->thin,
                                                             is_tied(density->structure) ? 0 : c,
                                                             position));
      const Transform transform = model.schema().feature(axis).transform;
      include(transformed_back(transform, mean - 3.2 * deviation));
      include(transformed_back(transform, mean + 3.2 * deviation));
    } else if (const auto* times = std::get_if<ExponentialDensity>(&model.densities()[b])) {
      include(0);
      include(4 / times->rate(c, position));
    }
  }
  // Points far away would squeeze everything else: half of the range at each end is their room.
  const bool is_known = low <= high;
  const double room = high > low ? 0.5 * (high - low) : 1,
               least = is_known ? low - room : -infinity, most = is_known ? high + room : infinity;
  for (const std::vector<Point>& of : points.of_class)
    for (const Point& point : of) {
      const double x = axis == 0 ? point.x : point.y;
      if (x >= least && x <= most) include(x);
    }
  if (!(low < high)) return rounded_domain(low, high);
  const Feature& feature = model.schema().feature(axis);
  const double margin = 0.02 * (high - low);
  if (feature.family != Family::gaussian || feature.transform != Transform::none)
    return {low, high};  // beyond may be no numbers that the feature can have
  return {low - margin, high + margin};
}

}  // namespace suffice::draw
