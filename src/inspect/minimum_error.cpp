#include "suffice/inspect/minimum_error.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/special_functions.hpp"
#include "models/marginal.hpp"
#include "suffice/core/error.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/sample/sample.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {
namespace {

/// Rows that are sampled and scored at a time.
constexpr Index sampled_rows = 1000;
/// About as many multiplications are spent on scores, and not on fewer rows than these.
constexpr double most_products = 2e10;
constexpr Index least_samples = 2000;

void require_known_rows(const Model& model) {
  require_densities(model, "the error that no decision can avoid");
  for (const Density& density : model.densities())
    if (std::holds_alternative<MultinomialDensity>(density) ||
        std::holds_alternative<TextDensity>(density))
      throw InvalidArgument(
          "the error that no decision can avoid depends on how long documents are, which the model "
          "does not know",
          "evaluate it on rows");
}

/// The two classes that are possible, where their normal densities share their covariances.
std::optional<std::pair<Index, Index>> linear_pair(const Model& model, const Priors& priors) {
  if (model.mixture()) return {};
  for (const Density& density : model.densities()) {
    const auto* gaussian = std::get_if<GaussianDensity>(&density);
    if (!gaussian || !is_tied(gaussian->structure) || !gaussian->dof.empty()) return {};
  }
  std::vector<Index> possible;
  for (Index c = 0; c < priors.labels().size(); ++c)
    if (priors[c] > 0) possible.push_back(c);
  if (possible.size() != 2) return {};
  return std::pair{possible[0], possible[1]};
}

/// `model` has no maps: its rows are what the densities are about.
double error_of_pair(const Model& model, const Priors& priors, Index a, Index b) {
  Matrix mean(1, model.schema().size());
  for (std::size_t k = 0; k < model.densities().size(); ++k) {
    const auto& density = std::get<GaussianDensity>(model.densities()[k]);
    const auto& features = model.schema().blocks()[k].features;
    for (std::size_t j = 0; j < features.size(); ++j)
      mean(0, features[j]) = density.mean(a, static_cast<Index>(j));
  }
  // At the mean of a the ratio is ½ Δ².
  const Matrix scores = log_likelihood(model, RowBlock(mean)).values;
  const double distance = std::sqrt(std::max(2 * (scores(0, a) - scores(0, b)), 0.0));
  if (distance == 0) return std::min(priors[a], priors[b]);
  const double shift = (priors.log()[b] - priors.log()[a]) / distance;
  return priors[a] * normal_probability(shift - distance / 2) +
         priors[b] * normal_probability(-shift - distance / 2);
}

/// Multiplications that scoring a row takes, about.
double products_of_row(const Model& model) {
  double sum = 1;
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density)) {
      const auto d = static_cast<double>(gaussian->mean.cols());
      sum += is_dense(gaussian->structure) && gaussian->thin.empty() ? d * d : d;
    }
  return sum * static_cast<double>(model.components().labels().size());
}

}  // namespace

MinimumError minimum_error(const Model& of, const Priors& priors,
                           const MinimumErrorOptions& options, const Execution& execution) {
  require_known_rows(of);
  if (priors.labels() != of.labels())
    throw InvalidArgument("the priors are over other classes than the model",
                          "give one for each of its classes");
  if (options.samples < 2)
    throw InvalidArgument("samples is " + std::to_string(options.samples), "it must be 2 or more");
  if (std::ranges::count_if(priors.probabilities(), [](double p) { return p > 0; }) == 1) return {};
  const Model model = has_maps(of) ? without_maps(of) : of;
  if (const auto pair = linear_pair(model, priors)) {
    const double error = error_of_pair(model, priors, pair->first, pair->second);
    return {error, error, error};
  }
  const auto most = static_cast<double>(options.samples);  // what is affordable may exceed Index
  const auto samples =
      static_cast<Index>(std::clamp(most_products / products_of_row(model),
                                    std::min(static_cast<double>(least_samples), most), most));
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  double sum = 0, squares = 0;
  for (Index first = 0; first < samples; first += sampled_rows) {
    const Sample rows =
        sample(model, std::min(sampled_rows, samples - first), priors.probabilities(),
               {.seed = options.seed, .first_row = first}, quiet);
    const Matrix posterior =
        posteriors(log_likelihood(model, rows.rows(), {}, quiet), priors, quiet);
    for (Index i = 0; i < posterior.rows(); ++i) {
      const auto row = posterior.row(i);
      const Index best = std::ranges::max_element(row) - row.begin();
      double wrong = 0;
      for (Index c = 0; c < posterior.cols(); ++c)
        if (c != best) wrong += posterior(i, c);
      sum += wrong;
      squares += wrong * wrong;
    }
  }
  const auto n = static_cast<double>(samples);
  const double mean = sum / n;
  const double variance = std::max(squares / n - mean * mean, 0.0) * n / (n - 1);
  const double margin = 1.959963984540054 * std::sqrt(variance / n);
  return {mean, std::max(mean - margin, 0.0), std::min(mean + margin, 1.0)};
}

}  // namespace suffice
