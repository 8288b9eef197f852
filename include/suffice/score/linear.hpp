#pragma once
// Linear functions of rows of numbers: what is left of a model with a shared covariance, of naive
// Bayes over counts, or of any linear classifier, once its parameters are known.
//
//   score of class k:   x · w_k + c_k

#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

struct LinearFunctions {
  Matrix w;  ///< K × d, finite
  Vector c;  ///< K; −inf rules a class out
};

/// n × K, of dense or sparse rows without a schema: features are taken as they come and called x0,
/// x1, … in messages. A row that lacks a value scores NaN; ScoreOptions::relative is not looked at.
/// Throws InvalidArgument (shapes, parameters that are not finite), DataError (strings, an infinite
/// value, or a missing one where those are refused), Cancelled.
Matrix linear_scores(const LinearFunctions& functions, const RowBlock& rows,
                     const ScoreOptions& options = {}, const Execution& execution = {});

/// exp(s_k) / Σ_k exp(s_k) of the scores s, or with `log` its logarithm, n × K; NaN for a row whose
/// scores are all −inf. Throws as linear_scores.
Matrix linear_posteriors(const LinearFunctions& functions, const RowBlock& rows, bool log = false,
                         const ScoreOptions& options = {}, const Execution& execution = {});

/// The position of the largest score of each row, the first of equals, without an n × K matrix; -1
/// where all are −inf or NaN. Throws as linear_scores.
std::vector<Index> best_linear(const LinearFunctions& functions, const RowBlock& rows,
                               const ScoreOptions& options = {}, const Execution& execution = {});

}  // namespace suffice
