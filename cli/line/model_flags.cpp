#include "cli/line/model_flags.hpp"

#include "cli/line/option_values.hpp"
#include "suffice/evaluate/leave_one_out_shrinkage.hpp"

namespace suffice::cli {
namespace {

template <class T, std::size_t count>
std::vector<std::string> words_of(const T (&values)[count]) {
  std::vector<std::string> words;
  for (const T value : values) words.emplace_back(to_string(value));
  return words;
}

constexpr Covariance covariances[] = {Covariance::full,      Covariance::tied,
                                      Covariance::diag,      Covariance::tied_diag,
                                      Covariance::spherical, Covariance::tied_spherical};
constexpr Normalize normalizations[] = {Normalize::mle, Normalize::unbiased};
constexpr suffice::Target targets[] = {suffice::Target::diag, suffice::Target::spherical};
constexpr Inference estimators[] = {Inference::plugin, Inference::map, Inference::bayes};

/// Each of a list of values.
template <class Value, class Read>
void append_values(std::vector<Value>& to, std::string_view flag, const std::string& list,
                   const Read& read) {
  for (const std::string& text : list_of(flag, list)) to.push_back(read(text));
}

/// The engine's own words for an option of the model.
const OptionText& text(std::string_view name) { return estimate_option_text(name); }

}  // namespace

FlagGroup estimate_flags() {
  return {
      "Model",
      {
          {.names = "--covariance",
           .value = "STRUCTURE",
           .description = text("covariance").description,
           .fallback = text("covariance").default_value,
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.estimate.covariance = covariances[choice_of(flag, v, words_of(covariances))];
               }},
          {.names = "--pca",
           .value = text("pca").values,
           .description = text("pca").description,
           .fallback = text("pca").default_value,
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.estimate.pca = pca_of(flag, v); }},
          {.names = "--lda",
           .value = text("lda").values,
           .description = text("lda").description,
           .fallback = text("lda").default_value,
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.estimate.lda = whole_number_of(flag, v, 1); }},
          {.names = "--shrinkage",
           .value = text("shrinkage").values,
           .description = text("shrinkage").description,
           .fallback = text("shrinkage").default_value,
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.shrinkage_by_leave_one_out = v == "loo";
                 o.estimate.shrinkage = v == "loo" ? Shrinkage::rows(1) : shrinkage_of(flag, v);
               }},
          {.names = "--target",
           .value = text("target").values,
           .description = text("target").description,
           .fallback = text("target").default_value,
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.estimate.target = targets[choice_of(flag, v, words_of(targets))];
               }},
          {.names = "--towards-tied",
           .value = text("towards_tied").values,
           .description = text("towards_tied").description,
           .fallback = text("towards_tied").default_value,
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.estimate.towards_tied = share_of(flag, v); }},
          {.names = "--estimate",
           .value = text("estimate").values,
           .description = text("estimate").description,
           .fallback = text("estimate").default_value,
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.estimate.inference = estimators[choice_of(flag, v, words_of(estimators))];
               }},
          {.names = "--normalize",
           .value = text("normalize").values,
           .description = text("normalize").description,
           .fallback = text("normalize").default_value,
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.estimate.normalize =
                     normalizations[choice_of(flag, v, words_of(normalizations))];
               }},
          {.names = "--smoothing",
           .value = "ALPHA",
           .description = text("smoothing").description,
           .fallback = text("smoothing").default_value,
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.estimate.smoothing = at_least_zero(flag, v); }},
      }};
}

FlagGroup scatter_flag() {
  return {"Model",
          {
              {.names = "--covariance",
               .value = "full|diag",
               .description = "What is kept of the numbers' covariances: diag is small, and enough "
                              "for diag and spherical "
                              "models.",
               .fallback = "full",
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     o.estimate.covariance = choice_of(flag, v, {"full", "diag"}) == 0
                                                 ? Covariance::full
                                                 : Covariance::diag;
                   }},
          }};
}

FlagGroup grid_flags() {
  return {
      "Model",
      {
          {.names = "--covariance",
           .value = "STRUCTURES",
           .description = "Covariances of the numbers in each class: full, tied, diag, tied-diag, "
                          "spherical or "
                          "tied-spherical, separated by commas.",
           .fallback = "full, or the default grid",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.covariance, flag, v, [&](const std::string& text) {
                   return covariances[choice_of(flag, text, words_of(covariances))];
                 });
               }},
          {.names = "--pca",
           .value = "LIST",
           .description = "Numbers of principal components (K) or shares of the variance (P%); "
                          "none is without.",
           .fallback = "none",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.pca, flag, v, [&](const std::string& text) {
                   return text == "none" ? std::nullopt : std::optional(pca_of(flag, text));
                 });
               }},
          {.names = "--lda",
           .value = "LIST",
           .description = "Numbers of directions in which the classes are apart, after --pca; none "
                          "is without.",
           .fallback = "none",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.lda, flag, v, [&](const std::string& text) {
                   return text == "none" ? std::nullopt
                                         : std::optional<Index>(whole_number_of(flag, text, 1));
                 });
               }},
          {.names = "--shrinkage",
           .value = "LIST",
           .description =
               "Strengths of shrinkage: auto, oas, or shares of the --target from 0 to 1.",
           .fallback = "auto (0 with --folds loo), or the default grid",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.shrinkage, flag, v,
                               [&](const std::string& text) { return shrinkage_of(flag, text); });
               }},
          {.names = "--target",
           .value = "LIST",
           .description = "What shares of shrinkage draw towards: diag, spherical.",
           .fallback = "diag",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.target, flag, v, [&](const std::string& text) {
                   return targets[choice_of(flag, text, words_of(targets))];
                 });
               }},
          {.names = "--towards-tied",
           .value = "LIST",
           .description = "How far each class's covariance is drawn towards the one of all "
                          "classes, from 0 to 1.",
           .fallback = "0",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.towards_tied, flag, v,
                               [&](const std::string& text) { return share_of(flag, text); });
               }},
          {.names = "--estimate",
           .value = "LIST",
           .description = "Kinds of estimates: plugin, map, bayes.",
           .fallback = "plugin",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.inference, flag, v, [&](const std::string& text) {
                   return estimators[choice_of(flag, text, words_of(estimators))];
                 });
               }},
          {.names = "--normalize",
           .value = "LIST",
           .description =
               "Whether scatter is divided by the number of rows (mle), or by one less (unbiased).",
           .fallback = "mle",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.normalize, flag, v, [&](const std::string& text) {
                   return normalizations[choice_of(flag, text, words_of(normalizations))];
                 });
               }},
          {.names = "--smoothing",
           .value = "LIST",
           .description = "Pseudo-counts added to each level, word or event.",
           .fallback = "1, or the default grid",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 append_values(o.choice.grid.smoothing, flag, v,
                               [&](const std::string& text) { return at_least_zero(flag, text); });
               }},
      }};
}

void check_estimate(const Options& options) {
  try {
    if (options.shrinkage_by_leave_one_out)
      LeaveOneOutShrinkage::require_possible(options.estimate);
    else
      resolve(options.estimate);
  } catch (const InvalidArgument& error) {
    throw UsageError(error);
  }
}

void check_grid(const ChoiceOptions& choice) {
  try {
    require_candidates(choice.grid);
  } catch (const InvalidArgument& error) {
    throw UsageError(error);
  }
}

}  // namespace suffice::cli
