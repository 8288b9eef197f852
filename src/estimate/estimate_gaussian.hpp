#pragma once
// The estimate of a Gaussian block, and what all structures of its covariances are estimated from.

#include <optional>
#include <string>
#include <vector>

#include "estimate/estimate_context.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

/// How strongly a Gaussian block was shrunk, where that was for the statistics to say.
struct GaussianStrength {
  std::vector<double> shares = {};         ///< oas: per class, or one
  std::optional<double> rows = {};         ///< v, or a tied covariance's u
  std::optional<double> target_rows = {};  ///< u of the target; inf: the pooled diagonal
};
struct GaussianEstimate {
  GaussianDensity density;
  GaussianStrength strength;
};
GaussianEstimate estimate_gaussian(const GaussianStatistics& statistics,
                                   const EstimateContext& context);

struct GaussianInput {
  const GaussianStatistics& statistics;
  const EstimateContext& context;
  std::vector<Moments> moments;  ///< per class, over all values present
  std::vector<Index> used;       ///< the features that are not constant

  const EstimateOptions& options() const { return context.options; }
  Covariance structure() const { return context.options.covariance; }
  const JointMoments& complete(Index c) const {
    return statistics.classes[static_cast<std::size_t>(c)].complete;
  }
  std::vector<std::string> names(const std::vector<Index>& features) const;
};

/// The posterior of a covariance with f degrees of freedom under a prior worth v rows, as a number
/// that S + v T is multiplied by; p × p.
struct Posterior {
  double dof;        ///< f
  double rows;       ///< v
  double dimension;  ///< p

  double factor(Inference estimate) const;
  /// Of the predictive Student's t.
  double predictive_dof() const { return dof + rows + 2; }
};

/// c < 0: all classes together.
[[noreturn]] void throw_too_few(const GaussianInput& input, Index c, double weight);
/// Features that do not vary within any class, so that no prior can be made of their variance.
void require_varying(const GaussianInput& input, const std::vector<Index>& flat);

}  // namespace suffice
