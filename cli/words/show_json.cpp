#include "cli/words/show_json.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <type_traits>

#include "cli/words/options_json.hpp"
#include "suffice/estimate/shrunken_means.hpp"
#include "suffice/inspect/discriminant.hpp"
#include "suffice/inspect/separation.hpp"
#include "suffice/models/parameter_count.hpp"

namespace suffice::cli {
namespace {

/// mean + mean_low as one double; NaN for a class without rows.
Json mean_json(const Vector& mean, const Vector& low, Index dimension) {
  Vector sum(dimension);
  for (Index j = 0; j < dimension; ++j)
    sum[j] = mean.empty() ? std::numeric_limits<double>::quiet_NaN() : mean[j] + low[j];
  return to_json(sum);
}

/// K × 1 numbers as K of them.
Json per_class(const Matrix& matrix) {
  return matrix.cols() == 1 ? to_json(std::span(matrix.data(), matrix.data() + matrix.rows()))
                            : to_json(matrix);
}

Json covariance_json(const GaussianDensity& density) {
  const std::vector<Matrix>& covariance = density.covariance;
  Json json = Json::array();
  switch (density.structure) {
    case Covariance::full:
      for (const Matrix& matrix : covariance) json.push_back(to_json(matrix));
      break;
    case Covariance::tied:
    case Covariance::diag:
      return to_json(covariance[0]);
    case Covariance::tied_diag:
      return to_json(covariance[0].row(0));
    case Covariance::spherical:
      return per_class(covariance[0]);
    case Covariance::tied_spherical:
      return to_json(covariance[0](0, 0));
  }
  return json;
}

/// The members of sums or of a density, as their struct lists them. `names` are those of the
/// block's features.
template <class T>
class FieldJson {
  using Layout = suffice::Layout;  // that of a field, not of the columns of a file

 public:
  FieldJson(const T& of, const std::vector<std::string>& names) : of_(of), names_(names) {}

  void add_to(Json& block) const {
    for_each_field<T>([&](const auto& field) {
      using Member = std::decay_t<decltype(field(of_))>;
      if constexpr (std::same_as<Member, ThinCovariance>) {
        if (!field(of_).empty()) block[std::string(field.name)] = thin_json(field(of_));
      } else if constexpr (!std::same_as<Member, LinearMap>)  // shown apart
        if (field.is_shown(of_) && !is_thin(field.layout))
          block[std::string(field.name)] = json(field.layout, field(of_));
    });
  }

 private:
  /// Whether these are the covariances of a density that has them in their thin form.
  bool is_thin(Layout layout) const {
    if constexpr (std::same_as<T, GaussianDensity>)
      return layout == Layout::by_structure && !of_.thin.empty();
    return false;
  }
  static Json thin_json(const ThinCovariance& thin) {
    Json json = {{"diagonal", to_json(thin.diagonal)},
                 {"factor", to_json(thin.factor)},
                 {"rows", Json::array()}};
    for (const Index rows : thin.rows) json["rows"].push_back(rows);
    return json;
  }
  Json json(Layout, Covariance value) const { return to_string(value); }
  Json json(Layout, const Vector& value) const { return to_json(value); }
  Json json(Layout layout, const Matrix& value) const {
    return layout == Layout::column ? per_class(value) : to_json(value);
  }
  Json json(Layout layout, const std::vector<Matrix>& value) const {
    if constexpr (std::same_as<T, GaussianDensity>)
      if (layout == Layout::by_structure) return covariance_json(of_);
    return list(value);
  }
  Json json(Layout, const std::vector<Names>& value) const { return list(value); }
  Json json(Layout, const std::vector<Vector>& value) const { return list(value); }
  Json json(Layout, const std::vector<std::vector<std::string>>& value) const { return value; }
  Json json(Layout, EventModel value) const { return to_string(value); }
  Json json(Layout, const std::vector<Words>& value) const {
    Json json = Json::array();
    for (const Words& words : value) json.push_back(words.list());
    return json;
  }
  /// Positions of features, or of projections.
  Json json(Layout, const std::vector<Index>& value) const {
    Json json = Json::array();
    for (const Index j : value)
      json.push_back(is_projected() ? "z" + std::to_string(j) : names_[j]);
    return json;
  }
  template <class Value>
  static Json list(const std::vector<Value>& values) {
    Json json = Json::array();
    for (const Value& value : values) json.push_back(to_json(value));
    return json;
  }
  bool is_projected() const {
    if constexpr (requires { of_.projection; }) return !of_.projection.empty();
    return false;
  }

  const T& of_;
  const std::vector<std::string>& names_;
};

template <class T>
void add(Json& block, const T& of, const std::vector<std::string>& names) {
  FieldJson<T>(of, names).add_to(block);
}

/// What is kept of the scatter of one class.
Json scatter_json(const GaussianStatistics& sums, Index c, Index dimension) {
  const auto& [complete, others] = sums.classes[c];
  switch (sums.kind) {
    case Scatter::diagonal:
      return to_json(others.squares.empty() ? Vector(dimension) : others.squares);
    case Scatter::dense:
      return to_json(complete.scatter.empty() ? Matrix(dimension, dimension) : complete.scatter);
    case Scatter::thin:
      return to_json(complete.factor);
    case Scatter::pooled:
      return to_json(complete.squares.empty() ? Vector(dimension) : complete.squares);
  }
  return {};
}

const char* scatter_name(Scatter kind) {
  switch (kind) {
    case Scatter::thin:
      return "factor";
    case Scatter::pooled:
      return "squares";
    case Scatter::dense:
    case Scatter::diagonal:
      break;
  }
  return "scatter";
}

void add(Json& block, const GaussianStatistics& sums, const std::vector<std::string>& names) {
  const Index dimension = std::ssize(names);
  Json mean = Json::array(), scatter = Json::array(), weight = Json::array();
  Json present = {{"weight", Json::array()}, {"mean", Json::array()}, {"squares", Json::array()}};
  bool some_missing = false;
  for (Index c = 0; c < std::ssize(sums.classes); ++c) {
    const auto& [complete, others] = sums.classes[c];
    scatter.push_back(scatter_json(sums, c, dimension));
    if (sums.kind != Scatter::diagonal) {
      mean.push_back(mean_json(complete.mean, complete.mean_low, dimension));
      weight.push_back(to_json(complete.weight));
      some_missing = some_missing || !others.weight.empty();
      const Moments all = sums.moments(c);
      present["weight"].push_back(to_json(all.weight.empty() ? Vector(dimension) : all.weight));
      present["mean"].push_back(mean_json(all.mean, all.mean_low, dimension));
      present["squares"].push_back(to_json(all.squares.empty() ? Vector(dimension) : all.squares));
    } else {
      mean.push_back(mean_json(others.mean, others.mean_low, dimension));
      weight.push_back(to_json(others.weight.empty() ? Vector(dimension) : others.weight));
    }
  }
  block["mean"] = std::move(mean);
  if (sums.has_class_squares()) block[scatter_name(sums.kind)] = std::move(scatter);
  if (sums.kind == Scatter::pooled)
    block["pooled"] = to_json(sums.pooled.empty() ? Matrix(dimension, dimension) : sums.pooled);
  block["weight"] = std::move(weight);
  if (some_missing) block["present"] = std::move(present);
}

/// One for each feature, where there is any.
void add_transforms(Json& json, const Schema& schema, const Block& block) {
  Json transforms = Json::array();
  bool any = false;
  for (const Index feature : block.features) {
    transforms.push_back(to_string(schema.feature(feature).transform));
    any = any || schema.feature(feature).transform != Transform::none;
  }
  if (any) json["transforms"] = std::move(transforms);
}

/// One for each feature, null where it is no indicator; where there is any.
void add_indicators(Json& json, const Schema& schema, const Block& block) {
  Json indicators = Json::array();
  bool any = false;
  for (const Index feature : block.features) {
    const Boxed<Indicator>& of = schema.feature(feature).indicator;
    any = any || of;
    if (!of) {
      indicators.push_back(nullptr);
      continue;
    }
    indicators.push_back({{"column", of->column},
                          {"level", of->level ? Json(*of->level) : Json()},
                          {"reference", of->reference}});
  }
  if (any) json["indicators"] = std::move(indicators);
}

template <class Variants>
Json blocks_json(const Schema& schema, const Variants& contents) {
  Json blocks = Json::array();
  for (std::size_t b = 0; b < schema.blocks().size(); ++b) {
    const std::vector<std::string> names = schema.names(schema.blocks()[b]);
    Json block;
    block["family"] = to_string(schema.blocks()[b].family);
    block["features"] = names;
    add_transforms(block, schema, schema.blocks()[b]);
    add_indicators(block, schema, schema.blocks()[b]);
    std::visit([&](const auto& content) { add(block, content, names); }, contents[b]);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

template <class T>
Json beginning(std::string_view kind, const T& of) {
  Json json;
  json["kind"] = kind;
  json["label"] = of.schema().label();
  json["labels"] = to_json(of.labels());
  json["weights"] = to_json(of.weights());
  return json;
}

/// One function for each label, null for a class that no row was seen of.
void add_discriminants(Json& json, const Model& model) {
  Json functions = Json::array();
  std::vector<std::string> columns;
  bool is_linear = true;
  for (Index c = 0; c < model.labels().size(); ++c) {
    if (!(model.weights()[c] > 0)) {
      functions.push_back(nullptr);
      continue;
    }
    const Discriminant g = discriminant(model, model.labels()[c]);
    is_linear = g.is_linear();
    columns = g.columns;
    Json function;
    function["label"] = model.labels()[c];
    if (!is_linear) function["A"] = to_json(g.A);
    function[is_linear ? "w" : "b"] = to_json(g.w);
    function[is_linear ? "b" : "c"] = to_json(g.c);
    functions.push_back(std::move(function));
  }
  json["columns"] = columns;
  json[is_linear ? "linear" : "quadratic"] = std::move(functions);
  if (model.labels().size() != 2 || !(model.weights()[0] > 0 && model.weights()[1] > 0)) return;
  const Discriminant g = discriminant(model, model.labels()[0], model.labels()[1]);
  Json odds{{"labels", to_json(model.labels())}};
  if (!is_linear) odds["A"] = to_json(g.A);
  odds["w"] = to_json(g.w);
  odds["c"] = to_json(g.c);
  json["log_odds"] = std::move(odds);
}

}  // namespace

namespace {

Json mixture_json(const Model& model) {
  const auto& [names, label, weights] = *model.mixture();
  Json classes = Json::array();
  for (const Index c : label) classes.push_back(model.labels()[c]);
  return {{"components", to_json(names)},
          {"classes", std::move(classes)},
          {"weights", to_json(weights)},
          {"shares", to_json(model.mixture()->shares())}};
}

}  // namespace

Json calibration_json(const Calibration& calibration) {
  Json json;
  add(json, calibration, {});
  return json;
}

Json logistic_json(const Model& model) {
  Json json, terms = Json::array();
  for (const LogisticTerm& term : logistic_terms(model)) terms.push_back(term.name);
  json["terms"] = std::move(terms);
  add(json, *model.logistic(), {});
  json["intercept_at_zero"] = to_json(intercept_at_zero(*model.logistic()));
  return json;
}

Json model_json(const Model& model, bool with_discriminant) {
  Json json = beginning("model", model);
  json["blocks"] = blocks_json(model.schema(), model.densities());
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density);
        gaussian && !gaussian->projection.empty())
      json["projection"] = {{"matrix", to_json(gaussian->projection.matrix)},
                            {"offset", to_json(gaussian->projection.offset)},
                            {"explained", to_json(gaussian->projection.explained)}};
  json["parameters"] = to_json(parameter_count(model).total());
  json["options"] = options_json(model);
  json["shrinkage"] = shrinkage_json(model);
  add_kept(json, model);
  add_shrunken_means(json, model);
  json["separation"] = to_json(separation(model));
  if (model.calibration()) json["calibration"] = calibration_json(*model.calibration());
  if (model.logistic()) json["logistic"] = logistic_json(model);
  if (model.mixture()) json["mixture"] = mixture_json(model);
  if (with_discriminant) add_discriminants(json, model);
  return json;
}

void add_kept(Json& json, const Model& model) {
  const EstimateFound& found = model.parts().found;
  if (found.all_features.empty() || found.least_divergence.empty()) return;
  Json names = Json::array();
  for (const Feature& feature : model.schema().features()) names.push_back(feature.name);
  json["kept"] = {{"features", std::move(names)},
                  {"of", to_json(found.all_features[0])},
                  {"least_divergence", to_json(found.least_divergence[0])}};
  if (!found.next_divergence.empty())
    json["kept"]["next_divergence"] = to_json(found.next_divergence[0]);
}

void add_shrunken_means(Json& json, const Model& model) {
  const auto& options = model.parts().options;
  if (!options || !options->shrink_means) return;
  Json surviving = Json::array();
  for (const Index j : surviving_features(model))
    surviving.push_back(model.schema().feature(j).name);
  json["shrunken_means"] = {{"threshold", to_json(options->shrink_means->value)},
                            {"surviving", std::move(surviving)}};
}

Json statistics_json(const Statistics& statistics) {
  Json json = beginning("statistics", statistics);
  json["blocks"] = blocks_json(statistics.schema(), statistics.blocks());
  json["missing"] = to_json(statistics.missing());
  return json;
}

}  // namespace suffice::cli
