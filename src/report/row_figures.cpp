#include "report/row_figures.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "decide/row_ratios.hpp"

namespace suffice {

using kernels::rows_at_once;

const Index RowFigures::most_rows = rows_at_once;

RowFigures::RowFigures(const Priors& priors, const Vector& log_others, Index curves)
    : priors_(priors), log_others_(log_others), classes_(log_others.size()), curves_(curves) {}

RowFigures::Scratch::Scratch(Index classes, Index curves)
    : scores(classes * rows_at_once),
      masses(classes * rows_at_once),
      ratios(curves * rows_at_once) {}

void RowFigures::operator()(const double* scores, std::span<const Index> truth, RowAnswer* answers,
                            Scratch& scratch) const {
  const Index n = std::ssize(truth), rows = kernels::padded(n);
  alignas(64) double largest[rows_at_once], best[rows_at_once], others[rows_at_once];
  alignas(64) double known[rows_at_once] = {}, log_loss[rows_at_once], brier[rows_at_once];
  const kernels::RowLanes lanes{largest, best, others};
  double* const score = scratch.scores.data();
  double* const mass = scratch.masses.data();
  for (Index i = 0; i < n; ++i) known[i] = static_cast<double>(truth[i]);
  kernels::transpose(scores, classes_, n, classes_, nullptr, score, rows_at_once);
  for (Index c = 0; n < rows && c < classes_; ++c)
    std::fill(score + c * rows_at_once + n, score + c * rows_at_once + rows, 0.0);

  const double* const log_prior = priors_.log().data();
  kernels::row_masses(score, classes_, rows, log_prior, mass, lanes);
  kernels::row_losses(score, mass, classes_, rows, log_prior, lanes, known, log_loss, brier);
  double* const ratios = scratch.ratios.data();
  if (curves_ > 1)
    kernels::row_ratios(score, mass, classes_, rows, log_others_.data(), lanes, ratios);
  for (Index i = 0; i < n; ++i) {
    const double* const row = scores + i * classes_;
    if (curves_ == 1) ratios[i] = log_ratio(row[0], row[1]);
    if (!std::isfinite(largest[i])) {
      one_by_one(row, truth[i], i, answers[i], scratch);
      continue;
    }
    const auto decided = static_cast<Index>(best[i]);
    answers[i] = {decided, Status::ok, others[i] / (1 + others[i]), {log_loss[i], brier[i]}};
    if (curves_ > 1 && others[i] <= least_mass)
      ratios[decided * rows_at_once + i] =
          log_ratio(row[decided], log_rest_by_second(row, priors_, decided) - log_others_[decided]);
  }
}

void RowFigures::one_by_one(const double* score, Index truth, Index row, RowAnswer& answer,
                            Scratch& scratch) const {
  RowPosterior posterior(classes_);
  posterior.set(score, priors_);
  answer = {posterior.best(), Status::ok, posterior.others() / (1 + posterior.others()), {}};
  if (truth >= 0) answer.losses = losses_of(posterior, score, priors_, truth);
  if (curves_ <= 1) return;
  Vector of_row(classes_);
  ratios_of_row(score, posterior, priors_, log_others_, of_row.data());
  for (Index c = 0; c < classes_; ++c) scratch.ratios[c * rows_at_once + row] = of_row[c];
}

}  // namespace suffice
