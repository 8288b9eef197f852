#pragma once
// Statistics as text for people.

#include <string>

#include "cli/verbs/context.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

std::string statistics_text(const Context& context, const Statistics& statistics);

}  // namespace suffice::cli
