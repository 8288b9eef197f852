#pragma once
// A labelled table against a model: what `evaluate` reports and `fit --training-error` asks for.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "cli/output/json.hpp"
#include "cli/verbs/scoring.hpp"
#include "suffice/report/report.hpp"
#include "suffice/stats/reservoir.hpp"

namespace suffice::cli {

struct Evaluated {
  Report report;
  std::optional<Report> uncalibrated = {};  ///< without the model's calibration, where it has one
  double unlabelled_rows = 0;               ///< without a label, and in no figure
  std::string unknown_labels;  ///< "'lynx' (12 rows), 'puma' (1 row)", the most frequent first
};

/// --label, or the column that the model was trained with, or where the format has the labels.
/// Throws FileError where none of them is there.
std::string label_column(const Options& options, const Model& model, Table& table);

/// Rows of a block with what figures are made of: as for Evaluator::add. Valid during the call.
struct EvaluatedRows {
  const ScoredRows& scored;
  std::span<const Index> truth;
  std::span<const double> weights;
};

/// What a page needs beside the figures.
struct AlsoKept {
  Index worst_rows = 0;                                     ///< rows with the highest loss
  Reservoir* reservoir = nullptr;                           ///< gets the labelled rows
  std::function<void(const EvaluatedRows&)> use_rows = {};  ///< is called with each block
};

/// Reads the table to its end. The plan has the label's column.
Evaluated evaluate_table(const Context& context, Table& table, const Plan& plan, const Model& model,
                         const Decision& decision, const AlsoKept& kept = {});

/// What `evaluate --json` prints, without warnings; `matrix` of `confusion` is null.
Json evaluation_json(const Evaluated& evaluated, const Decision& decision,
                     const Execution& execution);

/// Throws FileError where no row has a label that the model knows.
void require_known_rows(const Evaluated& evaluated, const Table& table, const std::string& label);

}  // namespace suffice::cli
