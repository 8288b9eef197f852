#pragma once
// The probabilities of the classes before a row is seen. They belong to the application, not to a
// model.

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"

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
  /// (w_c + α) / Σ (w + α): the training frequencies, with α pseudo-rows per class. A class of
  /// weight 0 has prior 0 whatever α.
  static Priors from_counts(const Names& labels, std::span<const double> weights,
                            double smoothing = 0);
  /// (w_c + α_c) / Σ (w + α), with pseudo-rows of each class, also of those that have no rows: the
  /// mean of the posterior under a Dirichlet(α) prior (of two classes a Beta prior), and its mode
  /// (MAP) under Dirichlet(α + 1). Throws InvalidArgument where one is negative.
  static Priors from_counts(const Names& labels, std::span<const double> weights,
                            std::span<const double> pseudo_counts);
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
  template <class T>
  requires requires(const T& x) {
    x.labels().size();
    x.weights().size();
  }
  static Priors from_counts(const T& of, std::span<const double> pseudo_counts) {
    return from_counts(of.labels(), of.weights(), pseudo_counts);
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

}  // namespace suffice
