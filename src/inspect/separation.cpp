#include "suffice/inspect/separation.hpp"

#include <algorithm>
#include <vector>

#include "core/compensated_sum.hpp"
#include "models/feature_divergence.hpp"

namespace suffice {
namespace {

/// Of components of different classes, by their shares: no less than the divergence of the classes.
Vector separation_of_mixture(const Model& model) {
  const Mixture& mixture = *model.mixture();
  const Vector shares = mixture.shares();
  const auto seen = static_cast<double>(std::count_if(
      model.weights().begin(), model.weights().end(), [](double weight) { return weight > 0; }));
  Vector result(model.schema().size());
  if (seen < 2) return result;
  const std::vector<Block>& blocks = model.schema().blocks();
  for (std::size_t block = 0; block < blocks.size(); ++block)
    for (Index j = 0; j < std::ssize(blocks[block].features); ++j) {
      CompensatedSum sum;
      for (Index g = 0; g < mixture.size(); ++g)
        for (Index h = g + 1; h < mixture.size(); ++h)
          if (const double weight = shares[g] * shares[h];
              weight > 0 && mixture.label[static_cast<std::size_t>(g)] !=
                                mixture.label[static_cast<std::size_t>(h)])
            sum.add(weight * feature_divergence(model.densities()[block], g, h, j));
      result[blocks[block].features[static_cast<std::size_t>(j)]] =
          sum.value() / (seen * (seen - 1) / 2);
    }
  return result;
}

}  // namespace

Vector separation(const Model& model) {
  if (model.mixture()) return separation_of_mixture(model);
  return feature_divergences(model.schema(), model.weights(), model.densities());
}

}  // namespace suffice
