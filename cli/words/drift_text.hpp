#pragma once
// What has changed, for people: the verdict, then the columns, the worst first.

#include <string>

#include "cli/verbs/context.hpp"
#include "suffice/contrast/drift.hpp"

namespace suffice::cli {

/// One sentence.
std::string drift_verdict(const Drift& drift);

std::string drift_text(const Context& context, const Drift& drift);

}  // namespace suffice::cli
