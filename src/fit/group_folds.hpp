#pragma once
// Rows that belong together, as folds: none of them is in the model that scores another.

#include <string>
#include <unordered_map>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/data/row_block.hpp"

namespace suffice {

/// Groups are dealt in turn, as they are met: of more than ten some share a fold.
class GroupFolds {
 public:
  static constexpr Index most = 10;

  /// The names of the folds of rows, by those of their groups. Several threads may ask once all
  /// groups were met. Throws DataError for a row without a group.
  std::vector<std::string> of(const Column& groups);
  Index groups() const { return std::ssize(fold_); }

 private:
  std::unordered_map<std::string, std::string> fold_;
};

}  // namespace suffice
