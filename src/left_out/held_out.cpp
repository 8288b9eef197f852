#include "left_out/held_out.hpp"

#include <algorithm>

#include "core/constants.hpp"
#include "suffice/left_out/leave_one_out.hpp"

namespace suffice {

void add_frequencies_without(LogLikelihoods& scores, const Vector& class_weights,
                             std::span<const Index> truth, std::span<const double> weights) {
  Vector log_prior(class_weights.size());
  for (Index i = 0; i < scores.rows(); ++i) {
    log_frequencies_without(class_weights, truth[i], weights[i],
                            {log_prior.data(), static_cast<std::size_t>(log_prior.size())});
    const std::span<double> row = scores.values.row(i);
    bool is_possible = false;
    for (Index c = 0; c < log_prior.size(); ++c)
      is_possible |= (row[c] += log_prior[c]) != -infinity;
    if (!is_possible) std::ranges::copy(log_prior, row.begin());
  }
}

}  // namespace suffice
