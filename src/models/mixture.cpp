#include "suffice/models/mixture.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/at.hpp"

namespace suffice {

Vector Mixture::shares() const {
  Vector result(size());
  std::vector<double> total(1);
  for (Index g = 0; g < size(); ++g) {
    if (std::ssize(total) <= label[at(g)]) total.resize(at(label[at(g)] + 1));
    total[at(label[at(g)])] += weights[g];
  }
  for (Index g = 0; g < size(); ++g)
    if (const double of_class = total[at(label[at(g)])]; of_class > 0)
      result[g] = weights[g] / of_class;
  return result;
}

Vector Mixture::probabilities(std::span<const double> of_classes) const {
  Vector result = shares();
  for (Index g = 0; g < size(); ++g) result[g] *= of_classes[at(label[at(g)])];
  return result;
}

std::vector<std::vector<Index>> Mixture::by_class(Index classes) const {
  std::vector<std::vector<Index>> result(at(classes));
  for (Index g = 0; g < size(); ++g) result[at(label[at(g)])].push_back(g);
  return result;
}

Mixture mixture_of(const Names& labels, std::span<const Index> count) {
  std::vector<std::pair<std::string, Index>> named;
  const Index most = count.empty() ? 1 : *std::max_element(count.begin(), count.end());
  const std::size_t digits = std::to_string(most).size();
  for (Index c = 0; c < labels.size(); ++c)
    for (Index g = 1; g <= count[at(c)]; ++g) {
      const std::string number = std::to_string(g);
      named.emplace_back(most == 1
                             ? labels[c]
                             : labels[c] + "/" + std::string(digits - number.size(), '0') + number,
                         c);
    }
  Mixture result;
  std::vector<std::string> names;
  for (const auto& [name, c] : named) names.push_back(name);
  result.names = Names(std::move(names));
  result.label.resize(at(result.size()));
  for (const auto& [name, c] : named) result.label[at(*result.names.find(name))] = c;
  result.weights = Vector(result.size());
  return result;
}

}  // namespace suffice
