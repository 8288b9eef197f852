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

/// The verbs. Each throws what is wrong, and has written nothing half when it does.
void fit(const Context& context);
void select_model(const Context& context);
void predict(const Context& context);
void evaluate(const Context& context);
void stats(const Context& context);
void merge_files(const Context& context);
void subtract_files(const Context& context);
void show(const Context& context);
void sample_rows(const Context& context);

}  // namespace suffice::cli
