#include "suffice/decide/costs.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "decide/same_labels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// 1 for every mistake.
Matrix mistakes(Index classes) {
  Matrix cost(classes, classes);
  for (Index c = 0; c < classes; ++c)
    for (Index k = 0; k < classes; ++k) cost(c, k) = c == k ? 0 : 1;
  return cost;
}

std::string pair(const std::string& truth, const std::string& decided) {
  return "a true '" + truth + "' decided as '" + decided + "'";
}

Matrix from_entries(const Names& labels, const std::vector<Costs::Entry>& entries) {
  const Index classes = labels.size();
  Matrix cost = mistakes(classes);
  std::vector<bool> named(static_cast<std::size_t>(classes * classes));
  for (const Costs::Entry& entry : entries) {
    const Index c = labels.at(entry.truth, "class"), k = labels.at(entry.decided, "class");
    const auto at = static_cast<std::size_t>(c * classes + k);
    if (named[at])
      throw InvalidArgument("the cost of " + pair(entry.truth, entry.decided) + " is given twice");
    named[at] = true;
    cost(c, k) = entry.cost;
  }
  return cost;
}

}  // namespace

Costs Costs::zero_one(const Names& labels) { return Costs(labels, mistakes(labels.size())); }

Costs::Costs(Names labels, Matrix cost) : labels_(std::move(labels)), cost_(std::move(cost)) {
  const Index classes = labels_.size();
  if (classes == 0) throw InvalidArgument("costs need at least one class");
  if (cost_.rows() != classes || cost_.cols() != classes)
    throw InvalidArgument(
        "the costs are " + std::to_string(cost_.rows()) + " × " + std::to_string(cost_.cols()),
        std::to_string(classes) + " classes take " + std::to_string(classes) + " × " +
            std::to_string(classes) + " (true × decided)");
  for (Index c = 0; c < classes; ++c)
    for (Index k = 0; k < classes; ++k)
      if (!std::isfinite(cost_(c, k)))
        throw InvalidArgument(
            "the cost of " + pair(labels_[c], labels_[k]) + " is " + name_of(cost_(c, k)),
            "it must be finite");
}

Costs::Costs(Names labels, const std::vector<Entry>& entries)
    : Costs(labels, from_entries(labels, entries)) {}

double effective_prior(const Priors& priors, const Costs& costs) {
  require_same_labels(priors.labels(), "the priors", costs.labels(), "the costs");
  const Names& labels = priors.labels();
  if (labels.size() != 2)
    throw InvalidArgument("an effective prior needs two classes, not " +
                          std::to_string(labels.size()));
  const auto loss = [&](Index truth) {
    const double mistake = costs(truth, 1 - truth) - costs(truth, truth);
    if (mistake < 0)
      throw InvalidArgument(
          "for class '" + labels[truth] + "' a mistake costs " + name_of(costs(truth, 1 - truth)) +
              ", less than the right decision (" + name_of(costs(truth, truth)) + ")",
          "such costs have no effective prior");
    return priors[truth] * mistake;
  };
  const double first = loss(0), second = loss(1);
  if (!(first + second > 0))
    throw InvalidArgument(
        "under these priors and costs no decision is better than the other, so there is no "
        "effective prior",
        "give a mistake that can happen a cost");
  return first / (first + second);
}

}  // namespace suffice
