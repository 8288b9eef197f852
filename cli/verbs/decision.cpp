#include "cli/verbs/decision.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/decision_files.hpp"
#include "cli/output/figures.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

/// Says which flag names a class that there is not.
void require_class_of_flag(const char* flag, const std::string& name, const Names& labels) {
  try {
    require_class(name, labels);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(flag) + ": " + error.sentence());
  }
}

/// A pair of names that the model knows. Names may have a '>' themselves: where the first one does
/// not tell them apart, another may.
Costs::Entry resolved(const Costs::Entry& entry, const Names& labels) {
  if (labels.find(entry.truth) && labels.find(entry.decided)) return entry;
  const std::string both = entry.truth + ">" + entry.decided;
  for (std::size_t at = both.find('>'); at != std::string::npos; at = both.find('>', at + 1)) {
    const std::string truth = both.substr(0, at), decided = both.substr(at + 1);
    if (labels.find(truth) && labels.find(decided)) return {truth, decided, entry.cost};
  }
  require_class_of_flag("--cost", labels.find(entry.truth) ? entry.decided : entry.truth, labels);
  return entry;
}

/// The weights of --prior by class, as they were given.
std::vector<std::pair<std::string, double>> weights_for(const PriorOption& option,
                                                        const Names& labels,
                                                        const Execution& execution) {
  if (option.kind == PriorOption::Kind::file)
    return read_prior_file(option.file, labels, execution);
  std::vector<std::pair<std::string, double>> weights = option.given;
  if (!option.listed.empty()) {
    if (std::ssize(option.listed) != labels.size())
      throw InvalidArgument("--prior has " + std::to_string(option.listed.size()) +
                                (option.listed.size() == 1 ? " number" : " numbers") +
                                ", but there are " + std::to_string(labels.size()) + " classes",
                            "give one for each of " + list_of_classes(labels) + ", in this order");
    for (Index c = 0; c < labels.size(); ++c) weights.emplace_back(labels[c], option.listed[c]);
  }
  std::vector<std::string> absent = labels.list();
  for (const auto& [name, weight] : weights) {
    require_class_of_flag("--prior", name, labels);
    std::erase(absent, name);
  }
  if (!absent.empty())
    throw InvalidArgument(
        "--prior leaves out " + list_for_message(absent),
        "give a prior for each of " + list_of_classes(labels) + " (0 rules a class out)");
  return weights;
}

}  // namespace

std::optional<Costs> costs_for(const CostOption& option, const Names& labels,
                               const Execution& execution) {
  if (!option.is_given()) return std::nullopt;
  if (!option.file.empty()) return Costs(labels, read_cost_file(option.file, labels, execution));
  std::vector<Costs::Entry> entries;
  for (const Costs::Entry& entry : option.entries) entries.push_back(resolved(entry, labels));
  return Costs(labels, entries);
}

Priors priors_for(const PriorOption& option, const Model& model, const Context& context) {
  const std::optional<Priors> priors = priors_for(option, model.labels(), model.weights(), context);
  return priors ? *priors : Priors::from_counts(model);
}

std::optional<Priors> priors_for(const PriorOption& option, const Names& labels,
                                 const Vector& counts, const Context& context) {
  if (option.kind == PriorOption::Kind::train) return std::nullopt;
  if (option.kind == PriorOption::Kind::uniform) return Priors::uniform(labels);
  const bool adds = option.kind == PriorOption::Kind::pseudo_counts;
  if (adds && option.listed.size() == 1)
    return Priors::from_counts(labels, counts, option.listed.front());
  const auto weights = weights_for(option, labels, context.execution);
  double sum = 0;
  Vector in_order(labels.size());
  for (const auto& [name, weight] : weights) {
    in_order[labels.at(name, "class")] = weight;
    sum += weight;
  }
  if (adds) return Priors::from_counts(labels, counts, in_order);
  if (!(sum > 0))
    throw InvalidArgument("--prior: the priors sum to 0", "give a class a prior above 0");
  if (std::abs(sum - 1) <= 1e-9) return Priors(labels, weights);
  Priors priors = Priors::from_counts(labels, in_order);
  std::string scaled;
  for (Index c = 0; c < std::min<Index>(labels.size(), 5); ++c)
    scaled += (c ? ", " : "") + labels[c] + " " + rounded(priors[c], 4);
  context.terminal.note("The priors sum to " + rounded(sum, 6) + " and are scaled to sum to 1: " +
                        scaled + (labels.size() > 5 ? ", …" : ""));
  return priors;
}

Decision decision_for(const DecisionOptions& options, const Model& model, const Context& context) {
  return {.priors = priors_for(options.prior, model, context),
          .costs = costs_for(options.cost, model.labels(), context.execution),
          .reject = options.reject,
          .outlier = options.outlier};
}

}  // namespace suffice::cli
