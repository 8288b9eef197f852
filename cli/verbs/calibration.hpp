#pragma once
// Rows of one's own that calibrate a model.

#include <string>
#include <vector>

#include "cli/verbs/context.hpp"
#include "suffice/calibrate/calibrator.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

struct CalibratedByTables {
  Model model;
  Calibrator calibrator;
  CalibrationFit fit;
  std::vector<std::string> files;
  double unlabelled_rows = 0;  ///< left out
};

/// Scores the rows of the tables, and warns of those that cannot be used. Throws FileError where
/// no row has a class that the model knows.
CalibratedByTables calibrate_by_tables(const Context& context, const Model& model,
                                       const InputOptions& input);

}  // namespace suffice::cli
