#include "suffice/models/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/quoted.hpp"
#include "factor/logistic_factor.hpp"
#include "models/feature_family.hpp"
#include "models/gaussian_density.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

Index varying_count(const GaussianDensity& density) {
  return density.mean.cols() - std::ssize(density.constant);
}

[[noreturn]] void throw_text() {
  throw InvalidArgument("a discriminative model takes no text columns",
                        "leave them out, or leave " + Option{"discriminative"} + " out");
}

struct CountTerms {
  Index operator()(const GaussianDensity& density) const {
    const Index n = varying_count(density);
    switch (powers_of(density)) {
      case Powers::linear:
        return n;
      case Powers::squares:
        return 2 * n;
      case Powers::products:
        return n + n * (n + 1) / 2;
    }
    return 0;
  }
  template <FeatureDensity Features>
  Index operator()(const Features& density) const {
    return values_of(density).cols();
  }
  Index operator()(const MultinomialDensity& density) const { return density.probability.cols(); }
  Index operator()(const CategoricalDensity& density) const {
    Index count = 0;
    for (const Names& levels : density.levels) count += levels.size();
    return count;
  }
  Index operator()(const TextDensity&) const { throw_text(); }
};

/// The names of a block's terms.
struct NameTerms {
  const Schema& schema;
  const Block& block;

  std::vector<std::string> operator()(const GaussianDensity& density) const {
    std::vector<std::string> numbers, names;
    const std::vector<std::string> all = names_of(density, schema, block);
    for (Index j = 0; j < std::ssize(all); ++j)
      if (!std::ranges::binary_search(density.constant, j)) numbers.push_back(all[j]);
    names = numbers;
    const Powers powers = powers_of(density);
    for (std::size_t i = 0; i < numbers.size() && powers != Powers::linear; ++i) {
      names.push_back(numbers[i] + "²");
      for (std::size_t j = i + 1; j < numbers.size() && powers == Powers::products; ++j)
        names.push_back(numbers[i] + "·" + numbers[j]);
    }
    return names;
  }
  template <FeatureDensity Features>
  std::vector<std::string> operator()(const Features&) const {
    return schema.names(block);
  }
  std::vector<std::string> operator()(const MultinomialDensity&) const {
    return schema.names(block);
  }
  std::vector<std::string> operator()(const CategoricalDensity& density) const {
    std::vector<std::string> names;
    const std::vector<std::string> features = schema.names(block);
    for (std::size_t j = 0; j < features.size(); ++j)
      for (const std::string& level : density.levels[j].list())
        names.push_back(features[j] + "=" + level);
    return names;
  }
  std::vector<std::string> operator()(const TextDensity&) const { throw_text(); }
};

void require_numbers(std::span<const double> numbers, Index count, bool positive,
                     const std::string& what) {
  if (std::ssize(numbers) != count)
    throw InvalidArgument(what + " of a discriminative model must be " + std::to_string(count) +
                          " numbers, not " + std::to_string(numbers.size()));
  for (const double number : numbers)
    if (!std::isfinite(number) || (positive && !(number > 0)))
      throw InvalidArgument(what + " of a discriminative model must be finite" +
                            (positive ? " and positive" : "") + ", not " + name_of(number));
}

}  // namespace

Powers powers_of(const GaussianDensity& density) {
  if (is_tied(density.structure)) return Powers::linear;
  return density.structure == Covariance::full ? Powers::products : Powers::squares;
}

Index term_count(const Density& density) { return std::visit(CountTerms{}, density); }

Index origin_count(const Density& density) {
  const auto* gaussian = std::get_if<GaussianDensity>(&density);
  return gaussian && powers_of(*gaussian) != Powers::linear ? varying_count(*gaussian) : 0;
}

std::shared_ptr<const LogisticFactor> make_logistic_factor(const Model::Parts& parts,
                                                           const std::vector<Factor>& blocks) {
  LogisticFactor factor{.first_term = {},
                        .first_origin = {},
                        .base = parts.logistic->intercept,
                        .expected = ExpectedCells(parts, blocks)};
  Index terms = 0, origins = 0;
  for (const Density& density : parts.densities) {
    factor.first_term.push_back(terms);
    factor.first_origin.push_back(origins);
    terms += term_count(density);
    origins += origin_count(density);
  }
  const double log_total = std::log(parts.weights.map().sum());
  for (Index c = 0; c < factor.base.size(); ++c)
    if (parts.weights[c] > 0) factor.base[c] -= std::log(parts.weights[c]) - log_total;
  return std::make_shared<const LogisticFactor>(std::move(factor));
}

void check_logistic(const Model::Parts& parts) {
  if (!parts.logistic) return;
  const Logistic& logistic = *parts.logistic;
  const Index classes = parts.labels.size();
  if (classes < 2)
    throw InvalidArgument("a discriminative model tells classes apart and needs at least two");
  Index terms = 0, origins = 0;
  for (const Density& density : parts.densities) {
    terms += term_count(density);
    origins += origin_count(density);
  }
  const auto require_table = [&](const Matrix& table, const std::string& what) {
    if (table.rows() != classes || table.cols() != terms)
      throw InvalidArgument(what + " of a discriminative model of " + std::to_string(classes) +
                            " classes must be as many times " + std::to_string(terms) +
                            " numbers, not " + std::to_string(table.rows()) + " × " +
                            std::to_string(table.cols()));
    require_numbers({table.data(), static_cast<std::size_t>(table.size())}, classes * terms, false,
                    what);
  };
  require_table(logistic.weights, "the weights");
  require_numbers(logistic.intercept, classes, false, "the intercepts");
  require_numbers(logistic.center, terms, false, "the centers");
  require_numbers(logistic.scale, terms, true, "the scales");
  require_numbers(logistic.origin, origins, false, "the origins");
  if (!logistic.errors.empty()) require_table(logistic.errors, "the standard errors");
  if (!logistic.intercept_errors.empty())
    require_numbers(logistic.intercept_errors, classes, false,
                    "the standard errors of the intercepts");
}

std::vector<LogisticTerm> logistic_terms(const Model& model) {
  std::vector<LogisticTerm> terms;
  const std::vector<Block>& blocks = model.schema().blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::string& name : std::visit(NameTerms{model.schema(), blocks[b]}, model.densities()[b]))
      terms.push_back({b, std::move(name)});
  return terms;
}

Vector intercept_at_zero(const Logistic& logistic) {
  Vector result = logistic.intercept;
  for (Index c = 0; c < result.size(); ++c)
    for (Index t = 0; t < logistic.center.size(); ++t)
      result[c] -= logistic.weights(c, t) * logistic.center[t];
  return result;
}

void require_densities(const Model& model, const std::string& what) {
  if (!model.logistic()) return;
  throw InvalidArgument(what +
                            " needs the density of a row, and a discriminative model has only "
                            "posterior probabilities of its classes",
                        "fit without " + Option{"discriminative"});
}

}  // namespace suffice
