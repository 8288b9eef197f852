#include "factor/categorical_factor.hpp"

#include <cmath>

namespace suffice {

CategoricalFactor make_factor(const CategoricalDensity& density, const Vector& weights) {
  CategoricalFactor factor;
  Index total = 0;
  for (const Names& levels : density.levels) {
    factor.first.push_back(total);
    total += levels.size();
  }
  factor.first.push_back(total);
  factor.table = Matrix(total, weights.size());
  for (std::size_t j = 0; j < density.levels.size(); ++j)
    for (Index c = 0; c < weights.size(); ++c)
      for (Index l = 0; l < density.levels[j].size(); ++l)
        if (weights[c] > 0)
          factor.table(factor.first[j] + l, c) = std::log(density.probability[j](c, l));
  return factor;
}

}  // namespace suffice
