#pragma once
// --prior, --cost, --reject and --outlier as they were written down, and the classes of a model:
// the two meet here.

#include <optional>

#include "cli/line/options.hpp"
#include "suffice/core/execution.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

struct Decision {
  Priors priors;
  std::optional<Costs> costs;  ///< nothing: every mistake costs 1
  std::optional<double> reject;
  std::optional<double> outlier;
};

/// Throws InvalidArgument where a class is named that the model lacks (with the nearest that it
/// has), or left out, or where priors do not sum to 1.
Priors priors_for(const PriorOption& option, const Model& model);
/// The same for some classes; nothing for those of the training rows.
std::optional<Priors> priors_for(const PriorOption& option, const Names& labels);
/// Nothing where no costs are given. Throws as decision_for.
std::optional<Costs> costs_for(const CostOption& option, const Names& labels,
                               const Execution& execution);

/// Reads the file of --cost where there is one: a matrix whose first line and first column have the
/// labels (true × decided), or the columns true, decided, cost. Throws FileError, InvalidArgument.
Decision decision_for(const DecisionOptions& options, const Model& model,
                      const Execution& execution);

}  // namespace suffice::cli
