#pragma once
// Where the EM of a mixture begins: components of each class, found on sampled rows by k-means++
// and a few passes, of several tries the best; and how many components a class needs.

#include <cstdint>
#include <span>
#include <vector>

#include "suffice/train/mixture.hpp"
#include "train/mixture_em.hpp"

namespace suffice {

/// The sampled rows of one class. Keeps views of `rows` and of the estimate.
class ClassStart {
 public:
  struct Input {
    const ComponentEstimate& estimate;
    const RowBlock& rows;  ///< all that were sampled, with weights
    Schema schema;
    std::string label;
    Scatter scatter = Scatter::dense;
    bool complete_missing = true;
    std::uint64_t seed = 0;
  };
  /// `members` are positions in the rows.
  ClassStart(const Input& input, std::vector<Index> members, const Execution& execution);

  struct Fit {
    Mixture grouping;           ///< of this class alone; as many components as were found
    Statistics sums;            ///< of the components
    double log_likelihood = 0;  ///< of several components, by the model before the last pass
  };
  /// The best of several tries. Rows that are equal cannot be told apart, so that there may be
  /// fewer components.
  Fit fit(Index components, Index tries) const;

  /// 1 to `most` components, by the likelihood of rows in five folds. Stops where more of them have
  /// not helped twice.
  std::vector<ComponentsTried> compare(Index most, Index tries) const;

 private:
  ClassStart part(const std::vector<Index>& members) const;
  std::vector<bool> blocks_to_complete(const Statistics& sums) const;
  Fit fit_from(std::span<const Index> cluster, Index components) const;
  Model model_of(const Fit& fit) const;

  Input input_;
  std::vector<Index> members_;
  const Execution& execution_;
};

/// The number of components that is chosen: the fewest whose held-out likelihood is within one
/// standard error of the best.
Index best_number(std::span<const ComponentsTried> tried);

}  // namespace suffice
