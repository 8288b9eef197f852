#pragma once
// Logistic regression of the form of a generative model (models/logistic.hpp): weights that
// maximise the likelihood of the labels given the rows, by several passes over the rows.
//
//   minimise   Σ_i w_i log-loss_i + ½ λ |W|²
//
// W are the weights of the standardised terms, symmetric over the classes; of two classes it is
// their difference, one vector. Intercepts are free. λ is 1/C of scikit-learn.
//
//   const Model generative = estimate(statistics, {.covariance = Covariance::tied});
//   const LogisticFit fit = fit_logistic(generative, [&](const auto& use) {
//     for (RowBlock rows : blocks) use(rows);
//   }, {.penalty = 1});
//   log_likelihood(fit.model, rows);

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/train/passes.hpp"

namespace suffice {

struct LogisticOptions {
  /// λ ≥ 0. Unset: the one of a path that predicts best, by folds.
  std::optional<double> penalty = {};
  /// Whether the penalty is on the weights of standardised terms; otherwise it is on those of the
  /// terms as they are, and squares and products are those of the numbers themselves.
  bool standardize = true;
  /// Whether each class has an intercept. Without them, terms are not centred.
  bool intercept = true;
  Index folds = 5;         ///< that choose the penalty; the rows of each class are dealt to them
  std::uint64_t seed = 0;  ///< of the folds
  bool errors = true;      ///< whether standard errors are worked out, where that is possible
  /// Passes at most, for each penalty; and the largest derivative, per row, at which they end.
  PassOptions passes = {.iterations = 1000, .tolerance = 1e-9};
};

/// A penalty that was tried.
struct TriedPenalty {
  double penalty = 0;
  double log_loss = 0;  ///< per row, of rows that were left out
};

struct LogisticFit {
  Model model;  ///< the generative model with its twin
  double penalty = 0;
  std::vector<TriedPenalty> tried = {};  ///< where the penalty was not given, largest first
  Index passes = 0;                      ///< over the rows, all of them
  bool converged = false;
  /// The likelihood has no finite maximum: some classes can be told apart without error, and
  /// weights grow without bound. They were left where the loss no longer falls.
  bool separable = false;
  double log_loss = 0;  ///< per row, of the training rows
  Index filled = 0;     ///< values that were missing, or levels that the model does not know
};

/// `generative` is the model of the rows, which have labels, and says which form the twin has; its
/// densities say what is expected where a value is missing. Throws InvalidArgument (fewer than two
/// classes have rows; the rows are not those of the model; options), DataError as log_likelihood,
/// Cancelled.
LogisticFit fit_logistic(const Model& generative, const RowPass& rows,
                         const LogisticOptions& options = {}, const Execution& execution = {});

/// The densities beside the weights: what `estimate` makes of the options without the weights.
/// Where a covariance is singular, it is shrunk some way towards a spherical one, since these
/// densities only fill in what is missing.
Model densities_beside(const EstimateOptions& options,
                       const std::function<Model(const EstimateOptions&)>& estimate);

}  // namespace suffice
