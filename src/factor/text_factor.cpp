#include "factor/text_factor.hpp"

#include <cmath>

#include "core/at.hpp"
#include "core/special_functions.hpp"

namespace suffice {
namespace {

/// What a word adds to the score of a class.
double slope_of(EventModel event_model, double p) {
  switch (event_model) {
    case EventModel::multinomial:
      return remembered_log(p);
    case EventModel::complement:
      return -remembered_log(p);
    case EventModel::bernoulli:
      break;
  }
  return remembered_log(p) - std::log1p(-p);
}

}  // namespace

TextFactor make_factor(const TextDensity& density, const Vector& weights, Workers& workers) {
  const Index classes = weights.size();
  TextFactor factor{.words = density.words,
                    .slope = {},
                    .constant = Matrix(std::ssize(density.words), classes),
                    .presence = density.event_model == EventModel::bernoulli,
                    .length_power = density.length_power.empty() ? 1 : density.length_power[0]};
  for (std::size_t j = 0; j < density.words.size(); ++j) {
    const Matrix& p = density.probability[j];
    Matrix& slope = factor.slope.emplace_back(p.cols(), classes);
    workers.run_ranges(p.cols(), [&](Index i) {
      const double weight = density.idf.empty() ? 1 : density.idf[j][i];
      for (Index c = 0; c < classes; ++c)
        if (weights[c] > 0) slope(i, c) = weight * slope_of(density.event_model, p(c, i));
    });
    if (!factor.presence) continue;
    for (Index c = 0; c < classes; ++c)
      for (Index i = 0; i < p.cols() && weights[c] > 0; ++i)
        factor.constant(static_cast<Index>(j), c) += std::log1p(-p(c, i));
  }
  return factor;
}

}  // namespace suffice
