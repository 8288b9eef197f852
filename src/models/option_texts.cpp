#include <algorithm>
#include <string>

#include "suffice/core/error.hpp"
#include "suffice/models/estimate.hpp"

namespace suffice {
namespace {

constexpr OptionText texts[] = {
    {"covariance", "full|tied|diag|tied-diag|spherical|tied-spherical", "full",
     "The covariance of the numbers in each class: full, tied, diag, tied-diag, spherical or "
     "tied-spherical; tied is shared by all classes."},
    {"normalize", "mle|unbiased", "mle", "Divides scatter by the number of rows, or by one less."},
    {"smoothing", "NUMBER", "1",
     "Pseudo-count added to each level, word or event; 0 is maximum likelihood."},
    {"pooling", "NUMBERS", "",
     "Shares of the classes in a tied covariance, one for each; by their numbers of rows where "
     "none "
     "are given."},
};

}  // namespace

std::span<const OptionText> estimate_option_texts() { return texts; }

const OptionText& estimate_option_text(std::string_view name) {
  const auto found = std::ranges::find(texts, name, &OptionText::name);
  if (found == std::end(texts))
    throw InvalidArgument("estimate has no option '" + std::string(name) + "'");
  return *found;
}

}  // namespace suffice
