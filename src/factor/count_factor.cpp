#include "factor/count_factor.hpp"

#include "core/special_functions.hpp"

namespace suffice {

CountFactor make_factor(const MultinomialDensity& density, const Vector& weights,
                        Workers& workers) {
  const Matrix& p = density.probability;
  const bool complement = density.event_model == EventModel::complement;
  CountFactor factor = make_count_factor(
      p, weights, false,
      [&](Index c, Index j) -> LinearCell {
        if (p(c, j) == 0) return {.excludes = true};
        const double log_p = remembered_log(p(c, j));
        return {.slope = complement ? -log_p : log_p};
      },
      workers);
  factor.concentration = density.concentration;
  if (!density.length_power.empty()) factor.length_power = density.length_power[0];
  if (!density.concentration.empty()) {
    factor.beyond = log_rising_excess;
    factor.shape = p;
    for (Index c = 0; c < p.rows(); ++c)
      for (double& value : factor.shape.row(c)) value *= density.concentration[c];
  }
  return factor;
}

}  // namespace suffice
