#pragma once
// From tables to statistics: what `fit` and `stats` have in common.

#include <string>
#include <vector>

#include "cli/context.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::cli {

struct Training {
  Statistics statistics;
  std::vector<std::string> files;
  double rows = 0;                        ///< read, with or without a label
  double unlabelled_rows = 0;             ///< left out, since nobody knows their class
  std::vector<std::string> skipped = {};  ///< columns left out, as asked for
};

/// One pass over the tables of the command. Warns of columns that look like identifiers.
Training read_training(const Context& context, Scatter scatter);

/// Whether the inputs are statistics files. Throws FileError for a mixture, and for a model.
bool are_statistics(const std::vector<std::string>& paths);

}  // namespace suffice::cli
