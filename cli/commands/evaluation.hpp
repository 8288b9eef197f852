#pragma once
// A labelled table against a model: what `evaluate` reports and `fit --training-error` asks for.

#include <string>

#include "cli/commands/scoring.hpp"
#include "suffice/evaluate/report.hpp"

namespace suffice::cli {

struct Evaluated {
  Report report;
  double unlabelled_rows = 0;  ///< without a label, and in no figure
  std::string unknown_labels;  ///< "'lynx' (12 rows), 'puma' (1 row)", the most frequent first
};

/// Reads the table to its end. The plan has the label's column.
Evaluated evaluate_table(const Context& context, Table& table, const Plan& plan, const Model& model,
                         const Decision& decision);

}  // namespace suffice::cli
