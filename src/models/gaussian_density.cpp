#include "models/gaussian_density.hpp"

namespace suffice {

std::vector<std::string> names_of(const GaussianDensity& density, const Schema& schema,
                                  const Block& block) {
  if (density.projection.empty()) return schema.names(block);
  std::vector<std::string> names;
  for (Index j = 0; j < density.projection.matrix.cols(); ++j)
    names.push_back("z" + std::to_string(j));
  return names;
}

}  // namespace suffice
