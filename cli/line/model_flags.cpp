#include "cli/line/model_flags.hpp"

#include <algorithm>
#include <array>

#include "cli/line/error.hpp"
#include "cli/line/option_values.hpp"

namespace suffice::cli {
namespace {

/// What the help has of an option of the engine's table.
struct Spelled {
  const EstimateOption* option;
  std::string flag;      ///< "--towards-tied"
  std::string lists;     ///< "mle|unbiased,…"
  std::string fallback;  ///< of fit
};

/// The options that need no order of the classes.
const std::vector<Spelled>& model_options() {
  static const std::vector<Spelled> spelled = [] {
    std::vector<Spelled> all;
    for (const EstimateOption& option : estimate_options()) {
      if (!option.in_grids) continue;
      std::string fallback(option.default_text);
      if (option.is_chosen)
        fallback = option.name == "covariance" ? "auto"
                   : option.name == "smoothing"
                       ? "auto with --covariance auto, otherwise " + fallback
                       : "chosen with --covariance auto, otherwise " + fallback;
      all.push_back({&option, "--" + hyphenated(option.name), std::string(option.values) + ",…",
                     std::move(fallback)});
    }
    return all;
  }();
  return spelled;
}

/// The words of "mle|unbiased"; none where other values are possible, as in "auto|NUMBER".
std::vector<std::string> words_of(std::string_view values) {
  std::vector<std::string> words;
  if (std::ranges::any_of(values, [](char c) { return c >= 'A' && c <= 'Z'; })) return words;
  for (std::size_t begin = 0; begin <= values.size();) {
    const std::size_t end = std::min(values.find('|', begin), values.size());
    words.emplace_back(values.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Throws UsageError, which suggests the nearest word.
void check_word(const EstimateOption& option, std::string_view flag, const std::string& text) {
  const std::vector<std::string> words = words_of(option.values);
  if (!words.empty()) choice_of(flag, text, words);
}

void store_value(const EstimateOption& option, Options& options, std::string_view flag,
                 const std::string& text) {
  check_word(option, flag, text);
  as_usage([&] { options.fit.set(option.name, text); });
}

void store_list(const EstimateOption& option, Options& options, std::string_view flag,
                const std::string& list) {
  for (const std::string& text : list_of(flag, list)) {
    EstimateOptions alone;
    check_word(option, flag, text);
    as_usage([&] { option.set(alone, text); });
    options.choice.grid[std::string(option.name)].push_back(text);
  }
}

using Store = void (*)(const EstimateOption& option, Options& options, std::string_view flag,
                       const std::string& text);

using Word = std::string_view (*)(const Spelled& spelled);

FlagGroup flags_of(Store store, Word value, Word fallback) {
  FlagGroup group{"Model", {}};
  for (const Spelled& spelled : model_options())
    group.flags.push_back(
        {.names = spelled.flag,
         .value = value(spelled),
         .description = spelled.option->description,
         .fallback = fallback(spelled),
         .alone = spelled.option->values == "no|yes" ? "yes" : "",
         .store = [option = spelled.option, store](Options& options, std::string_view flag,
                                                   const std::string& text) {
           store(*option, options, flag, text);
         }});
  return group;
}

}  // namespace

FlagGroup estimate_flags() {
  return flags_of(
      store_value, [](const Spelled& spelled) { return spelled.option->values; },
      [](const Spelled& spelled) { return std::string_view(spelled.fallback); });
}

FlagGroup grid_flags() {
  return flags_of(
      store_list, [](const Spelled& spelled) { return std::string_view(spelled.lists); },
      [](const Spelled& spelled) { return spelled.option->default_text; });
}

FlagGroup scatter_flag() {
  return {
      "Model",
      {{.names = "--covariance",
        .value = "full|tied|diag",
        .description =
            "What is kept of the numbers' covariances. full has a matrix for each class and "
            "serves every model; tied has one for all classes together, for every model but "
            "full; diag has only variances, for diag, tied-diag and spherical models.",
        .fallback = "full",
        .store = [](Options& options, std::string_view flag, const std::string& text) {
          constexpr std::array kept{Covariance::full, Covariance::tied, Covariance::diag};
          options.fit.estimate.covariance = kept[choice_of(flag, text, {"full", "tied", "diag"})];
        }}}};
}

void check_grid(const ChoiceOptions& choice) {
  as_usage([&] { require_candidates(choice.grid); });
}

}  // namespace suffice::cli
