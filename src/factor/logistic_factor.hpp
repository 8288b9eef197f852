#pragma once
// What scoring needs of a discriminative twin, and what its terms are.

#include <memory>
#include <vector>

#include "factor/expected_cells.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

/// Which powers of its numbers a Gaussian block has as terms.
enum class Powers { linear, squares, products };
Powers powers_of(const GaussianDensity& density);

/// How many terms a density's block has, and how many of its numbers are squared or multiplied.
Index term_count(const Density& density);
Index origin_count(const Density& density);

struct LogisticFactor {
  std::vector<Index> first_term;    ///< per block
  std::vector<Index> first_origin;  ///< per block
  Vector base;  ///< K: intercept − log prior of training; 0 for unseen classes
  ExpectedCells expected;
};

/// `blocks` are those of the model that the factor will belong to.
std::shared_ptr<const LogisticFactor> make_logistic_factor(const Model::Parts& parts,
                                                           const std::vector<Factor>& blocks);

/// Throws InvalidArgument where the twin does not fit the rest.
void check_logistic(const Model::Parts& parts);

}  // namespace suffice
