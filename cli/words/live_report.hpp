#pragma once
// What a live report carries: the model, statistics and a sample of the rows of DATA.

#include <cstddef>
#include <optional>

#include "cli/verbs/context.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/words/web_page.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/reservoir.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

/// Of the rows of DATA with a label.
struct LiveData {
  Statistics statistics;
  Reservoir rows;
};

/// Reads the table of the command again. Throws FileError.
LiveData read_live_data(const Context& context, const InputOptions& input, const Model& model);

/// `room`: bytes that are left for files. What does not fit is left out, fewer rows first.
PageScripts live_scripts(const Context& context, const InputOptions& input, const Model& model,
                         const Decision& decision, const std::optional<LiveData>& data,
                         const WebParts& parts, std::size_t room);

}  // namespace suffice::cli
