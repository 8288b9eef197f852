#pragma once
// What the densities of a model expect where a value is missing, with the training weights as
// probabilities of the classes.
//
// In a joint Gaussian block that is the conditional mean given the numbers of the row that are
// there, averaged over the classes by their posteriors given the same numbers (of normal densities,
// whatever the tails). Elsewhere it is the mean over the classes.

#include <memory>
#include <variant>
#include <vector>

#include "factor/categorical_factor.hpp"
#include "factor/count_factor.hpp"
#include "factor/gaussian_factor.hpp"
#include "factor/text_factor.hpp"

namespace suffice {

using Factor = std::variant<GaussianFactor, CountFactor, CategoricalFactor, TextFactor>;

class ExpectedCells {
 public:
  /// Keeps a view of the factors, not of the parts.
  ExpectedCells(const Model::Parts& parts, const std::vector<Factor>& factors);

  /// The means over the classes: of the features of a block (Gaussian: of those that are not
  /// constant), or of the indicators of its levels, feature by feature.
  const Vector& mean(std::size_t block) const { return blocks_[block]->mean; }
  /// Replaces what is NaN among the numbers of a Gaussian block that are not constant. From any
  /// thread.
  void complete(std::size_t block, double* numbers) const;

 private:
  struct JointBlock;
  struct OfBlock {
    Vector mean;
    std::shared_ptr<JointBlock> joint;  ///< full and tied covariances
  };
  std::vector<std::shared_ptr<OfBlock>> blocks_;
};

}  // namespace suffice
