#pragma once
// --fold-column of fit: rows that belong together are left out together.

#include <string>
#include <unordered_map>
#include <vector>

#include "cli/input/plan.hpp"
#include "cli/readers/rows.hpp"

namespace suffice::cli {

/// Groups of rows, dealt to folds in the order in which they are met.
class Groups {
 public:
  static constexpr std::size_t most_folds = 10;

  /// The fold of each row. Throws DataError with the row for a row without a group.
  const std::vector<std::string>& folds(const Plan& plan, const Rows& rows);
  std::size_t count() const { return fold_.size(); }

 private:
  std::unordered_map<std::string, std::size_t> fold_;
  std::vector<std::string> folds_;
};

}  // namespace suffice::cli
