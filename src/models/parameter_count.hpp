#pragma once

#include "suffice/models/model.hpp"

namespace suffice {

/// How many numbers the densities of a model have that are free to vary; of a mixture also its
/// shares.
double parameter_count(const Model& model);

}  // namespace suffice
