#pragma once
// Classes that are mixtures (models/mixture.hpp), and rows without a label, both by the EM
// algorithm. A row of class c belongs to its components g with the probabilities
//
//   r_g = share_g p(x | g) / Σ_{h of c} share_h p(x | h),
//
// a row without a label to those of all classes, where share_g is multiplied by the share of its
// class among the labelled rows. Each pass adds every row to the sums of its components with these
// weights, and the next model is estimated from the sums, with the options of one that is no
// mixture. So the likelihood never falls where the estimate is maximum likelihood.
//
//   Statistics statistics(schema);
//   for (RowBlock rows : blocks) statistics.update(rows);
//   const MixtureFit fit = fit_mixture(statistics, [&](const auto& use) {
//     for (RowBlock rows : blocks) use(rows);
//   }, {.estimate = {.components = 3}});
//
// A component has a density in each block: features of different blocks depend on each other within
// a class.

#include <cstdint>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/stats/statistics.hpp"
#include "suffice/train/passes.hpp"

namespace suffice {

struct MixtureOptions {
  /// Of the model; tails and the other kinds of inference have no part in the passes.
  EstimateOptions estimate = {};
  Index most_components = 5;  ///< where their number is chosen
  Index restarts = 5;         ///< starts that are tried on a sample
  std::uint64_t seed = 0;     ///< of the sample and the starts
  PassOptions passes = {};
  /// How much a row without a label counts; 0: such rows have no part.
  double unlabelled_weight = 0;
  /// Numbers that are missing in rows are completed by the components (full and tied covariances);
  /// otherwise such rows only have a part in the shares.
  bool complete_missing = true;
};

/// What a number of components is worth, on the sampled rows of a class.
struct ComponentsTried {
  Index components = 1;
  double held_out = 0;  ///< log-likelihood of a row that had no part in estimating, on average
  double standard_error = 0;  ///< of the difference to the best one
  double bic = 0;             ///< p log n − 2 log L, of a fit to all sampled rows; less is better
};

struct MixtureFit {
  Model model;  ///< a plain one where every class has one component
  /// Per pass: log p of the rows by the model before it; the part of a row without a label is that
  /// of log p(x), times the weight of such rows.
  std::vector<double> log_likelihood = {};
  bool converged = true;
  /// Per class: what was tried, fewest components first; empty unless their number was chosen.
  std::vector<std::vector<ComponentsTried>> tried = {};
  /// Components that no row was left to, and components whose covariance met its lower bound (a
  /// millionth of that of the class).
  Index empty = 0, bounded = 0;
  double unlabelled_rows = 0;  ///< the weight of the rows without a label that were used
};

/// `rows` are those of the statistics, and others without a label. `start`, if given, is a mixture
/// of the same classes to begin with; then nothing is tried. Throws InvalidArgument (a class has
/// fewer rows than components; `pooling` was given; the rows are not those of the statistics),
/// SingularError as estimate, DataError for rows without a label that the schema cannot have,
/// Cancelled.
MixtureFit fit_mixture(const Statistics& statistics, const RowPass& rows,
                       const MixtureOptions& options = {}, const Execution& execution = {},
                       const Model* start = nullptr);

}  // namespace suffice
