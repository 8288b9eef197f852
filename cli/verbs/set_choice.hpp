#pragma once
// Sets of classes, as predict writes them and evaluate judges them.

#include "cli/line/verb.hpp"
#include "suffice/predict/sets.hpp"

namespace suffice::cli {

SetOptions set_options(const SetChoice& choice);
/// "Adelie|Chinstrap"; a | within a name is written \|.
std::string set_text(const ClassSets& sets, Index row);
/// Throws UsageError: `wanted` says whether the command makes sets.
void check_sets(const Command& command, bool wanted, const char* how);

}  // namespace suffice::cli
