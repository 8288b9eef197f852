#include "suffice/decide/posteriors.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/constants.hpp"
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

/// joint[c] = log p(x | c) + log π_c, which may take the place of the score; returns the largest.
double join(const double* score, const double* log_prior, Index classes, double* joint) {
  double largest = -infinity;
  for (Index c = 0; c < classes; ++c) {
    joint[c] = score[c] + log_prior[c];
    largest = std::max(largest, joint[c]);
  }
  return largest;
}

}  // namespace

Matrix posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution) {
  require_fit(scores, priors);
  const Index classes = scores.labels.size();
  for_rows(scores.rows(), scores.labels.size(), execution, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      double* p = scores.values.row(i).data();
      const double largest = join(p, priors.log().data(), classes, p);
      if (largest == -infinity) {
        std::copy_n(priors.probabilities().data(), classes, p);
        continue;
      }
      double sum = 0;
      for (Index c = 0; c < classes; ++c) sum += p[c] = std::exp(p[c] - largest);
      for (Index c = 0; c < classes; ++c) p[c] /= sum;
    }
  });
  return std::move(scores.values);
}

Matrix log_posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution) {
  require_fit(scores, priors);
  const Index classes = scores.labels.size();
  for_rows(scores.rows(), scores.labels.size(), execution, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const auto row = scores.values.row(i);
      join(row.data(), priors.log().data(), classes, row.data());
      const double log_total = log_sum_exp(row);
      if (log_total == -infinity)
        std::copy_n(priors.log().data(), classes, row.data());
      else
        for (double& value : row) value -= log_total;
    }
  });
  return std::move(scores.values);
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
      join(scores.values.row(i).data(), priors.log().data(), classes, joint.data());
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
