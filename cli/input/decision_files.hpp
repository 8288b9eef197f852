#pragma once
// Priors and costs in files of their own, in the forms in which other programs write them.

#include <string>
#include <utility>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/decide/costs.hpp"

namespace suffice::cli {

/// Weights of the classes, which need not sum to 1:
///   - two columns with any header, or none: class and weight (a column without a name is an
///   index);
///   - a line of classes and a line of weights;
///   - a JSON object: {"bad": 3, "good": 7}.
/// Each class is named once. Throws FileError: a class that is not among `labels`, one that is
/// absent or named twice, a weight that is no number or negative.
std::vector<std::pair<std::string, double>> read_prior_file(const std::string& path,
                                                            const Names& labels,
                                                            const Execution& execution);

/// What mistakes cost, true × decided:
///   - a matrix whose first line names the decided classes and whose first column the true ones;
///     the names may have a common prefix ("decided:"); without the column the lines are in the
///     order of the first one, and without names in the order of `labels`;
///   - three columns with any header: true class, decided class, cost;
///   - a JSON object of objects: {"bad": {"good": 5}}.
/// Throws FileError.
std::vector<Costs::Entry> read_cost_file(const std::string& path, const Names& labels,
                                         const Execution& execution);

/// Throws InvalidArgument, which suggests the nearest class, unless `name` is among the labels.
void require_class(const std::string& name, const Names& labels);
/// "a, b, c, …"
std::string list_of_classes(const Names& labels);

}  // namespace suffice::cli
