#pragma once
// Every verb of the program: one row each.

#include <span>

#include "cli/line/verb.hpp"

namespace suffice::cli {

/// In the order of the help.
std::span<const Verb> verbs();

}  // namespace suffice::cli
