#pragma once
// From log-likelihoods to answers, under the priors and the costs of the application. Nothing is
// trained again: the same log-likelihoods serve every prior and every cost.
//
//   posterior        P(c | x) = exp(log p(x|c) + log π_c − log p(x)),  log p(x) by log-sum-exp
//   expected cost    of deciding k:  Σ_c P(c | x) C(c, k);  the smallest wins

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"
#include "suffice/core/names.hpp"
#include "suffice/decide/costs.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

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
