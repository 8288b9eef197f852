#pragma once
// Whether log p(x | c) has terms that all classes share, which relative scores lack.

#include "suffice/models/model.hpp"

namespace suffice {

/// Where it has none, relative scores are log p(x | c). The scores of a discriminative model are
/// relative in any case.
bool has_shared_terms(const Model& model);

}  // namespace suffice
