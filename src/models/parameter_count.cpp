#include "models/parameter_count.hpp"

#include <algorithm>

#include "models/feature_family.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

double triangle(Index n) { return 0.5 * static_cast<double>(n) * static_cast<double>(n + 1); }

struct CountParameters {
  double operator()(const GaussianDensity& density) const {
    // Shrunken means that are those of all rows are one number for all classes.
    double count = static_cast<double>(density.deviation.empty() ? density.mean.size()
                                                                 : density.deviation.cols());
    for (Index c = 0; c < density.deviation.rows(); ++c)
      count += static_cast<double>(
          std::ranges::count_if(density.deviation.row(c), [](double d) { return d != 0; }));
    count += static_cast<double>(density.thin.rows.size()) * triangle(density.mean.cols());
    for (const Matrix& covariance : density.covariance)
      count += is_dense(density.structure) ? triangle(covariance.rows())
                                           : static_cast<double>(covariance.size());
    return count;
  }
  template <FeatureDensity Features>
  double operator()(const Features& density) const {
    return static_cast<double>(values_of(density).size());
  }
  double operator()(const MultinomialDensity& density) const {
    return static_cast<double>(density.probability.rows() * (density.probability.cols() - 1));
  }
  double operator()(const CategoricalDensity& density) const {
    double count = 0;
    for (const Matrix& probability : density.probability)
      count += static_cast<double>(probability.rows() * (probability.cols() - 1));
    return count;
  }
  double operator()(const TextDensity& density) const {
    double count = 0;
    for (const Matrix& probability : density.probability)
      count += static_cast<double>(probability.size());
    if (density.event_model == EventModel::bernoulli) return count;
    for (const Matrix& probability : density.probability)
      count -= static_cast<double>(probability.empty() ? 0 : probability.rows());
    return count;
  }
};

}  // namespace

double parameter_count(const Model& model) {
  if (model.logistic())
    return static_cast<double>((model.labels().size() - 1) * (model.logistic()->center.size() + 1));
  double count = 0;
  for (const Density& density : model.densities()) count += std::visit(CountParameters{}, density);
  if (model.mixture())
    count += static_cast<double>(model.mixture()->size() - model.labels().size());
  return count;
}

}  // namespace suffice
