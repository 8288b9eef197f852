#include "cli/commands/model_words.hpp"

#include <fmt/format.h>

#include "cli/output/text.hpp"
#include "suffice/models/estimate.hpp"

namespace suffice::cli {
namespace {

std::string option_of(const Model& model, std::string_view option) {
  for (const auto& [name, value] : model.parts().options)
    if (name == option) return value;
  return {};
}

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

/// Whether a covariance is more than the plain estimate from the rows.
bool is_regularised(const Model& model) {
  const std::string tied = option_of(model, "towards_tied");
  const std::string shrinkage = option_of(model, "shrinkage");
  const bool has_prior = option_of(model, "estimate") != "plugin" && !shrinkage.empty();
  return has_prior || (!shrinkage.empty() && shrinkage != "0") || (!tied.empty() && tied != "0");
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
    return fmt::format("{} naive Bayes{}", name, columns);
  }
  const Analysis analysis = analysis_of(density->structure);
  return fmt::format("{}{}: {}{}{}", analysis.name, columns, analysis.what,
                     is_regularised(model) ? ", regularised" : "",
                     density->dof.empty() ? "" : "; Student's t densities");
}

/// "12.3" of a list of numbers: rounded, at most five of them.
std::string rounded_list(const std::string& numbers) {
  std::string text;
  int count = 0;
  for (std::size_t at = 0; at < numbers.size(); ++count) {
    const std::size_t comma = std::min(numbers.find(',', at), numbers.size());
    if (count == 5) return text + ", …";
    text += (count ? ", " : "") + rounded(std::stod(numbers.substr(at, comma - at)), 3);
    at = comma + 1;
  }
  return text;
}

/// A weight beside which the rows do not count.
bool is_endless(const std::string& rows) { return std::stod(rows) > 1e6; }

std::string weight_in_words(const std::string& rows) {
  return is_endless(rows) ? "fully" : "weight " + rounded_list(rows);
}

}  // namespace

std::string model_in_words(const Model& model) {
  std::string text;
  for (std::size_t b = 0; b < model.densities().size(); ++b)
    text += block_in_words(model, b) + "\n";
  return text;
}

std::string shrinkage_in_words(const Model& model) {
  const std::string rows = option_of(model, "shrinkage_rows"),
                    target_rows = option_of(model, "target_rows"),
                    shares = option_of(model, "shrinkage_shares"),
                    covariance = option_of(model, "covariance");
  std::string text;
  if (!shares.empty()) text = fmt::format("spherical target (share {})", rounded_list(shares));
  if (!rows.empty())
    text = fmt::format("{} ({})",
                       covariance == "tied"   ? "its diagonal"
                       : covariance == "diag" ? "pooled variances"
                                              : "pooled covariance",
                       weight_in_words(rows));
  if (!target_rows.empty())
    text += fmt::format(" and its diagonal ({})", weight_in_words(target_rows));
  if (text.empty()) return {};
  if (rows == "inf" || target_rows == "inf") text += "; too few rows to estimate correlations";
  const std::string asked = option_of(model, "shrinkage");
  return fmt::format("Shrinkage{}: towards {}{}\n",
                     asked == "auto" || asked == "oas" ? " " + asked : "",
                     text.starts_with("its") ? "" : "the ", text);
}

std::string projection_in_words(const Model& model) {
  for (std::size_t b = 0; b < model.densities().size(); ++b) {
    const auto* density = std::get_if<GaussianDensity>(&model.densities()[b]);
    if (!density || density->projection.empty()) continue;
    std::string text =
        fmt::format("{} of {} columns",
                    counted(static_cast<double>(density->projection.matrix.cols()), "projection"),
                    model.schema().blocks()[b].features.size());
    const std::string pca = option_of(model, "pca_components");
    if (!pca.empty())
      text += fmt::format(": {} principal component{} {} % of the variance", pca,
                          pca == "1" ? " has" : "s have",
                          rounded(100 * std::stod(option_of(model, "pca_explained")), 3));
    return text + "\n";
  }
  return {};
}

bool is_found(std::string_view option) {
  for (const std::string_view name :
       {"shrinkage_rows", "target_rows", "shrinkage_shares", "pca_components", "pca_explained"})
    if (option == name) return true;
  return false;
}

std::string options_in_words(const Model& model, bool all) {
  std::string text;
  for (const auto& [name, value] : model.parts().options) {
    if (is_found(name)) continue;
    if (!all && value == estimate_option_text(name).default_value) continue;
    text += fmt::format("{}{} {}", text.empty() ? "Options: " : ", ", name, value);
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace suffice::cli
