#include "decide/same_labels.hpp"

#include <algorithm>

#include "suffice/core/error.hpp"

namespace suffice {

void require_same_labels(const Names& a, const std::string& whose_a, const Names& b,
                         const std::string& whose_b) {
  if (a == b) return;
  const Index both = std::min(a.size(), b.size());
  Index c = 0;
  while (c < both && a[c] == b[c]) ++c;
  const auto what = [c](const Names& names) {
    return c < names.size() ? "'" + names[c] + "'" : std::string("no class");
  };
  throw InvalidArgument(whose_a + " and " + whose_b + " are over different classes: at position " +
                            std::to_string(c) + " " + whose_a + " have " + what(a) + ", " +
                            whose_b + " have " + what(b),
                        "make both for the same labels");
}

void require_columns(const LogLikelihoods& scores) {
  if (scores.values.cols() != scores.labels.size())
    throw InvalidArgument("the scores have " + std::to_string(scores.values.cols()) +
                              " columns for " + std::to_string(scores.labels.size()) + " classes",
                          "there must be one for each");
}

}  // namespace suffice
