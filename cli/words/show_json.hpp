#pragma once
// Models and statistics as JSON for programs. The keys are those of `show --json`.

#include "cli/output/json.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

/// `scale` per block, `offset` per label; `knots` and `values` where there are any.
Json calibration_json(const Calibration& calibration);
/// The weights of a discriminative model, with the names of their terms.
Json logistic_json(const Model& model);
/// `kept`: the features that were chosen, of how many, and where the divergences part; nothing
/// where all have a part.
void add_kept(Json& json, const Model& model);
/// `shrunken_means`: the threshold and the features that survive; nothing where there is none.
void add_shrunken_means(Json& json, const Model& model);
Json model_json(const Model& model, bool with_discriminant);
Json statistics_json(const Statistics& statistics);

}  // namespace suffice::cli
