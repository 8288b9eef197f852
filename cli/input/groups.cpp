#include "cli/input/groups.hpp"

#include "suffice/core/error.hpp"

namespace suffice::cli {

const std::vector<std::string>& Groups::folds(const Plan& plan, const Rows& rows) {
  const TextColumn& groups = rows.texts()[plan.fold];
  folds_.resize(static_cast<std::size_t>(rows.size()));
  for (Index i = 0; i < rows.size(); ++i) {
    if (groups.is_missing(i))
      throw DataError({.row = i}, "the row has no value in the column of --fold-column",
                      "give one to each row, or leave the row out");
    const std::size_t next = fold_.size() % most_folds;
    const auto [found, is_new] = fold_.try_emplace(std::string(groups[i]), next);
    folds_[static_cast<std::size_t>(i)] = std::to_string(found->second + 1);
  }
  return folds_;
}

}  // namespace suffice::cli
