#include "suffice/decide/posteriors.hpp"

#include <utility>

#include "core/special_functions.hpp"
#include "decide/for_rows.hpp"
#include "decide/posteriors_into.hpp"
#include "decide/same_labels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

void require_fit(const LogLikelihoods& scores, const Priors& priors) {
  require_columns(scores);
  require_same_labels(scores.labels, "the scores", priors.labels(), "the priors");
}

}  // namespace

Matrix posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution) {
  require_fit(scores, priors);
  posteriors_into(scores.values, scores.values, priors, false, execution);
  return std::move(scores.values);
}

Matrix log_posteriors(LogLikelihoods scores, const Priors& priors, const Execution& execution) {
  require_fit(scores, priors);
  posteriors_into(scores.values, scores.values, priors, true, execution);
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
  Matrix pairs;  // two classes have one ratio
  Matrix& to = scores.labels.size() == 2 ? pairs : scores.values;
  ratios_into(to, scores.values, priors, execution);
  return std::move(to);
}

}  // namespace suffice
