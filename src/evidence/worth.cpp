#include "evidence/worth.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/quoted.hpp"
#include "suffice/core/error.hpp"
#include "suffice/evidence/evidence.hpp"

namespace suffice {
namespace {

/// log Σ exp(values), of few numbers.
double log_sum(const double* values, std::size_t count) {
  if (count == 1) return values[0];
  const double most = *std::max_element(values, values + count);
  if (!std::isfinite(most)) return most;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += std::exp(values[k] - most);
  return most + std::log(sum);
}

}  // namespace

Worth::Worth(const Model& model, const Priors& priors, Index of, Index against) {
  add(of_, model, of, 0);
  if (against != Contrast::others) {
    add(against_, model, against, 0);
    return;
  }
  double others = 0;
  for (Index c = 0; c < model.labels().size(); ++c)
    if (c != of) others += priors[c];
  for (Index c = 0; c < model.labels().size(); ++c)
    if (c != of && model.weights()[c] > 0 && priors[c] > 0)
      add(against_, model, c, priors.log()[c] - std::log(others));
  if (against_.classes.empty())
    throw InvalidArgument("class " + quoted(model.labels()[of]) +
                              " cannot be compared with all others: their priors are 0",
                          "name the class that it is to be compared with, or give other priors");
}

Worth::Worth(double scale, Index a, Index b) {
  components_ = {a};
  of_ = {{Class{.scale = scale, .parts = {0}, .log_share = {0}}}, {0}};
  if (b < 0) return;
  components_.push_back(b);
  against_ = {{Class{.scale = scale, .parts = {1}, .log_share = {0}}}, {1}};
}

void Worth::add(Side& side, const Model& model, Index c, double log_weight) {
  Class& to = side.classes.emplace_back(Class{.log_weight = log_weight});
  const std::optional<Calibration>& calibration = model.calibration();
  if (calibration) to.offset = calibration->offset[c];
  const auto add_part = [&](Index component, double log_share) {
    to.parts.push_back(std::ssize(components_));
    to.log_share.push_back(log_share);
    side.parts.push_back(to.parts.back());
    components_.push_back(component);
  };
  if (!model.mixture()) return add_part(c, 0);
  if (calibration) to.scale = calibration->scale[0];
  const Vector shares = model.mixture()->shares();
  for (Index g = 0; g < shares.size(); ++g)
    if (model.mixture()->label[at(g)] == c && shares[g] > 0) add_part(g, std::log(shares[g]));
}

double Worth::Side::score(const double* scores) const {
  std::vector<double> of_classes, joint;
  for (const Class& c : classes) {
    joint.clear();
    for (std::size_t k = 0; k < c.parts.size(); ++k)
      joint.push_back(scores[c.parts[k]] + c.log_share[k]);
    const double score = log_sum(joint.data(), joint.size());
    of_classes.push_back(score == -infinity ? score : c.log_weight + c.scale * score + c.offset);
  }
  return of_classes.empty() ? 0 : log_sum(of_classes.data(), of_classes.size());
}

double Worth::operator()(const double* scores) const {
  return of_.score(scores) - against_.score(scores);
}

}  // namespace suffice
