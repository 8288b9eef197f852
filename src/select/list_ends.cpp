#include "select/list_ends.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "core/few_digits.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || read != end) return std::nullopt;
  return value;
}

/// Whether an option can have a value beside the others of a candidate.
bool is_possible(const EstimateOption& option, EstimateOptions options, double value) {
  try {
    option.set(options, name_of(value));
    return resolve(options) == resolve(resolve(options)) &&
           number_of(option.text(resolve(options))) == value;
  } catch (const InvalidArgument&) {
    return false;
  }
}

/// A step further from `inner` to `end`, in the same ratio; shares do not go beyond 1.
double beyond(double inner, double end, bool is_share, bool is_whole) {
  double next = inner > 0 ? end * end / inner : 2 * end;
  if (is_share && end > inner) next = (1 + end) / 2;
  return is_whole ? std::round(next) : few_digits(next, 2);
}

}  // namespace

std::vector<std::string> list_ends(const Selection& selection, const ListExtent& extent) {
  std::vector<std::string> hints;
  const EstimateOptions& best = selection.best_options();
  for (const EstimateOption& option : estimate_options()) {
    const std::optional<double> chosen = number_of(option.text(best));
    if (!chosen) continue;
    std::set<double> numbers;
    bool has_words = false;
    for (const CandidateResult& candidate : selection.candidates) {
      const std::optional<double> value = number_of(option.text(candidate.options));
      has_words |= !value;
      if (value && candidate.error.empty()) numbers.insert(*value);
    }
    if (numbers.size() < 2 || *chosen <= 0) continue;  // nothing is below 0
    const bool is_smallest = *chosen == *numbers.begin();
    if (!is_smallest && *chosen != *numbers.rbegin()) continue;
    // none of keep and pca, and normal of tails, lie beyond all numbers.
    const bool has_limit = option.name == "keep" || option.name == "pca" || option.name == "lda" ||
                           option.name == "tails";
    if (!is_smallest && has_words && has_limit) continue;
    const double inner = is_smallest ? *std::next(numbers.begin()) : *std::next(numbers.rbegin());
    const bool is_share = option.name == "shrinkage" || option.name == "target_share" ||
                          option.name == "towards_tied";
    const bool is_whole = option.name == "keep" || option.name == "pca" || option.name == "lda";
    double next = beyond(inner, *chosen, is_share, is_whole);
    if (is_whole)
      next = std::min(next, static_cast<double>(option.name == "keep"  ? extent.features
                                                : option.name == "pca" ? extent.numbers
                                                                       : extent.classes - 1));
    if (next == *chosen || (next > *chosen) == is_smallest || !is_possible(option, best, next))
      continue;
    std::string name(option.name);
    std::ranges::replace(name, '_', ' ');
    hints.push_back("the best " + name + ", " + name_of(*chosen) + ", is the " +
                    (is_smallest ? "smallest" : "largest") + " that was compared: try " +
                    (is_smallest ? "smaller" : "larger") + " ones as well, such as " +
                    name_of(next));
  }
  return hints;
}

}  // namespace suffice
