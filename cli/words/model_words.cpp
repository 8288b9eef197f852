#include "cli/words/model_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/line/error.hpp"
#include "cli/output/text.hpp"
#include "cli/words/show_logistic.hpp"
#include "suffice/estimate/shrunken_means.hpp"
#include "suffice/models/parameter_count.hpp"
#include "suffice/select/grid.hpp"

namespace suffice::cli {
namespace {

struct Analysis {
  std::string_view name, what;
};

Analysis analysis_of(Covariance covariance) {
  switch (covariance) {
    case Covariance::full:
      return {"Quadratic discriminant analysis", "one full covariance per class"};
    case Covariance::tied:
      return {"Linear discriminant analysis", "one covariance for all classes"};
    case Covariance::diag:
      return {"Gaussian naive Bayes", "one variance per column and class"};
    case Covariance::tied_diag:
      return {"Diagonal linear discriminant analysis", "one variance per column for all classes"};
    case Covariance::spherical:
      return {"Spherical Gaussians", "one variance per class"};
    case Covariance::tied_spherical:
      break;
  }
  return {"Nearest class mean", "one variance for all columns and classes"};
}

/// "one full covariance per component"
std::string in_components(std::string_view what) {
  std::string text(what);
  const auto place = text.find("class");
  if (place == std::string::npos) return text;
  return text.substr(0, place) + (text.substr(place) == "class" ? "component" : "components");
}

/// There is no class to tell it from.
Analysis analysis_of_one_class(Covariance covariance) {
  switch (covariance) {
    case Covariance::full:
    case Covariance::tied:
      return {"Gaussian", "full covariance"};
    case Covariance::diag:
    case Covariance::tied_diag:
      return {"Gaussian", "one variance per column"};
    case Covariance::spherical:
    case Covariance::tied_spherical:
      break;
  }
  return {"Gaussian", "one variance for all columns"};
}

/// Whether a covariance is more than the plain estimate from the rows.
bool is_regularised(const Model& model) {
  const auto& options = model.parts().options;
  return options &&
         (has_prior(*options) || !options->shrinkage->is_none() || options->towards_tied > 0);
}

/// "; Student's t with 8 degrees of freedom"; nothing of normal densities.
std::string tails_in_words(const Model& model, const GaussianDensity& density) {
  if (density.dof.empty()) return {};
  const auto& options = model.parts().options;
  if (!options || options->tails->is_normal()) return "; Student's t densities";
  return fmt::format("; Student's t with {} degrees of freedom", to_string(*options->tails));
}

std::string block_in_words(const Model& model, std::size_t b) {
  const Block& block = model.schema().blocks()[b];
  std::string columns;
  if (model.schema().blocks().size() > 1)
    columns = " of " + counted(static_cast<double>(block.features.size()), "column");
  const auto* density = std::get_if<GaussianDensity>(&model.densities()[b]);
  if (!density) {
    std::string name(to_string(block.family));
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return model.labels().size() == 1 ? fmt::format("{}{}, independent columns", name, columns)
                                      : fmt::format("{} naive Bayes{}", name, columns);
  }
  if (model.mixture()) {
    const std::string what = in_components(analysis_of(density->structure).what);
    return fmt::format(
        "{}{}: {}{}{}",
        model.labels().size() == 1 ? "Mixture of Gaussians" : "Mixture discriminant analysis",
        columns, what, is_regularised(model) ? ", regularised" : "",
        tails_in_words(model, *density));
  }
  Analysis analysis = model.labels().size() == 1 ? analysis_of_one_class(density->structure)
                                                 : analysis_of(density->structure);
  if (!density->deviation.empty()) analysis.name = "Nearest shrunken centroids";
  return fmt::format("{}{}: {}{}{}", analysis.name, columns, analysis.what,
                     is_regularised(model) ? ", regularised" : "", tails_in_words(model, *density));
}

/// "12.3, 4.56": rounded, at most five of them.
std::string rounded_list(const std::vector<double>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == 5) return text + ", …";
    text += (i > 0 ? ", " : "") + rounded(numbers[i], 3);
  }
  return text;
}

std::string weight_in_words(const std::vector<double>& rows) {
  constexpr double beside_which_no_row_counts = 1e6;
  return rows[0] > beside_which_no_row_counts ? "fully" : "weight " + rounded_list(rows);
}

bool any_infinite(const std::vector<double>& rows) {
  return std::ranges::any_of(rows, [](double number) { return std::isinf(number); });
}

/// What the covariances were shrunk towards; nothing where they were not.
std::string targets_in_words(Covariance covariance, const EstimateFound& found, bool one_class) {
  std::string text;
  if (!found.shrinkage_shares.empty())
    text = fmt::format("the spherical target (share {})", rounded_list(found.shrinkage_shares));
  if (one_class && !found.target_rows.empty()) {
    text = fmt::format("the diagonal ({})", weight_in_words(found.target_rows));
    return any_infinite(found.target_rows) ? text + "; too few rows to estimate correlations"
                                           : text;
  }
  if (!found.shrinkage_rows.empty())
    text = fmt::format("{} ({})",
                       covariance == Covariance::tied   ? "its diagonal"
                       : covariance == Covariance::diag ? "the pooled variances"
                                                        : "the pooled covariance",
                       weight_in_words(found.shrinkage_rows));
  if (!found.target_rows.empty())
    text += fmt::format(" and its diagonal ({})", weight_in_words(found.target_rows));
  if (any_infinite(found.shrinkage_rows) || any_infinite(found.target_rows))
    text += "; too few rows to estimate correlations";
  return text;
}

}  // namespace

std::string model_in_words(const Model& model) {
  if (model.logistic()) return logistic_in_words(model);
  std::string text;
  for (std::size_t b = 0; b < model.densities().size(); ++b)
    text += block_in_words(model, b) + "\n";
  return text;
}

std::string parameters_in_words(const Model& model) {
  const ParameterCount count = parameter_count(model);
  std::string text = "Parameters: " + counted(count.total());
  double of_each = 0;
  bool is_same = true;
  for (Index c = 0; c < count.of_class.size(); ++c) {
    if (!(model.weights()[c] > 0)) continue;
    is_same = is_same && (of_each == 0 || of_each == count.of_class[c]);
    of_each = count.of_class[c];
  }
  if (is_same && of_each > 0) {
    text += ", " + counted(of_each) + " of each class";
    if (count.shared > 0) text += " and " + counted(count.shared) + " of all together";
  }
  return text + "\n";
}

std::string mixture_in_words(const Model& model) {
  const EstimateFound& found = model.parts().found;
  std::string text;
  if (model.mixture()) {
    const auto by_class = model.mixture()->by_class(model.labels().size());
    constexpr std::size_t most = 12;
    for (std::size_t c = 0; c < std::min(most, by_class.size()); ++c)
      text +=
          fmt::format("{}{} {}", c ? ", " : "Components: ", model.labels()[c], by_class[c].size());
    text += by_class.size() > most ? fmt::format(", … ({} in all)", model.mixture()->size()) : "";
    if (!found.mixture_passes.empty())
      text += fmt::format("; EM in {}", counted(found.mixture_passes[0], "pass", "passes"));
    text += '\n';
    if (!found.mixture_bounded.empty())
      text += fmt::format("{} met the lower bound of a covariance, a millionth of the class's\n",
                          counted(found.mixture_bounded[0], "component"));
  }
  if (!found.unlabelled_rows.empty())
    text += fmt::format("Rows without a label: {} used{}{}\n", counted(found.unlabelled_rows[0]),
                        found.unlabelled_weight[0] == 1
                            ? ""
                            : ", each with weight " + rounded(found.unlabelled_weight[0]),
                        model.mixture() ? ""
                                        : fmt::format("; EM in {}", counted(found.mixture_passes[0],
                                                                            "pass", "passes")));
  return text;
}

std::string shrinkage_in_words(const Model& model) {
  const auto& options = model.parts().options;
  if (!options || model.logistic()) return {};
  const std::string text =
      targets_in_words(options->covariance, model.parts().found, model.labels().size() == 1);
  if (text.empty()) return {};
  const Shrinkage::Kind kind = options->shrinkage->kind();
  const bool is_named = kind == Shrinkage::Kind::automatic || kind == Shrinkage::Kind::oas;
  return fmt::format("Shrinkage{}: towards {}\n",
                     is_named ? " " + to_string(*options->shrinkage) : "", text);
}

std::string smoothing_in_words(const Model& model) {
  const std::vector<double>& found = model.parts().found.pseudo_counts;
  if (model.logistic()) return {};
  std::string text;
  std::size_t i = 0;
  for (const Block& block : model.schema().blocks()) {
    if (block.family == Family::gaussian || i >= found.size()) continue;
    text += fmt::format("{}{}{}", i > 0 ? ", " : "", rounded(found[i], 3),
                        found.size() > 1 ? fmt::format(" ({})", to_string(block.family)) : "");
    ++i;
  }
  return text.empty() ? text
                      : fmt::format("Smoothing auto: pseudo-count{} {}\n",
                                    found.size() > 1 ? "s" : "", text);
}

std::string kept_in_words(const Model& model) {
  const EstimateFound& found = model.parts().found;
  if (found.kept_features.empty() || found.all_features.empty()) return {};
  std::vector<std::string> names;
  for (const Feature& feature : model.schema().features()) names.push_back(feature.name);
  const double kept = found.kept_features[0], all = found.all_features[0];
  if (found.next_divergence.empty() || found.least_divergence.empty())
    return fmt::format("Kept all {}: {}\n", counted(all, "feature"), list_for_message(names, 20));
  return fmt::format("Kept {} of {}, divergence {} and more (the next has {}): {}\n", counted(kept),
                     counted(all, "feature"), rounded(found.least_divergence[0], 3),
                     rounded(found.next_divergence[0], 3), list_for_message(names, 20));
}

std::string means_in_words(const Model& model) {
  const auto& options = model.parts().options;
  if (!options || !options->shrink_means) return {};
  double columns = 0;
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density))
      columns += static_cast<double>(gaussian->mean.cols());
  return fmt::format("Shrunken means: threshold {}, the class means differ in {} of {}\n",
                     rounded(options->shrink_means->value, 4),
                     counted(static_cast<double>(surviving_features(model).size())),
                     counted(columns, "column"));
}

std::string projection_in_words(const Model& model) {
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    const auto* density = std::get_if<GaussianDensity>(&model.densities()[b]);
    if (!density || density->projection.empty()) continue;
    std::string text =
        fmt::format("{} of {} columns",
                    counted(static_cast<double>(density->projection.matrix.cols()), "projection"),
                    model.schema().blocks()[b].features.size());
    const EstimateFound& found = model.parts().found;
    if (!found.pca_components.empty())
      text += fmt::format(": {} principal component{} {} % of the variance{}",
                          found.pca_components[0], found.pca_components[0] == 1 ? " has" : "s have",
                          rounded(100 * found.pca_explained.at(0), 4),
                          model.parts().options->standardize ? " of the standardised columns" : "");
    return text + "\n";
  }
  return {};
}

std::string options_for_people(const EstimateOptions& options) {
  std::string text;
  for (const EstimateOption& option : estimate_options())
    if (option.name == "covariance" || !option.is_default(options))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", hyphenated(option.name),
                          option.text(options));
  return text;
}

std::string calibration_in_words(const Model& model) {
  if (!model.calibration()) return {};
  const Vector& scale = model.calibration()->scale;
  const Vector& offset = model.calibration()->offset;
  const Vector& knots = model.calibration()->knots;
  std::string scales;
  for (Index b = 0; b < scale.size(); ++b) {
    scales += (b ? ", " : "") + rounded(scale[b], 3);
    if (scale.size() > 1)
      scales += fmt::format(" ({})", to_string(model.schema().blocks()[b].family));
  }
  const auto [low, high] = std::ranges::minmax(offset);
  std::string text = fmt::format("Calibrated: log-likelihoods times {}, offsets from {} to {}",
                                 scales, rounded(low, 3), rounded(high, 3));
  if (!knots.empty())
    text += fmt::format(", then a step function of the ratio with {}",
                        counted(static_cast<double>(knots.size()), "knot"));
  return text + "\n";
}

std::string missing_in_words(const Model& model) {
  const EstimateFound& found = model.parts().found;
  if (found.used_rows.empty() || model.logistic()) return {};
  const double rows = model.weights().map().sum();
  // Of several blocks the one that could use the fewest rows.
  const auto block =
      static_cast<std::size_t>(std::ranges::min_element(found.used_rows) - found.used_rows.begin());
  const double used = found.used_values[block], present = found.present_values[block];
  if (!found.em_passes.empty())
    return fmt::format("Missing numbers: EM in {}; {} of {} used, {} of them complete\n",
                       counted(found.em_passes[0], "pass", "passes"),
                       counted(found.used_rows[block]), counted(rows, "row"),
                       counted(found.complete_rows[block]));
  if (used >= present * (1 - 1e-9))
    return fmt::format("Missing numbers: left out; all {} that are present are used\n",
                       counted(present, "number"));
  return fmt::format("Missing numbers: {} of {} used, those that are complete\n",
                     counted(found.used_rows[block]), counted(rows, "row"));
}

std::string choice_in_words(const Model& model) {
  const EstimateFound& found = model.parts().found;
  if (found.choice_candidates.empty()) return {};
  const double candidates = found.choice_candidates[0];
  const std::string how = found.choice_folds.empty()
                              ? "leave-one-out on"
                              : counted(found.choice_folds[0], "fold") + " on";
  std::string text =
      candidates > 1 ? fmt::format("Chosen among {} by {} {}: ", counted(candidates, "model"), how,
                                   counted(found.choice_rows[0], "row"))
                     : fmt::format("{} {}: ", found.choice_folds.empty() ? "Leave-one-out on" : how,
                                   counted(found.choice_rows[0], "row"));
  text += fmt::format("error {}, log-loss {} (class frequencies alone {} and {})\n",
                      rounded(found.choice_error_rate[0]), rounded(found.choice_log_loss[0]),
                      rounded(found.choice_prior_error_rate[0]),
                      rounded(found.choice_prior_log_loss[0]));
  return text;
}

std::string units_in_words(const Model& model) {
  if (model.parts().found.choice_candidates.empty()) return {};
  const EstimateOptions& options = *model.parts().options;
  const bool spherical = options.target == suffice::Target::spherical;
  if (!spherical && (!options.pca || options.standardize)) return {};
  return fmt::format("{} on the units of the columns\n", spherical
                                                             ? "The target of the shrinkage depends"
                                                             : "Principal components depend");
}

std::string options_in_words(const Model& model, bool all) {
  if (!model.parts().options) return {};
  const EstimateOptions& options = *model.parts().options;
  std::vector<std::string> parts, transforms;
  for (const auto& [name, value] : listed(options))
    if (const EstimateOption& option = estimate_option(name);
        has_effect(option, model.schema()) &&
        (all || name == "covariance" || !option.is_default(options)))
      parts.push_back(fmt::format("{} {}", hyphenated(name), to_string(value)));
  if (model.schema().has_level_indicators()) parts.push_back("categories within");
  if (model.schema().has_missing_indicators()) parts.push_back("missing-indicators yes");
  for (const Feature& feature : model.schema().features())
    if (feature.transform != Transform::none)
      transforms.push_back(printable(feature.name) + "=" + to_string(feature.transform));
  if (!transforms.empty())
    parts.push_back("transform " + list_for_message(transforms, all ? transforms.size() : 5));
  return parts.empty() ? "" : fmt::format("Options: {}\n", fmt::join(parts, ", "));
}

}  // namespace suffice::cli
