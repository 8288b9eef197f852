#include "inspect/telling_words.hpp"

#include <algorithm>

#include "core/at.hpp"
#include "factor/factors.hpp"

namespace suffice {

std::vector<Index> telling_words(const Model& model, std::size_t block, Index feature, Index label,
                                 std::size_t most) {
  const auto& density = std::get<TextDensity>(model.densities()[block]);
  const Matrix& slope = std::get<TextFactor>(model.factors().blocks[block]).slope[at(feature)];
  const Matrix& probability = density.probability[at(feature)];
  const bool complement = density.event_model == EventModel::complement;
  if (!(model.weights()[label] > 0)) return {};
  std::vector<double> value(at(slope.rows()));
  std::vector<Index> order;
  for (Index i = 0; i < slope.rows(); ++i) {
    double others = 0, share_of_others = 0, count = 0;
    for (Index c = 0; c < slope.cols(); ++c)
      if (c != label && model.weights()[c] > 0) {
        others += std::max(slope(i, c), -745.0);  // log 0, as far as it goes
        share_of_others += probability(c, i);
        ++count;
      }
    if (count == 0) count = 1;
    // The other classes of a complement have the words of this one.
    const double share = complement ? share_of_others / count : probability(label, i);
    value[at(i)] = share > 0 ? share * (slope(i, label) - others / count) : 0;
    if (value[at(i)] > 0) order.push_back(i);
  }
  const auto first = [&](Index a, Index b) {
    if (value[at(a)] != value[at(b)]) return value[at(a)] > value[at(b)];
    return density.words[at(feature)][a] < density.words[at(feature)][b];
  };
  const std::size_t kept = most == 0 ? order.size() : std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<Index>(kept), order.end(), first);
  order.resize(kept);
  return order;
}

}  // namespace suffice
