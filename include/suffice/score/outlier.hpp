#pragma once
// How unusual is a row? The score is the probability that the model itself, a mixture of its
// classes with the given probabilities, makes a row whose density is as low as this one's. So
// "score < 0.001" calls one in a thousand of the model's own rows an outlier.
//
// For one Gaussian class the score is the chi-squared tail of the Mahalanobis distance (for one
// joint Student's t the F tail). Otherwise it is (1 + m) / (1 + n), where m of n rows, sampled from
// the model with a fixed seed, are not more probable: a row of the model has a score of at most α
// with probability at most α. Far out, where fewer than 100 of them are, a model of one Gaussian
// block takes the bound
//   P(p(X) ≤ t) ≤ Σ_c π_c P(π_c p_c(X) ≤ t | c)
// if that is lower; its terms are such tails, P(χ²_d ≥ 2 (log π_c + log N_c(m_c) − log t)) for
// normal densities. A row that no class can make has the score 0, one without any value the
// score 1.
//
// The density is that of the features as they are transformed and projected: a score does not
// depend on whether a column was transformed beforehand or by the schema.
//
// A row is compared with rows that lack the same features and have documents of the same length.
// So the work is that of sampling and scoring n rows for each pattern of missing features that
// occurs, with documents as long as the longest one. Documents of more than 20000 / K words, of K
// classes, are compared with fewer samples: with 4e8 / (words · K), at least 2000.
//
// Scores of n samples are multiples of 1 / (1 + n). A level below which rows are outliers takes at
// least 10 / level samples, unless the bound serves the tail.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "suffice/score/log_likelihood.hpp"

namespace suffice {

struct OutlierOptions {
  std::uint64_t seed = 0;
  Index samples = 20000;  ///< rows of the model to compare with; fewer of long documents
  /// The score below which rows will be called outliers; it may take more samples. 0: not known.
  /// Where 10 million of them are not enough (below 1e-6), it is refused.
  double level = 0;
  /// Tails of normal densities allow for the rows that their mean and covariance were estimated
  /// from: of n rows of the class, with ν = n − 1 (tied: all rows less the classes) and D² by the
  /// covariance that divides by ν,
  ///   n/(n + 1) · (ν − d + 1)/(ν d) · D² ~ F(d, ν − d + 1),
  /// exactly so without shrinkage. Full and tied covariances; others stay χ².
  bool as_estimated = false;
};

/// One score in [0, 1] a row. `scores` are log_likelihood(model, rows), not relative ones;
/// `mixture` the probabilities of the classes (the priors of the decision).
/// Throws InvalidArgument where these do not fit together or the mixture is none, Cancelled.
Vector outlier_score(const Model& model, const RowBlock& rows, const LogLikelihoods& scores,
                     std::span<const double> mixture, const OutlierOptions& options = {},
                     const Execution& execution = {});

/// The same for several blocks of rows: what was sampled for one block serves the next ones.
class OutlierScorer {
 public:
  /// Keeps a view of the model.
  OutlierScorer(const Model& model, std::span<const double> mixture,
                const OutlierOptions& options = {});
  ~OutlierScorer();
  OutlierScorer(OutlierScorer&&) noexcept;

  Vector operator()(const RowBlock& rows, const LogLikelihoods& scores,
                    const Execution& execution = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How typical a row is of each class, if it is of that class: n × K tails as those of outlier
/// scores, as estimated, of each class by itself.
class TypicalityScorer {
 public:
  /// Keeps a view of the model.
  TypicalityScorer(const Model& model, const OutlierOptions& options = {});

  Matrix operator()(const RowBlock& rows, const LogLikelihoods& scores,
                    const Execution& execution = {});

 private:
  std::vector<OutlierScorer> classes_;  ///< those that have rows
  std::vector<Index> position_;
  Index labels_;
};

}  // namespace suffice
