#include "cli/commands/show_json.hpp"

#include <algorithm>
#include <limits>

#include "cli/commands/options_json.hpp"
#include "suffice/models/discriminant.hpp"
#include "suffice/models/separation.hpp"

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

void add(Json& block, const GaussianDensity& density, const std::vector<std::string>& names) {
  block["structure"] = to_string(density.structure);
  block["mean"] = to_json(density.mean);
  Json covariance = Json::array();
  switch (density.structure) {
    case Covariance::full:
      for (const Matrix& matrix : density.covariance) covariance.push_back(to_json(matrix));
      break;
    case Covariance::tied:
    case Covariance::diag:
      covariance = to_json(density.covariance[0]);
      break;
    case Covariance::tied_diag:
      covariance = to_json(density.covariance[0].row(0));
      break;
    case Covariance::spherical:
      for (Index c = 0; c < density.covariance[0].rows(); ++c)
        covariance.push_back(to_json(density.covariance[0](c, 0)));
      break;
    case Covariance::tied_spherical:
      covariance = to_json(density.covariance[0](0, 0));
      break;
  }
  block["covariance"] = std::move(covariance);
  if (!density.dof.empty()) {
    block["dof"] = per_class(density.dof);
    if (!density.scale.empty()) block["scale"] = per_class(density.scale);
  }
  Json constant = Json::array();
  for (const Index j : density.constant)
    constant.push_back(density.projection.empty() ? names[j] : "z" + std::to_string(j));
  if (!constant.empty()) block["constant"] = std::move(constant);
}

void add(Json& block, const BernoulliDensity& density, const std::vector<std::string>&) {
  block["probability"] = to_json(density.probability);
}

void add(Json& block, const PoissonDensity& density, const std::vector<std::string>&) {
  block["rate"] = to_json(density.rate);
  if (!density.shape.empty()) block["shape"] = to_json(density.shape);
}

void add(Json& block, const MultinomialDensity& density, const std::vector<std::string>&) {
  block["probability"] = to_json(density.probability);
  if (!density.concentration.empty()) block["concentration"] = to_json(density.concentration);
}

void add(Json& block, const CategoricalDensity& density, const std::vector<std::string>&) {
  block["levels"] = Json::array();
  block["probability"] = Json::array();
  for (const Names& levels : density.levels) block["levels"].push_back(to_json(levels));
  for (const Matrix& matrix : density.probability) block["probability"].push_back(to_json(matrix));
}

void add(Json& block, const GaussianStatistics& sums, const std::vector<std::string>& names) {
  const Index dimension = std::ssize(names);
  Json mean = Json::array(), scatter = Json::array(), weight = Json::array();
  Json present = {{"weight", Json::array()}, {"mean", Json::array()}, {"squares", Json::array()}};
  bool some_missing = false;
  for (Index c = 0; c < std::ssize(sums.classes); ++c) {
    const auto& [complete, others] = sums.classes[c];
    if (sums.kind == Scatter::dense) {
      mean.push_back(mean_json(complete.mean, complete.mean_low, dimension));
      scatter.push_back(
          to_json(complete.scatter.empty() ? Matrix(dimension, dimension) : complete.scatter));
      weight.push_back(to_json(complete.weight));
      some_missing = some_missing || !others.weight.empty();
      const Moments all = sums.moments(c);
      present["weight"].push_back(to_json(all.weight.empty() ? Vector(dimension) : all.weight));
      present["mean"].push_back(mean_json(all.mean, all.mean_low, dimension));
      present["squares"].push_back(to_json(all.squares.empty() ? Vector(dimension) : all.squares));
    } else {
      mean.push_back(mean_json(others.mean, others.mean_low, dimension));
      scatter.push_back(to_json(others.squares.empty() ? Vector(dimension) : others.squares));
      weight.push_back(to_json(others.weight.empty() ? Vector(dimension) : others.weight));
    }
  }
  block["mean"] = std::move(mean);
  block["scatter"] = std::move(scatter);
  block["weight"] = std::move(weight);
  if (some_missing) block["present"] = std::move(present);
}

void add(Json& block, const CountStatistics& sums, const std::vector<std::string>&) {
  block["sum"] = to_json(sums.sum);
  if (!sums.weight.empty()) block["weight"] = to_json(sums.weight);
}

void add(Json& block, const CategoricalStatistics& sums, const std::vector<std::string>&) {
  block["levels"] = Json::array();
  block["count"] = Json::array();
  for (const Names& levels : sums.levels) block["levels"].push_back(to_json(levels));
  for (const Matrix& matrix : sums.count) block["count"].push_back(to_json(matrix));
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

template <class Variants>
Json blocks_json(const Schema& schema, const Variants& contents) {
  Json blocks = Json::array();
  for (std::size_t b = 0; b < schema.blocks().size(); ++b) {
    const std::vector<std::string> names = schema.names(schema.blocks()[b]);
    Json block;
    block["family"] = to_string(schema.blocks()[b].family);
    block["features"] = names;
    add_transforms(block, schema, schema.blocks()[b]);
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
}

}  // namespace

Json model_json(const Model& model, bool with_discriminant) {
  Json json = beginning("model", model);
  json["blocks"] = blocks_json(model.schema(), model.densities());
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density);
        gaussian && !gaussian->projection.empty())
      json["projection"] = {{"matrix", to_json(gaussian->projection.matrix)},
                            {"offset", to_json(gaussian->projection.offset)},
                            {"explained", to_json(gaussian->projection.explained)}};
  json["options"] = options_json(model.parts().options);
  json["shrinkage"] = shrinkage_json(model);
  json["separation"] = to_json(separation(model));
  if (with_discriminant) add_discriminants(json, model);
  return json;
}

Json statistics_json(const Statistics& statistics) {
  Json json = beginning("statistics", statistics);
  json["blocks"] = blocks_json(statistics.schema(), statistics.blocks());
  json["missing"] = to_json(statistics.missing());
  return json;
}

}  // namespace suffice::cli
