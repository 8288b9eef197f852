#pragma once
// What a command runs in: threads and stop, and the two streams it speaks to.

#include <string>

#include "cli/line/options.hpp"
#include "cli/output/terminal.hpp"
#include "suffice/core/execution.hpp"

namespace suffice::cli {

struct Context {
  const Options& options;
  Execution execution;  ///< threads and stop; no progress
  Terminal& terminal;
};

}  // namespace suffice::cli
