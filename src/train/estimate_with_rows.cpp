#include "suffice/train/estimate_with_rows.hpp"

#include "suffice/train/logistic.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice {

bool takes_passes(const Statistics& statistics, const EstimateOptions& options,
                  const RowTraining& training) {
  return options.discriminative || !options.components.is_one() ||
         needs_completion(statistics, options, training.missing);
}

Model estimate_with_rows(const Statistics& statistics, const RowPass& rows,
                         const EstimateOptions& options, const RowTraining& training,
                         const Execution& execution) {
  if (!options.components.is_one())
    return fit_mixture(statistics, rows,
                       {.estimate = options,
                        .restarts = training.restarts,
                        .seed = training.seed,
                        .passes = training.passes,
                        .complete_missing = training.missing != MissingNumbers::complete},
                       execution)
        .model;
  const auto densities = [&](const EstimateOptions& of) {
    if (!needs_completion(statistics, of, training.missing))
      return estimate(statistics, of, execution);
    return complete(statistics, rows, {.estimate = of, .passes = training.passes}, execution)
        .model(execution);
  };
  if (!options.discriminative) return densities(options);
  const Model beside = densities_beside(options, densities);
  return fit_logistic(beside, narrowed(rows, statistics.schema(), beside.schema()),
                      {.penalty = options.penalty,
                       .seed = training.seed,
                       .errors = training.standard_errors},
                      execution)
      .model;
}

}  // namespace suffice
