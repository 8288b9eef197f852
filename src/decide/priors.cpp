#include "suffice/decide/priors.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

void require_classes(const Names& labels) {
  if (labels.empty()) throw InvalidArgument("priors need at least one class");
}

Vector in_order(const Names& labels,
                const std::vector<std::pair<std::string, double>>& probabilities) {
  Vector result(labels.size());
  std::vector<bool> named(static_cast<std::size_t>(labels.size()));
  for (const auto& [name, probability] : probabilities) {
    const Index c = labels.at(name, "class");
    if (named[c]) throw InvalidArgument("the prior of class '" + name + "' is given twice");
    named[c] = true;
    result[c] = probability;
  }
  for (Index c = 0; c < labels.size(); ++c)
    if (!named[c])
      throw InvalidArgument("class '" + labels[c] + "' has no prior",
                            "give one for every class (0 rules a class out)");
  return result;
}

}  // namespace

Priors::Priors(Names labels, std::span<const double> probabilities)
    : labels_(std::move(labels)), probability_(probabilities), log_(labels_.size()) {
  require_classes(labels_);
  if (probability_.size() != labels_.size())
    throw InvalidArgument(std::to_string(probability_.size()) + " priors for " +
                              std::to_string(labels_.size()) + " classes",
                          "give one for each");
  double sum = 0;
  for (Index c = 0; c < labels_.size(); ++c) {
    const double p = probability_[c];
    if (!(p >= 0) || !std::isfinite(p))
      throw InvalidArgument("the prior of class '" + labels_[c] + "' is " + name_of(p),
                            "it must lie between 0 and 1");
    sum += p;
    log_[c] = std::log(p);
  }
  if (!(std::abs(sum - 1) <= 1e-9))
    throw InvalidArgument("the priors sum to " + name_of(sum), "they must sum to 1");
}

Priors::Priors(Names labels, const std::vector<std::pair<std::string, double>>& probabilities)
    : Priors(labels, in_order(labels, probabilities)) {}

Priors Priors::uniform(const Names& labels) {
  require_classes(labels);
  Vector probability(labels.size());
  std::ranges::fill(probability, 1 / static_cast<double>(labels.size()));
  return Priors(labels, probability);
}

Priors Priors::from_counts(const Names& labels, std::span<const double> weights, double smoothing) {
  if (!(smoothing >= 0) || !std::isfinite(smoothing))
    throw InvalidArgument("the smoothing of the priors is " + name_of(smoothing),
                          "it must be finite and not negative");
  Vector pseudo_counts(std::ssize(weights));
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (weights[c] > 0) pseudo_counts[static_cast<Index>(c)] = smoothing;
  return from_counts(labels, weights, pseudo_counts);
}

Priors Priors::from_counts(const Names& labels, std::span<const double> weights,
                           std::span<const double> pseudo_counts) {
  require_classes(labels);
  Vector probability(labels.size());
  double total = 0;
  const auto add = [&](std::span<const double> numbers, const std::string& what) {
    if (std::ssize(numbers) != labels.size())
      throw InvalidArgument(std::to_string(numbers.size()) + " " + what + "s for " +
                                std::to_string(labels.size()) + " classes",
                            "give one for each");
    for (Index c = 0; c < labels.size(); ++c) {
      const double number = numbers[static_cast<std::size_t>(c)];
      if (!(number >= 0) || !std::isfinite(number))
        throw InvalidArgument("the " + what + " of class '" + labels[c] + "' is " + name_of(number),
                              "it must be finite and not negative");
      probability[c] += number;
    }
  };
  add(weights, "weight");
  add(pseudo_counts, "pseudo-count");
  for (const double p : probability) total += p;
  if (!(total > 0))
    throw InvalidArgument("all classes have weight 0: there are no rows to take priors from");
  for (double& p : probability) p /= total;
  return Priors(labels, probability);
}

}  // namespace suffice
