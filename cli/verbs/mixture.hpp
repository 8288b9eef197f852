#pragma once
// fit --components and --unlabelled: mixtures and rows without a label, by EM.

#include <optional>

#include "cli/line/verb.hpp"
#include "cli/output/json.hpp"
#include "cli/output/terminal.hpp"
#include "cli/verbs/training.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice::cli {

/// Throws UsageError where the rows cannot be read again, and for flags that have no part.
void check_mixture(const Command& command, bool from_statistics);

/// The mixture whose components have these options.
MixtureFit fit_mixture(const Context& context, const Training& training,
                       const EstimateOptions& options);

/// What numbers of components were worth, where they were chosen; otherwise nothing.
std::string tried_text(const Terminal& terminal, const Model& model, const MixtureFit& fit);
Json mixture_json(const Model& model, const MixtureFit& fit);

}  // namespace suffice::cli
