#include "suffice/decide/posteriors.hpp"

#include <string>
#include <utility>

#include "core/constants.hpp"
#include "core/posterior_rows.hpp"
#include "core/special_functions.hpp"
#include "decide/for_rows.hpp"
#include "decide/row_ratios.hpp"
#include "decide/same_labels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

void require_fit(const LogLikelihoods& scores, const Priors& priors) {
  require_columns(scores);
  require_same_labels(scores.labels, "the scores", priors.labels(), "the priors");
}

/// Posteriors or their logarithms; rows under which no class is possible have `others`, the priors.
Matrix normalised(LogLikelihoods scores, const Priors& priors, const Vector& others, bool log,
                  const Execution& execution) {
  require_fit(scores, priors);
  const Vector& log_prior = priors.log();
  const PosteriorRows normalise({log_prior.begin(), log_prior.end()},
                                {others.begin(), others.end()}, log);
  for_rows(scores.rows(), scores.labels.size(), execution, [&](Index first, Index last) {
    normalise(scores.values.row(first).data(), last - first);
  });
  return std::move(scores.values);
}

}  // namespace

Matrix posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution) {
  return normalised(std::move(scores), priors, priors.probabilities(), false, execution);
}

Matrix log_posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution) {
  return normalised(std::move(scores), priors, priors.log(), true, execution);
}

Vector log_density(const LogLikelihoods& scores, const Priors& priors, const Execution& execution) {
  require_fit(scores, priors);
  if (scores.relative)
    throw InvalidArgument(
        "relative scores lack a term that all classes share, so log p(x) cannot be computed from "
        "them",
        "score with {.relative = false}");
  const Index classes = scores.labels.size();
  Vector result(scores.rows());
  for_rows(scores.rows(), scores.labels.size(), execution, [&](Index first, Index last) {
    Vector joint(classes);
    for (Index i = first; i < last; ++i) {
      const double* score = scores.values.row(i).data();
      for (Index c = 0; c < classes; ++c) joint[c] = score[c] + priors.log()[c];
      result[i] = log_sum_exp(joint);
    }
  });
  return result;
}

Matrix log_likelihood_ratios(LogLikelihoods scores, const Priors& priors,
                             const Execution& execution) {
  require_fit(scores, priors);
  const Index classes = scores.labels.size();
  if (classes < 2) throw InvalidArgument("a log-likelihood ratio needs at least two classes");
  if (classes == 2) {
    Matrix result(scores.rows(), 1);
    for (Index i = 0; i < scores.rows(); ++i)
      result(i, 0) = log_ratio(scores.values(i, 0), scores.values(i, 1));
    return result;
  }
  const Vector log_others = log_of_other_priors(priors);
  for (Index c = 0; c < classes; ++c)
    if (log_others[c] == -infinity)
      throw InvalidArgument(
          "class '" + scores.labels[c] +
              "' has the prior 1, so the other classes have no prior-weighted mean",
          "give another class a prior above 0");
  for_rows(scores.rows(), scores.labels.size(), execution, [&](Index first, Index last) {
    RowPosterior posterior(classes);
    for (Index i = first; i < last; ++i) {
      double* score = scores.values.row(i).data();
      posterior.set(score, priors);
      ratios_of_row(score, posterior, priors, log_others, score);
    }
  });
  return std::move(scores.values);
}

}  // namespace suffice
