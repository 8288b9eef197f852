#pragma once
// --prior, --cost, --reject and --outlier as they were written down, and the classes of a model:
// the two meet here.

#include <optional>

#include "cli/verbs/context.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/models/model.hpp"

namespace suffice::cli {

struct Decision {
  Priors priors;
  std::optional<Costs> costs;  ///< nothing: every mistake costs 1
  std::optional<double> reject;
  std::optional<double> outlier;
};

/// Reads the file of --prior where there is one. Priors that do not sum to 1 are scaled, with a
/// note. Throws InvalidArgument where a class is named that the model lacks (with the nearest that
/// it has), or left out; FileError.
Priors priors_for(const PriorOption& option, const Model& model, const Context& context);
/// The same for classes with these numbers of rows; nothing means their frequencies.
std::optional<Priors> priors_for(const PriorOption& option, const Names& labels,
                                 const Vector& counts, const Context& context);
/// Nothing where no costs are given. Reads the file of --cost where there is one. Throws as
/// priors_for.
std::optional<Costs> costs_for(const CostOption& option, const Names& labels,
                               const Execution& execution);

Decision decision_for(const DecisionOptions& options, const Model& model, const Context& context);

}  // namespace suffice::cli
