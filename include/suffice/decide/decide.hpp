#pragma once
// From log-likelihoods to answers, under the priors and the costs of the application. Nothing is
// trained again: the same log-likelihoods serve every prior and every cost.
//
//   posterior        P(c | x) = exp(log p(x|c) + log π_c − log p(x)),  log p(x) by log-sum-exp
//   expected cost    of deciding k:  Σ_c P(c | x) C(c, k);  the smallest wins

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// The probability of each class before a row is seen. Zero is allowed: that class is ruled out.
class Priors {
 public:
  /// Probabilities in the order of the labels, which is that of Names (sorted), not that in which
  /// they were written down. Throws InvalidArgument where one is negative or they do not sum to 1
  /// (to 1e-9).
  Priors(Names labels, std::span<const double> probabilities);
  /// By name; every class must be named once.
  Priors(Names labels, const std::vector<std::pair<std::string, double>>& probabilities);
  Priors(Names labels, std::initializer_list<double> probabilities)
      : Priors(std::move(labels),
               std::span<const double>(probabilities.begin(), probabilities.size())) {}

  static Priors uniform(const Names& labels);
  /// (w_c + α) / Σ (w + α): the training frequencies, with α pseudo-rows a class. A class of weight
  /// 0 has prior 0 whatever α.
  static Priors from_counts(const Names& labels, std::span<const double> weights,
                            double smoothing = 0);
  /// The same, of anything that has labels (and weights): a model, statistics.
  template <class T>
  requires requires(const T& x) { x.labels().size(); }
  static Priors uniform(const T& of) { return uniform(of.labels()); }
  template <class T>
  requires requires(const T& x) {
    x.labels().size();
    x.weights().size();
  }
  static Priors from_counts(const T& of, double smoothing = 0) {
    return from_counts(of.labels(), of.weights(), smoothing);
  }

  const Names& labels() const noexcept { return labels_; }
  double operator[](Index c) const noexcept { return probability_[c]; }
  const Vector& probabilities() const noexcept { return probability_; }
  const Vector& log() const noexcept { return log_; }

 private:
  Names labels_;
  Vector probability_;
  Vector log_;
};

/// C(true, decided) ≥ or < 0; usually 0 on the diagonal.
class Costs {
 public:
  /// Every mistake costs 1.
  static Costs zero_one(const Names& labels);
  template <class T>
  requires requires(const T& x) { x.labels().size(); }
  static Costs zero_one(const T& of) { return zero_one(of.labels()); }
  /// true × decided, in the (sorted) order of the labels. Throws InvalidArgument on another shape
  /// or a cost that is not finite.
  Costs(Names labels, Matrix cost);
  struct Entry {
    std::string truth, decided;
    double cost;
  };
  /// Named pairs; what is not named costs 1 for a mistake and 0 for a right decision.
  Costs(Names labels, const std::vector<Entry>& entries);

  const Names& labels() const noexcept { return labels_; }
  double operator()(Index truth, Index decided) const noexcept { return cost_(truth, decided); }
  const Matrix& matrix() const noexcept { return cost_; }

 private:
  Names labels_;
  Matrix cost_;
};

/// Two classes: deciding with these priors and costs is deciding with this prior of the first class
/// and cost 1 for each mistake: π₁(C₁₂ − C₁₁) / (π₁(C₁₂ − C₁₁) + π₂(C₂₁ − C₂₂)).
/// Throws InvalidArgument for another number of classes, or where a mistake is cheaper than the
/// right decision.
double effective_prior(const Priors& priors, const Costs& costs);

// These four take rows on the threads of `execution` and throw InvalidArgument where labels differ,
// Cancelled. Those that take their scores by value answer in the scores' own memory:
// posteriors(std::move(scores), priors) makes no second n × K matrix.

/// n × K. A row that is impossible under every class with a prior (log p(x) = −inf) tells nothing:
/// its posteriors are the priors.
Matrix posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution = {});
/// log P(c | x), n × K: right where the posterior itself underflows.
Matrix log_posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution = {});
/// log p(x) = log Σ_c π_c p(x | c). Throws InvalidArgument for relative scores.
Vector log_density(const LogLikelihoods& scores, const Priors& priors,
                   const Execution& execution = {});
/// n × K: log p(x | c) minus the log of the prior-weighted mean of the other classes; for two
/// classes n × 1: the first over the second. 0 where both sides are impossible (−inf).
/// Throws InvalidArgument for one class, and for three or more where one has the prior 1: the
/// others have no mean then.
Matrix log_likelihood_ratios(LogLikelihoods scores, const Priors& priors,
                             const Execution& execution = {});

enum class Status : std::uint8_t { ok, reject, outlier };
std::string_view to_string(Status status);

struct DecideOptions {
  /// The cost of saying "I do not know"; a row whose best decision would cost more is rejected.
  std::optional<double> reject = {};
  /// Rows with an outlier score below this are outliers, rejected or not; needs `outlier_scores`.
  std::optional<double> outlier = {};
  std::span<const double> outlier_scores = {};
};

struct Decisions {
  std::vector<Index> classes;  ///< position in `labels`; -1 for a rejected row or an outlier
  std::vector<Status> status;
  /// Of what was decided; of a rejected row the cost of rejection; NaN for an outlier, whose
  /// posteriors mean nothing.
  Vector expected_cost;
  Names labels;

  Index rows() const noexcept { return static_cast<Index>(classes.size()); }
  /// The name of the class, empty where none was decided.
  std::string_view label(Index row) const {
    const Index c = classes[static_cast<std::size_t>(row)];
    return c < 0 ? std::string_view() : std::string_view(labels[c]);
  }
};

/// The cheapest decision for each row; the first of equals.
/// Throws InvalidArgument where labels differ or an option cannot be, Cancelled.
Decisions decide(const LogLikelihoods& scores, const Priors& priors, const Costs& costs,
                 const DecideOptions& options = {}, const Execution& execution = {});
/// With cost 1 for every mistake: the most probable class.
Decisions decide(const LogLikelihoods& scores, const Priors& priors,
                 const DecideOptions& options = {}, const Execution& execution = {});

}  // namespace suffice
