#include "suffice/models/parameter_count.hpp"

#include <algorithm>
#include <numeric>

#include "core/at.hpp"
#include "models/feature_family.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

double triangle(double n) { return 0.5 * n * (n + 1); }

/// Adds up the numbers of one density after the other.
struct CountParameters {
  /// Of components that have rows; their classes.
  std::vector<Index> components, classes;
  ParameterCount& count;

  void add_to_each(double numbers) const {
    for (const Index c : classes) count.of_class[c] += numbers;
  }

  void operator()(const GaussianDensity& density) const {
    const auto used = static_cast<double>(density.mean.cols() - std::ssize(density.constant));
    if (density.deviation.empty()) {
      add_to_each(used);
    } else {  // a shrunken mean that is that of all rows is the same number for all classes
      count.shared += used;
      for (std::size_t k = 0; k < components.size(); ++k)
        count.of_class[classes[k]] += static_cast<double>(std::ranges::count_if(
            density.deviation.row(components[k]), [](double d) { return d != 0; }));
    }
    const double numbers = is_dense(density.structure)       ? triangle(used)
                           : is_spherical(density.structure) ? std::min(used, 1.0)
                                                             : used;
    if (is_tied(density.structure))
      count.shared += numbers;
    else
      add_to_each(numbers);
  }
  template <FeatureDensity Features>
  void operator()(const Features& density) const {
    add_to_each(static_cast<double>(values_of(density).cols()));
  }
  void operator()(const MultinomialDensity& density) const {
    add_to_each(static_cast<double>(density.probability.cols() - 1));
  }
  void operator()(const CategoricalDensity& density) const {
    for (const Matrix& probability : density.probability)
      add_to_each(static_cast<double>(probability.cols() - 1));
  }
  void operator()(const TextDensity& density) const {
    const double sums_to_one = density.event_model == EventModel::bernoulli ? 0 : 1;
    for (const Matrix& probability : density.probability)
      if (!probability.empty()) add_to_each(static_cast<double>(probability.cols()) - sums_to_one);
  }
};

}  // namespace

double ParameterCount::total() const {
  return std::accumulate(of_class.begin(), of_class.end(), shared);
}

ParameterCount parameter_count(const Model& model) {
  ParameterCount count{.of_class = Vector(model.labels().size())};
  if (model.logistic()) {
    count.shared =
        static_cast<double>((model.labels().size() - 1) * (model.logistic()->center.size() + 1));
    return count;
  }
  CountParameters counter{{}, {}, count};
  const Vector& weights = model.components().weights();
  for (Index g = 0; g < weights.size(); ++g) {
    if (!(weights[g] > 0)) continue;
    counter.components.push_back(g);
    counter.classes.push_back(model.mixture() ? model.mixture()->label[at(g)] : g);
  }
  for (const Density& density : model.densities()) std::visit(counter, density);
  if (model.mixture()) {
    counter.add_to_each(1);  // the shares of a class sum to 1
    for (Index c = 0; c < count.of_class.size(); ++c)
      if (std::ranges::find(counter.classes, c) != counter.classes.end()) count.of_class[c] -= 1;
  }
  return count;
}

}  // namespace suffice
