#include "suffice/fit/fit_options.hpp"

#include <algorithm>

namespace suffice {

FitOptions& FitOptions::set(std::string_view name, std::string_view text) {
  if ((name == "covariance" || name == "tails") && text == "auto") {
    to_choose.emplace_back(name);
    return *this;
  }
  fixed.emplace_back(name);
  if (name == "shrinkage" && text == "loo") {
    shrinkage_by_leave_one_out = true;
    estimate.shrinkage = Shrinkage::rows(1);  // until the rows are read again
  } else if (name == "shrink_means" && text == "auto") {
    means_by_folds = true;
    estimate.shrink_means = 0;  // likewise
  } else {
    estimate_option(name).set(estimate, text);
  }
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
