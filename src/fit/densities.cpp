#include "fit/densities.hpp"

#include <string>

#include "suffice/estimate/estimate.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/train/logistic.hpp"

namespace suffice {

Model estimate_with_missing(Training& training, const EstimateOptions& options) {
  const MissingOptions missing = training.missing();
  const Statistics& statistics = training.statistics();
  if (missing.completes(statistics, options)) {
    const Completion completion = missing.complete(statistics, options, training.execution);
    if (!completion.converged) training.warn(passes_ran_out(training.options.passes));
    return completion.model(training.execution);
  }
  const bool has_sums_only = !missing.rows && missing.numbers == MissingNumbers::automatic &&
                             is_dense(options.covariance) && !options.pca && !options.lda &&
                             incomplete_share(statistics) > 0.1;
  if (!has_sums_only) return estimate(statistics, options, training.execution);
  training.warn(
      "many rows lack a number, and only sums of them are at hand: means and variances are those "
      "of all values present, correlations those of the complete rows; fit from a table that can "
      "be read again to use all rows");
  return estimate_from_present(statistics, options, training.execution);
}

MixtureFit mixture_of(Training& training, const EstimateOptions& estimate) {
  const FitOptions& options = training.options;
  MixtureOptions mixture{.estimate = estimate,
                         .restarts = options.restarts,
                         .seed = options.seed,
                         .passes = options.passes,
                         .complete_missing = options.missing != MissingNumbers::complete};
  mixture.estimate.components = options.estimate.components;
  if (options.use_unlabelled) mixture.unlabelled_weight = options.unlabelled_weight;
  if (options.use_unlabelled && training.gathered.unlabelled_rows == 0)
    training.warn(Option{"unlabelled", "use"} + Sentence(" has no effect: every row has a label"));
  MixtureFit fit =
      fit_mixture(training.statistics(), training.pass("EM", options.use_unlabelled), mixture,
                  training.showing("EM"), options.start ? &*options.start : nullptr);
  if (!fit.converged) training.warn(passes_ran_out(options.passes));
  if (fit.empty > 0)
    training.warn(std::to_string(fit.empty) + (fit.empty == 1 ? " component" : " components") +
                  " left out, since no row belongs to " + (fit.empty == 1 ? "it" : "them"));
  if (fit.bounded > 0)
    training.warn("the covariance of " + std::to_string(fit.bounded) +
                  " of the components met its lower bound, a millionth of that of the class; fewer "
                  "components, or " +
                  Option{"shrinkage"} + ", avoid that");
  return fit;
}

Model discriminative_model(Training& training, const EstimateOptions& options) {
  const Model densities = densities_beside(
      options, [&](const EstimateOptions& of) { return estimate_with_missing(training, of); });
  const RowPass rows = narrowed(training.pass("finding weights"), training.statistics().schema(),
                                densities.schema());
  const LogisticFit fit =
      fit_logistic(densities, rows, {.penalty = options.penalty, .seed = training.options.seed},
                   training.showing("finding weights"));
  if (fit.separable)
    training.warn(
        "some classes can be told apart without error, so that the likelihood has no finite "
        "maximum: weights grow without bound, and were stopped; use " +
        Option{"penalty", "auto"} + ", or a number above 0");
  else if (!fit.converged)
    training.warn("the weights have not converged after " + std::to_string(fit.passes) +
                  (fit.passes == 1 ? " pass" : " passes") + "; a larger " + Option{"penalty"} +
                  " helps");
  return fit.model;
}

}  // namespace suffice
