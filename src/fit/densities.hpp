#pragma once
// The model of given options, and the passes over the rows that it takes: EM for missing numbers,
// mixtures, and the weights of logistic regression.

#include "fit/training.hpp"
#include "suffice/models/model.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice {

/// The estimate from the statistics, in which missing numbers are completed as FitOptions::missing
/// asks. Of sums alone, means and variances are those of the values that are present.
Model estimate_with_missing(Training& training, const EstimateOptions& options);

/// The mixture whose components have these options.
MixtureFit mixture_of(Training& training, const EstimateOptions& options);

/// Logistic regression of the form that these options describe.
Model discriminative_model(Training& training, const EstimateOptions& options);

}  // namespace suffice
