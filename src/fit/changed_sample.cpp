#include "fit/changed_sample.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace suffice {
namespace {

/// A sample of these rows, which stand for as many rows of the input as before.
SampledRows sampled_again(const RowBlock& rows, const Schema& schema, const SampledRows& like,
                          double by) {
  Reservoir reservoir(schema, {.rows = std::max<Index>(like.size(), 1),
                               .numbers = std::numeric_limits<double>::max()});
  reservoir.update(rows);
  Reservoir::Parts parts = reservoir.parts();
  for (double& weight : parts.weight) weight *= by;
  // Per class; of a row as many as it stands for, in the order of the sample.
  const double least = like.size() > 0 ? std::ranges::min(like.importance()) : 1;
  std::vector<Index> order(static_cast<std::size_t>(like.size()));
  for (Index r = 0; r < std::ssize(order); ++r)
    order[static_cast<std::size_t>(parts.number[static_cast<std::size_t>(r)])] =
        static_cast<Index>(parts.label[static_cast<std::size_t>(r)]);
  std::ranges::fill(parts.seen, 0.0);
  for (Index i = 0; i < like.size(); ++i)
    parts.seen[order[static_cast<std::size_t>(i)]] += like.importance()[i] / least;
  return Reservoir(parts).sample();
}

}  // namespace

SampledRows with_columns(const SampledRows& sample, const Schema& all, const Schema& some) {
  return sampled_again(sample.rows().columns(positions_of_columns(all, some)), some, sample, 1);
}

SampledRows with_weights_times(const SampledRows& sample, const Schema& schema, double by) {
  return sampled_again(sample.rows(), schema, sample, by);
}

}  // namespace suffice
