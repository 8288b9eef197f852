#pragma once
// The discriminative twin of a model: multinomial logistic regression on the terms of its form.
// Weights are found for the posteriors themselves (train/logistic.hpp); no density has a part in
// the scores.
//
//   log P(c | x) = intercept[c] + Σ_t weights(c, t) (φ_t(x) − center[t]) + terms that classes share
//
// The terms φ of each block, in the block's order:
//
//   numbers, tied structures           x_j
//   numbers, diag and spherical        x_j, then (x_j − origin_j)²
//   numbers, full                      x_j, then (x_i − origin_i)(x_j − origin_j) for i ≤ j
//   categories                         1 at a level and 0 elsewhere, for each level
//   other families                     x_j

#include <string>
#include <tuple>
#include <vector>

#include "suffice/core/fields.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

class Model;

/// The training prior is part of the intercepts; scores divide it out, so that priors and costs can
/// still be chosen last. Terms of features that are constant are left out.
struct Logistic {
  Matrix weights;    ///< K × terms, those of all blocks side by side; each column sums to 0
  Vector intercept;  ///< K; they sum to 0
  Vector center;     ///< per term: its mean over the training rows
  Vector scale;      ///< per term: its standard deviation over the training rows
  /// Per number that is squared or multiplied: its mean, so that its powers keep their digits.
  /// Empty: there are none.
  Vector origin = {};
  /// Standard errors of the weights, from the inverse Hessian; empty: they are not known.
  Matrix errors = {};
  /// Those of the intercepts at which all terms are 0: intercept[c] − Σ_t weights(c, t) center[t].
  Vector intercept_errors = {};

  static constexpr auto fields() {
    return std::tuple{Field{"weights", &Logistic::weights},
                      Field{"intercept", &Logistic::intercept},
                      Field{"center", &Logistic::center},
                      Field{"scale", &Logistic::scale},
                      Field{"origin", &Logistic::origin, Presence::optional},
                      Field{"errors", &Logistic::errors, Presence::optional},
                      Field{"intercept_errors", &Logistic::intercept_errors, Presence::optional}};
  }
  friend bool operator==(const Logistic&, const Logistic&) = default;
};

/// What a term is made of.
struct LogisticTerm {
  std::size_t block = 0;
  std::string name;  ///< "length", "length²", "length·width", "colour=red"
};

/// The terms of the twin of a model, in the order of its weights; the model itself may be
/// generative.
std::vector<LogisticTerm> logistic_terms(const Model& model);

/// The intercepts where all terms are 0: what other programs call the intercept of a linear model.
Vector intercept_at_zero(const Logistic& logistic);

/// Throws InvalidArgument where the scores of the model are not made of densities: "an outlier
/// score" needs them, for example. `what` begins the sentence.
void require_densities(const Model& model, const std::string& what);

}  // namespace suffice
