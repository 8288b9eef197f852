#pragma once
// The model of any options, also of those that take passes over the rows.

#include <cstdint>

#include "suffice/estimate/estimate.hpp"
#include "suffice/train/completion.hpp"
#include "suffice/train/passes.hpp"

namespace suffice {

/// How passes over the rows are made, whatever they are for.
struct RowTraining {
  MissingNumbers missing = MissingNumbers::complete;
  PassOptions passes = {};      ///< of EM
  Index restarts = 5;           ///< of mixtures
  std::uint64_t seed = 0;       ///< of mixtures, and of folds that choose a penalty
  bool standard_errors = true;  ///< of weights of discriminative models
};

/// Whether a model of these options takes passes over the rows.
bool takes_passes(const Statistics& statistics, const EstimateOptions& options,
                  const RowTraining& training = {});

/// The model of these options: a mixture, the estimate from completed sums, or `estimate`; and the
/// twin of it where they are discriminative. `rows` are those of the statistics. Throws as
/// fit_mixture, complete, estimate and fit_logistic.
Model estimate_with_rows(const Statistics& statistics, const RowPass& rows,
                         const EstimateOptions& options, const RowTraining& training = {},
                         const Execution& execution = {});

}  // namespace suffice
