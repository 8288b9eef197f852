#include "suffice/fit/fit_options.hpp"

#include <algorithm>

namespace suffice {

FitOptions& FitOptions::set(std::string_view name, std::string_view text) {
  const bool is_loo = name == "shrinkage" && text == "loo";
  const bool is_by_folds = name == "shrink_means" && text == "auto";
  const bool is_open = (name == "covariance" || name == "tails") && text == "auto";
  if (is_loo)
    estimate.shrinkage = Shrinkage::rows(1);  // until the rows are read again
  else if (is_by_folds)
    estimate.shrink_means = 0;  // likewise
  else if (!is_open)
    estimate_option(name).set(estimate, text);
  if (name == "shrinkage") shrinkage_by_leave_one_out = is_loo;
  if (name == "shrink_means") means_by_folds = is_by_folds;
  std::erase(fixed, name);
  std::erase(to_choose, name);
  (is_open ? to_choose : fixed).emplace_back(name);
  return *this;
}

bool FitOptions::is_fixed(std::string_view name) const {
  return std::ranges::find(fixed, name) != fixed.end();
}

bool FitOptions::chooses() const {
  return !to_choose.empty() ||
         !(is_fixed("covariance") || shrinkage_by_leave_one_out || estimate.discriminative);
}

}  // namespace suffice
