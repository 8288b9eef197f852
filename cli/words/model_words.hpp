#pragma once
// A model in words that an analyst knows: what it is, how strongly it was regularised, and which
// options made it.

#include <string>

#include "suffice/models/model.hpp"

namespace suffice::cli {

/// One line per block: "Quadratic discriminant analysis: one full covariance per class,
/// regularised".
std::string model_in_words(const Model& model);

/// "Parameters: 22, 4 of each class and 10 of all classes together", as a line.
std::string parameters_in_words(const Model& model);

/// The components of each class, and the rows without a label that were used, as lines; nothing
/// where there are none.
std::string mixture_in_words(const Model& model);

/// How many rows and numbers were used, as a line; nothing where no number is missing.
std::string missing_in_words(const Model& model);

/// "Shrinkage auto: towards the pooled covariance (weight 45.5) and its diagonal (weight 9.88)", as
/// a line; nothing where nothing was shrunk.
std::string shrinkage_in_words(const Model& model);

/// "Smoothing auto: pseudo-count 0.322", as a line; nothing where it was given.
std::string smoothing_in_words(const Model& model);

/// "Kept 43 of 2,308 features, divergence 2.1 and more (the next has 2): g1, g7 …", as a line; or
/// nothing.
std::string kept_in_words(const Model& model);

/// "Shrunken means: threshold 4.34, the class means differ in 43 of 2308 columns", as a line; or
/// nothing.
std::string means_in_words(const Model& model);

/// What a projection keeps, as a line; or nothing.
std::string projection_in_words(const Model& model);

/// "covariance full, shrinkage 12 rows": the covariance, and what differs from the default.
std::string options_for_people(const EstimateOptions& options);
/// "Calibrated: scale 0.36 (gaussian), offsets from -0.2 to 0.2", as a line; or nothing.
std::string calibration_in_words(const Model& model);

/// "Chosen among 88 models by leave-one-out on 150 rows: error 0.02, …", as a line; nothing where
/// the model was not chosen.
std::string choice_in_words(const Model& model);

/// Whether the chosen model would be another one in other units, as a line; or nothing.
std::string units_in_words(const Model& model);

/// "Options: covariance tied, smoothing 0.5, transform 'fare=log1p'", as a line: the covariance,
/// what differs from the default, with `all` also the main ones that do not, and what was done to
/// columns; nothing where there are none.
std::string options_in_words(const Model& model, bool all);

}  // namespace suffice::cli
