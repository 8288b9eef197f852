#pragma once
// The class shares of rows without labels: the priors under which the scores of these rows are most
// probable (Saerens, Latinne and Decaestecker 2002). The densities stay as they are; only the
// shares of the classes may differ from those in training.
//
//   PriorsEstimator estimator(model.labels());
//   for (RowBlock rows : blocks) estimator.add(calibrated_scores(model, rows));
//   const PriorsEstimate shares = estimator.finish();
//   decide(scores, shares.priors);

#include <span>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

struct PriorsEstimate {
  Priors priors;
  /// Per class: an interval for its share. It knows how few the rows are, not how wrong the
  /// densities may be. [0, 1] where the scores cannot tell classes apart.
  Vector low, high;
  double rows = 0;        ///< their weight
  double impossible = 0;  ///< the weight of rows left out, impossible under every class
  Index iterations = 0;
  /// The log-likelihood, per row, above that under `reference` of finish.
  double gain = 0;
};

class PriorsEstimator {
 public:
  /// Throws InvalidArgument for fewer than two classes.
  explicit PriorsEstimator(Names labels);

  /// Scores of some rows, maybe relative; 8 bytes per class are kept of each row. Weights count
  /// rows; none: all
  /// 1. Throws InvalidArgument where labels differ.
  void add(const LogLikelihoods& scores, std::span<const double> weights = {});

  /// The maximum of Σ w log Σ_c π_c p(x | c), by EM steps and Newton's. `reference` are priors to
  /// compare with. Throws InvalidArgument (no rows, a confidence outside (0, 1)), Cancelled.
  PriorsEstimate finish(const Priors& reference, double confidence = 0.95,
                        const Execution& execution = {}) const;

 private:
  Names labels_;
  std::vector<double> ratios_;  ///< rows × K: p(x | c) over the largest of the row
  std::vector<double> weights_;
  double impossible_ = 0;
};

}  // namespace suffice
