#pragma once
// How well the likelihood ratio of two densities tells their rows apart.

#include "suffice/contrast/drift.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// The AUC of log p(x | a) − log p(x | b) between rows that the model draws from its two classes.
double simulated_auc(const Model& model, const DriftOptions& options, const Execution& execution);

}  // namespace suffice
