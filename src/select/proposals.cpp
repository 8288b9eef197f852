#include "select/proposals.hpp"

#include <algorithm>
#include <cmath>

#include "core/few_digits.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

bool is_fixed(const ChooseOptions& options, std::string_view name) {
  return std::ranges::find(options.fixed, name) != options.fixed.end();
}

/// What the numbers of the candidates depend on.
struct Extent {
  Index features = 0, blocks = 0;         ///< Gaussian ones
  bool dense = true, has_counts = false;  ///< of some other family
  bool thin = false;                      ///< more features than rows
  bool pooled = false;                    ///< one scatter for all classes together
  /// 0 and 1 hardly vary in some classes: covariances are tied, or nearly so.
  bool indicators = false;
  double rows = 0, classes = 0;
  /// A calibration takes time that grows with the square of their number: fewer are tried.
  bool has_many_classes() const { return classes > 100; }
};

Extent extent_of(const Statistics& statistics) {
  Extent extent;
  extent.indicators = statistics.schema().has_level_indicators();
  for (const double weight : statistics.weights()) {
    extent.rows += weight;
    extent.classes += weight > 0 ? 1 : 0;
  }
  for (std::size_t b = 0; b < statistics.blocks().size(); ++b)
    if (const auto* block = std::get_if<GaussianStatistics>(&statistics.blocks()[b])) {
      extent.dense = extent.dense && block->kind != Scatter::diagonal;
      extent.thin = extent.thin || block->kind == Scatter::thin;
      extent.pooled = extent.pooled || block->kind == Scatter::pooled;
      extent.features =
          std::max(extent.features, std::ssize(statistics.schema().blocks()[b].features));
      ++extent.blocks;
    } else {
      extent.has_counts = true;
    }
  return extent;
}

std::vector<EstimateOptions> all_shapes(const Extent& extent) {
  const double mean_rows = extent.rows / std::max(extent.classes, 1.0);
  const auto rows = [&](double of_mean) {
    return Shrinkage::rows(few_digits(of_mean * mean_rows, 3));
  };
  std::vector<EstimateOptions> shapes;
  if (extent.blocks == 0) return {EstimateOptions()};
  if (extent.dense) {
    if (extent.indicators)
      shapes.push_back({.covariance = Covariance::tied, .shrinkage = Shrinkage::automatic()});
    if ((extent.features <= most_full_features || extent.thin) && !extent.pooled) {
      if (!extent.indicators)
        shapes.push_back({.covariance = Covariance::full, .shrinkage = Shrinkage::automatic()});
      for (const std::optional<double> share : {std::optional<double>(), {0.3}, {1.0}})
        for (const double v : {0.01, 0.1, 1.0, 10.0})
          if ((!(extent.has_many_classes() || extent.thin) || !share) &&
              (!extent.indicators || v == 10))
            shapes.push_back({.shrinkage = rows(v), .target_share = share});
      for (const double v : {0.1, 0.5, 2.0})
        if (!extent.has_many_classes() && !extent.indicators)
          shapes.push_back(
              {.shrinkage = rows(v), .target = Target::spherical, .target_share = 1.0});
    }
    shapes.push_back({.covariance = Covariance::tied, .shrinkage = Shrinkage::automatic()});
    if (const double dof = extent.rows - extent.classes; dof > 0)
      shapes.push_back({.covariance = Covariance::tied,
                        .shrinkage = Shrinkage::rows(few_digits(0.3 / 0.7 * dof, 3))});
    if (const double dof = extent.rows - extent.classes; extent.thin && dof > 0)
      for (const double v : {0.01, 0.1, 2.0})
        shapes.push_back(
            {.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(few_digits(v * dof, 3))});
    for (const Index count : {8, 15, 25, 40, 60, 100})
      for (const double v : {0.003, 0.1, 1.0})
        if (extent.blocks == 1 && !extent.pooled && count < extent.features &&
            static_cast<double>(count) < extent.rows / 3 &&
            (!extent.has_many_classes() || (v == 0.1 && (count == 15 || count == 40))))
          shapes.push_back(
              {.pca = Pca{.components = count}, .shrinkage = rows(v), .target_share = 0.001});
  } else {
    shapes.push_back({.covariance = Covariance::diag, .shrinkage = Shrinkage::automatic()});
  }
  for (const double v : {0.003, 0.1, 3.0})
    shapes.push_back({.covariance = Covariance::diag, .shrinkage = rows(v)});
  shapes.push_back({.covariance = Covariance::tied_diag, .shrinkage = Shrinkage::none()});
  return shapes;
}

}  // namespace

Proposals propose(const Statistics& statistics, const ChooseOptions& options) {
  if (options.given.shrink_means)
    throw InvalidArgument(
        Option{"shrink_means"} + " has no part in a choice, which leaves out one row at a time",
        "use " + Option{"covariance", "tied-diag"} + " or " + Option{"covariance", "diag"} +
            ", and name the tails");
  Extent extent = extent_of(statistics);
  if (const auto& keep = options.given.keep) extent.features = std::min(extent.features, *keep);
  std::optional<InvalidArgument> impossible;
  Proposals result;
  // These mix covariances in another way, beside which only a share can stand.
  const bool mixed_otherwise = options.given.towards_tied > 0 || !options.given.pooling.empty();
  for (EstimateOptions shape : all_shapes(extent)) {
    if (extent.has_counts) shape.smoothing = Smoothing::automatic();
    if (mixed_otherwise) {
      shape.shrinkage = {};
      shape.target = {};
      shape.target_share = {};
    }
    try {
      for (const std::string& name : options.fixed) {
        const EstimateOption& option = estimate_option(name);
        option.set(shape, option.text(options.given));
      }
      shape = resolve(shape);
    } catch (const InvalidArgument& error) {
      if (!impossible) impossible = error;
      continue;
    }
    if (std::ranges::find(result.shapes, shape) == result.shapes.end())
      result.shapes.push_back(std::move(shape));
  }
  if (result.shapes.empty()) throw *impossible;
  result.has_default =
      (extent.features <= most_full_features && !extent.pooled) || !extent.dense || extent.thin;
  result.tails = {Tails::normal()};
  if (is_fixed(options, "tails"))
    result.tails = {*result.shapes.front().tails};
  else if (extent.blocks > 0 && !extent.thin && result.shapes.front().inference != Inference::bayes)
    for (const double dof : {30.0, 8.0, 3.0})
      if (!extent.has_many_classes() || dof == 8) result.tails.push_back(Tails::student(dof));
  return result;
}

Scatter scatter_to_choose(const Schema& schema, const ChooseOptions& options,
                          std::optional<Index> rows) {
  const bool needed = is_fixed(options, "pca") || is_fixed(options, "lda") ||
                      (is_fixed(options, "covariance") && is_dense(options.given.covariance));
  std::size_t most = 0;
  for (const Block& block : schema.blocks())
    if (block.family == Family::gaussian) most = std::max(most, block.features.size());
  const Scatter wanted = needed || most <= static_cast<std::size_t>(most_dense_features)
                             ? Scatter::dense
                             : Scatter::diagonal;
  const bool unneeded = !needed && is_fixed(options, "covariance");
  return rows && !unneeded ? scatter_for_rows(wanted, schema, *rows) : wanted;
}

}  // namespace suffice
