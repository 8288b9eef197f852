#include "stats/one_block.hpp"

#include <utility>

namespace suffice {

Schema schema_of_block(const Schema& schema, std::size_t block) {
  std::vector<Feature> features;
  for (const Index j : schema.blocks()[block].features) {
    features.push_back(schema.feature(j));
    features.back().transform = Transform::none;
    features.back().indicator.reset();
  }
  return Schema(std::move(features));
}

Statistics statistics_of_block(const Statistics& statistics, std::size_t block) {
  return Statistics(Statistics::Parts{.schema = schema_of_block(statistics.schema(), block),
                                      .labels = statistics.labels(),
                                      .weights = statistics.weights(),
                                      .squared_weights = statistics.squared_weights(),
                                      .blocks = {statistics.blocks()[block]}});
}

}  // namespace suffice
