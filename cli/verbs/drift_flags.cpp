#include "cli/line/fail.hpp"
#include "cli/line/option_values.hpp"
#include "cli/verbs/verb_flags.hpp"

namespace suffice::cli {
namespace {

/// A size from which on a change matters.
Flag size_flag(std::string_view name, std::string_view description, std::string_view fallback,
               double DriftOptions::*member, double most) {
  return {.names = name,
          .value = "NUMBER",
          .description = description,
          .fallback = fallback,
          .store = [member, most](Options& o, std::string_view flag, const std::string& v) {
            const double value = number_of(flag, v);
            if (!(value >= 0 && value <= most))
              fail("{} must lie between 0 and {}, not {}", flag, most, v);
            o.drift.options.*member = value;
          }};
}

}  // namespace

FlagGroup drift_flags() {
  return {
      "Comparison",
      {
          {.names = "--common",
           .description = "Compares the columns that both have, where one has others.",
           .store = [](Options& o, std::string_view,
                       const std::string&) { o.drift.common = true; }},
          {.names = "--fail-above",
           .value = "AUC",
           .description = "Exit code 3 if a change is found and the rows of NEW can be told from "
                          "those of OLD with a larger AUC, linear or quadratic.",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 const double value = number_of(flag, v);
                 if (!(value >= 0.5 && value <= 1))
                   fail("{} must lie between 0.5 and 1, not {}", flag, v);
                 o.drift.fail_above = value;
               }},
          size_flag("--level", "The level of the tests, for each kind of change.", "0.05",
                    &DriftOptions::level, 1),
          size_flag("--mean", "A change of a mean that matters, in deviations.", "0.1",
                    &DriftOptions::mean, 1e9),
          size_flag("--auc", "The AUC that matters, of a column or of all together.", "0.53",
                    &DriftOptions::auc, 1),
          size_flag("--share", "A change of shares that matters, in total variation.", "0.05",
                    &DriftOptions::share, 1),
          size_flag("--correlation", "A change of a correlation that matters, in Fisher's z.",
                    "0.1", &DriftOptions::correlation, 1e9),
          {.names = "--top",
           .value = "N",
           .description = "How many columns to show, the worst first; 0 is all.",
           .fallback = "10",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.top = whole_number_of(flag, v, 0); }},
      }};
}

}  // namespace suffice::cli
