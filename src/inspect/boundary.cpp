#include "suffice/inspect/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "data/transform.hpp"
#include "models/gaussian_density.hpp"
#include "models/marginal.hpp"
#include "suffice/core/error.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {
namespace {

/// The model of one feature; none of the others has a part in it.
Model model_of_feature(const Model& model, Index feature) {
  const Schema& schema = model.schema();
  if (feature < 0 || feature >= schema.size())
    throw InvalidArgument("there is no feature number " + std::to_string(feature));
  const Feature& of = schema.feature(feature);
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw InvalidArgument({.features = {of.name}}, what, hint);
  };
  if ((of.family != Family::gaussian && of.family != Family::exponential) || of.indicator)
    refuse("only along a number is there a point where the decision changes",
           "choose a gaussian or exponential feature");
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    const auto* gaussian = std::get_if<GaussianDensity>(&model.densities()[b]);
    if (gaussian && !gaussian->projection.empty() &&
        std::ranges::count(schema.blocks()[b].features, feature) > 0)
      refuse("the model knows only projections of this feature",
             "estimate one without pca and lda");
  }
  if (schema.size() == 1) return model;
  if (model.logistic())
    refuse("what a discriminative model says of one feature depends on the others",
           "fit one to this column alone");
  std::vector<bool> missing(at(schema.size()), true);
  missing[at(feature)] = false;
  return marginal(model, missing, model.weights());
}

/// The decisions at numbers t: those that a Gaussian density is about, transformed ones.
class DecisionsAlong {
 public:
  DecisionsAlong(const Model& model, const Priors& priors, const Costs& costs)
      : model_(model), transform_(model.schema().feature(0).transform), weight_(costs.matrix()) {
    // What deciding k costs where c is true, with its prior, in logs. Costs are taken relative to
    // the least of the class, so that they are not negative.
    for (Index c = 0; c < weight_.rows(); ++c) {
      const double least = std::ranges::min(costs.matrix().row(c));
      for (double& cost : weight_.row(c)) cost = priors.log()[c] + std::log(cost - least);
    }
  }

  double number(double t) const { return transformed_back(transform_, t); }
  /// Whether a number has that t: no √x is −1, and no number is e^1000.
  bool has_number(double t) const {
    return std::abs(transformed(transform_, number(t)) - t) <= 1e-6 * (1 + std::abs(t));
  }

  /// The cheapest decision; of two that are equal up to rounding the one before it.
  std::vector<Index> operator()(std::span<const double> points) const {
    Matrix rows(std::ssize(points), 1);
    for (std::size_t i = 0; i < points.size(); ++i)
      rows(static_cast<Index>(i), 0) = number(points[i]);
    const Matrix scores = calibrated_scores(model_, RowBlock(rows), {}, {.threads = 1}).values;
    std::vector<Index> decided;
    for (Index i = 0; i < scores.rows(); ++i)
      decided.push_back(cheapest(scores.row(i), decided.empty() ? -1 : decided.back()));
    return decided;
  }

 private:
  Index cheapest(std::span<const double> scores, Index before) const {
    const Index classes = weight_.rows();
    Vector cost(classes), terms(classes);
    double largest = 1;
    for (const double score : scores)
      if (std::isfinite(score)) largest = std::max(largest, std::abs(score));
    for (Index k = 0; k < classes; ++k) {
      for (Index c = 0; c < classes; ++c) {
        terms[c] = scores[at(c)] + weight_(c, k);
        if (std::isnan(terms[c])) terms[c] = -infinity;
      }
      cost[k] = log_sum_exp(terms);
    }
    const Index best = std::ranges::min_element(cost) - cost.begin();
    const bool is_tie =
        before >= 0 && (cost[before] == cost[best] || cost[before] - cost[best] < 1e-14 * largest);
    return is_tie ? before : best;
  }

  const Model& model_;
  Transform transform_;
  Matrix weight_;
};

/// Where and how wide the density of a component is.
struct Hill {
  double center, width, log_weight;
};

std::vector<Hill> hills_of(const Model& model, const Priors& priors) {
  const Model& components = model.components();
  Vector probability = priors.probabilities();
  if (model.mixture()) probability = model.mixture()->probabilities(probability);
  std::vector<Hill> hills;
  for (Index g = 0; g < components.labels().size(); ++g) {
    if (!(components.weights()[g] > 0) || !(probability[g] > 0)) continue;
    const double log_weight = std::log(probability[g]);
    if (const auto* times = std::get_if<ExponentialDensity>(&model.densities()[0]))
      hills.push_back({0, 1 / times->rate(g, 0), log_weight});
    else if (const auto& density = std::get<GaussianDensity>(model.densities()[0]);
             density.constant.empty())
      hills.push_back({density.mean(g, 0),
                       std::sqrt(diagonal_at(density, g, 0) * scale_at(density, g, 0)),
                       log_weight});
  }
  return hills;
}

/// Where two weighted densities are equal: normal ones, or those of waiting times.
void add_crossings(const Hill& a, const Hill& b, bool waits, std::vector<double>& to) {
  const double level = a.log_weight - b.log_weight - std::log(a.width / b.width);
  if (waits) {
    to.push_back(level / (1 / a.width - 1 / b.width));
    return;
  }
  // log a − log b = p y² − 2 q y + r, of y = t − a.center.
  const double va = a.width * a.width, vb = b.width * b.width, delta = b.center - a.center;
  const double p = 0.5 * (1 / vb - 1 / va), q = 0.5 * delta / vb,
               r = 0.5 * delta * delta / vb + level;
  const double root = std::sqrt(std::max(q * q - p * r, 0.0));
  const double larger = q + std::copysign(root, q);
  to.push_back(a.center + r / larger);
  to.push_back(a.center + larger / p);
}

/// Numbers between which no decision is overlooked: crossings of densities, and many more.
std::vector<double> points_to_try(const std::vector<Hill>& hills, bool waits, double lowest) {
  constexpr std::size_t most_pairs = 64;
  std::vector<double> points;
  for (std::size_t a = 0; a < hills.size() && hills.size() <= most_pairs; ++a)
    for (std::size_t b = a + 1; b < hills.size(); ++b)
      add_crossings(hills[a], hills[b], waits, points);
  const double step = 14.5 / std::clamp(20000.0 / static_cast<double>(hills.size()), 30.0, 500.0);
  for (const Hill& hill : hills)
    for (double u = 0; u <= 14.5; u += step) {  // up to a million widths
      points.push_back(hill.center - hill.width * std::sinh(u));
      points.push_back(hill.center + hill.width * std::sinh(u));
    }
  std::erase_if(points, [&](double t) { return !(std::isfinite(t) && t > lowest); });
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  if (points.empty()) return points;
  std::vector<double> between;
  const double low = points.front(), high = points.back();
  between.push_back(lowest == -infinity ? low - (1 + std::abs(low)) : low / 2 + lowest / 2);
  for (std::size_t i = 1; i < points.size(); ++i)
    between.push_back(points[i - 1] + (points[i] - points[i - 1]) / 2);
  between.push_back(high + (1 + std::abs(high)));
  return between;
}

}  // namespace

std::vector<BoundaryPoint> boundary(const Model& of, Index feature, const Priors& priors,
                                    const Costs& costs) {
  if (priors.labels() != of.labels() || costs.labels() != of.labels())
    throw InvalidArgument("the priors or costs are over other classes than the model",
                          "give those of its classes");
  const Model model = model_of_feature(of, feature);
  const DecisionsAlong decide(model, priors, costs);
  const bool waits = std::holds_alternative<ExponentialDensity>(model.densities()[0]);
  std::vector<double> points =
      points_to_try(hills_of(model, priors), waits, waits ? 0.0 : -infinity);
  std::erase_if(points, [&](double t) { return !decide.has_number(t); });
  const std::vector<Index> decided = decide(points);
  std::vector<BoundaryPoint> result;
  for (std::size_t i = 1; i < points.size(); ++i) {
    double low = points[i - 1];
    for (Index left = decided[i - 1]; left != decided[i];) {
      double high = points[i];
      Index right = decided[i];
      for (int halves = 0; halves < 200; ++halves) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high)) break;
        const Index there = decide(std::span(&middle, 1)).front();
        if (there == left) {
          low = middle;
        } else {
          high = middle;
          right = there;
        }
      }
      const double x = decide.number(high);
      if (!result.empty() && result.back().x == x)
        result.back().right = right;
      else
        result.push_back({x, left, right});
      left = right;
      low = high;
    }
  }
  return result;
}

std::vector<BoundaryPoint> boundary(const Model& model, Index feature, const Priors& priors) {
  return boundary(model, feature, priors, Costs::zero_one(model.labels()));
}

}  // namespace suffice
