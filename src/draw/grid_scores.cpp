#include "draw/grid_scores.hpp"

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice::draw {

Priors priors_of(const Model& model, const plot::Options& options) {
  return options.priors ? *options.priors : Priors::from_counts(model);
}

std::string decision_note(const Model& model, const plot::Options& options) {
  std::string note;
  if (options.priors) {
    note = "Priors:";
    for (Index c = 0; c < std::min<Index>(model.labels().size(), 6); ++c)
      note += (c ? ", " : " ") + model.labels()[c] + " " + short_number((*options.priors)[c], 3);
    note += model.labels().size() > 6 ? ", …" : ".";
  }
  if (options.costs) note += std::string(note.empty() ? "" : " ") + "Costs as given.";
  return note;
}

GridScores::GridScores(const View& view, const plot::Options& options, const Domain& x,
                       const Domain& y, Index across, Index down)
    : x_(x), y_(y), across_(across), down_(down), classes_(view.model.labels().size()) {
  const Index n = across * down, axes = view.axes();
  Matrix points(n, axes);
  for (Index i = 0; i < down; ++i)
    for (Index j = 0; j < across; ++j) {
      points(at(i, j), 0) = this->x(static_cast<double>(j));
      if (axes > 1) points(at(i, j), 1) = this->y(static_cast<double>(i));
    }
  LogLikelihoods scores = suffice::log_likelihood(view.model, points);
  scores_ = scores.values;
  if (view.model.calibration()) scores = calibrated_scores(view.model, points);
  const Matrix decisive = scores.values;
  const Priors priors = priors_of(view.model, options);
  posteriors_ = posteriors(std::move(scores), priors);
  log_cost_ = Matrix(n, classes_);
  if (options.costs)
    fill_costs(decisive, priors, *options.costs);
  else
    fill_mistakes(decisive, priors);
  find_cheapest();
}

/// What deciding k costs where c is true, in logs and with the prior. Costs are taken relative to
/// the right decision, so that they are not negative.
void GridScores::fill_costs(const Matrix& scores, const Priors& priors, const Costs& costs) {
  Matrix weight(classes_, classes_);
  for (Index c = 0; c < classes_; ++c) {
    const double least = std::ranges::min(costs.matrix().row(c));
    for (Index k = 0; k < classes_; ++k)
      weight(k, c) = priors.log()[c] + std::log(costs(c, k) - least);
  }
  std::vector<double> terms(static_cast<std::size_t>(classes_));
  for (Index i = 0; i < scores.rows(); ++i)
    for (Index k = 0; k < classes_; ++k) {
      for (Index c = 0; c < classes_; ++c) {
        terms[c] = scores(i, c) + weight(k, c);
        if (std::isnan(terms[c])) terms[c] = -infinity;
      }
      log_cost_(i, k) = log_sum_exp(terms);
    }
}

/// The same where every mistake costs 1, in one pass over the classes: all but the own one. Of the
/// most probable class these are added up, of another one they are at least half of all.
void GridScores::fill_mistakes(const Matrix& scores, const Priors& priors) {
  std::vector<double> terms(static_cast<std::size_t>(classes_));
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index c = 0; c < classes_; ++c) {
      terms[c] = scores(i, c) + priors.log()[c];
      if (std::isnan(terms[c])) terms[c] = -infinity;
    }
    const Index best = std::ranges::max_element(terms) - terms.begin();
    const double all = log_sum_exp(terms);
    for (Index k = 0; k < classes_; ++k)
      log_cost_(i, k) = all == -infinity ? all : all + std::log1p(-std::exp(terms[k] - all));
    terms[best] = -infinity;
    log_cost_(i, best) = log_sum_exp(terms);
  }
}

void GridScores::find_cheapest() {
  const Index n = log_cost_.rows();
  cheapest_.assign(static_cast<std::size_t>(n), 0);
  next_ = Vector(n);
  for (Index i = 0; i < n; ++i) {
    next_[i] = infinity;
    for (Index c = 1; c < classes_; ++c) {
      const double cost = log_cost_(i, c), least = log_cost_(i, cheapest_[i]);
      next_[i] = std::min(next_[i], std::max(cost, least));
      if (cost < least) cheapest_[i] = c;
    }
  }
}

double GridScores::x(double column) const {
  return x_.from +
         (x_.to - x_.from) * column / static_cast<double>(std::max<Index>(across_ - 1, 1));
}
double GridScores::y(double row) const {
  return y_.from + (y_.to - y_.from) * row / static_cast<double>(std::max<Index>(down_ - 1, 1));
}

Matrix GridScores::log_likelihood(Index c) const {
  Matrix result(down_, across_);
  for (Index k = 0; k < result.size(); ++k) result.data()[k] = scores_(k, c);
  return result;
}

Matrix GridScores::posterior(Index c) const {
  Matrix result(down_, across_);
  for (Index k = 0; k < result.size(); ++k) result.data()[k] = posteriors_(k, c);
  return result;
}

Matrix GridScores::margin(Index c) const {
  constexpr double most = 1e6;  // infinite margins would put borders in the middle of a cell
  Matrix result(down_, across_);
  for (Index k = 0; k < result.size(); ++k) {
    const double others = cheapest_[k] == c ? next_[k] : log_cost_(k, cheapest_[k]);
    const double margin = others - log_cost_(k, c);
    result.data()[k] = std::isnan(margin) ? -1 : std::clamp(margin, -most, most);
  }
  return result;
}

Index GridScores::decided(Index row, Index column) const { return cheapest_[at(row, column)]; }

}  // namespace suffice::draw
