#include <algorithm>
#include <string>

#include "suffice/core/error.hpp"
#include "suffice/models/estimate_options.hpp"

namespace suffice {
namespace {

constexpr OptionText texts[] = {
    {"covariance", "full|tied|diag|tied-diag|spherical|tied-spherical", "full",
     "The covariance of the numbers in each class: full, tied, diag, tied-diag, spherical or "
     "tied-spherical; tied is shared by all classes."},
    {"normalize", "mle|unbiased", "mle",
     "Divides scatter by the number of rows, or by one less; a prior (shrinkage auto or loo, map, "
     "bayes) leaves no choice."},
    {"smoothing", "NUMBER", "1",
     "Pseudo-count added to each level, word or event; 0 is maximum likelihood."},
    {"pooling", "NUMBERS", "",
     "Shares of the classes in a tied covariance, one for each; by their numbers of rows where "
     "none are given."},
    {"pca", "K|P%", "none",
     "Replaces the numbers by K principal components, or by as many as have P % of the variance."},
    {"lda", "K", "none",
     "Replaces them by K directions in which the classes are apart, fewer than classes; after pca "
     "where both are given."},
    {"shrinkage", "auto|loo|oas|NUMBER", "auto",
     "Draws covariances towards a simpler one: auto finds from the data how much, and what "
     "towards; loo tries strengths on each row left out, in a second reading; a number is the "
     "share of the target, 0 plain maximum likelihood; oas is a closed form for the spherical "
     "target."},
    {"target", "diag|spherical", "diag",
     "What a share of shrinkage draws towards: the variances alone, or their mean (which depends "
     "on units)."},
    {"towards_tied", "NUMBER", "0",
     "Draws each class's covariance towards the one of all classes: 0 is its own, 1 the tied one. "
     "Shrinkage is then 0 unless it is given."},
    {"estimate", "plugin|map|bayes", "plugin",
     "plugin takes the estimates for the truth, map the most probable parameters under a prior; "
     "bayes averages over the whole posterior (Student's t and its kin)."},
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
