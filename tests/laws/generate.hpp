#pragma once
// Random tables for the laws, and the runner that tries a law on several of them. A seed and a size
// determine a table; a failing law is tried again on smaller tables and the smallest is reported.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/table.hpp"

namespace suffice::testing {

/// A family of tables. Feature j has the family families[j mod size].
struct FamilyCase {
  std::string name;
  std::vector<Family> families;
  Scatter scatter = Scatter::dense;
  double missing_share = 0;
  bool sparse = false;

  bool has(Family family) const {
    return std::find(families.begin(), families.end(), family) != families.end();
  }
  bool only(Family family) const { return families.size() == 1 && families[0] == family; }
  /// Every structure that its statistics allow.
  std::vector<Covariance> structures() const {
    if (!has(Family::gaussian)) return {Covariance::full};
    if (scatter == Scatter::diagonal)
      return {Covariance::diag, Covariance::tied_diag, Covariance::spherical,
              Covariance::tied_spherical};
    if (scatter == Scatter::pooled)
      return {Covariance::tied, Covariance::diag, Covariance::tied_diag, Covariance::spherical,
              Covariance::tied_spherical};
    return {Covariance::full,      Covariance::tied,      Covariance::diag,
            Covariance::tied_diag, Covariance::spherical, Covariance::tied_spherical};
  }
  StatisticsOptions options() const { return {.scatter = scatter}; }
};

inline std::ostream& operator<<(std::ostream& out, const FamilyCase& c) { return out << c.name; }

/// A family joins all laws with a line here.
inline std::vector<FamilyCase> all_families() {
  using enum Family;
  const std::vector<Family> mixed{gaussian, categorical, bernoulli, gaussian, poisson};
  std::vector<Family> with_words = mixed;
  with_words.insert(with_words.end(), {multinomial, multinomial});
  return {
      {.name = "GaussianDense", .families = {gaussian}},
      {.name = "GaussianDiagonal", .families = {gaussian}, .scatter = Scatter::diagonal},
      {.name = "GaussianThin", .families = {gaussian}, .scatter = Scatter::thin},
      {.name = "GaussianPooled", .families = {gaussian}, .scatter = Scatter::pooled},
      {.name = "Bernoulli", .families = {bernoulli}},
      {.name = "Categorical", .families = {categorical}},
      {.name = "Poisson", .families = {poisson}},
      {.name = "Exponential", .families = {exponential}, .missing_share = 0.05},
      {.name = "MultinomialDense", .families = {multinomial}},
      {.name = "MultinomialSparse", .families = {multinomial}, .sparse = true},
      {.name = "Mixed", .families = with_words},
      {.name = "Text", .families = {text}},
      {.name = "TextMissing", .families = {text, gaussian, text}, .missing_share = 0.1},
      {.name = "GaussianMissing", .families = {gaussian}, .missing_share = 0.05},
      {.name = "GaussianDiagonalMissing",
       .families = {gaussian},
       .scatter = Scatter::diagonal,
       .missing_share = 0.05},
      {.name = "GaussianThinMissing",
       .families = {gaussian},
       .scatter = Scatter::thin,
       .missing_share = 0.05},
      {.name = "GaussianPooledMissing",
       .families = {gaussian},
       .scatter = Scatter::pooled,
       .missing_share = 0.05},
      {.name = "MixedMissing", .families = mixed, .missing_share = 0.05},
  };
}

enum class Weighting { none, whole, real };

struct Size {
  Index rows = 300, features = 5, classes = 3;
};

inline double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// `rows` rows; every class has about its share of them, but the last class comes only among the
/// second half and the last level of a category only among the last tenth.
inline Table generate(const FamilyCase& family, Size size, std::uint64_t seed,
                      Weighting weighting = Weighting::none) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto K = static_cast<std::size_t>(size.classes);
  const auto d = static_cast<std::size_t>(size.features);

  std::vector<Feature> features;
  std::vector<std::vector<std::string>> levels(d);
  // Per class and feature: mean and deviation; a probability; a rate; weights of levels.
  std::vector<std::vector<double>> center(K), spread(K), chance(K), rate(K);
  std::vector<std::vector<std::vector<double>>> level_weight(K);
  std::vector<double> offset(d), unit(d);
  for (std::size_t j = 0; j < d; ++j) {
    const Family f = family.families[j % family.families.size()];
    features.push_back({.name = "f" + std::to_string(j), .family = f});
    offset[j] = uniform(random, -50, 50);
    unit[j] = std::exp(uniform(random, -3, 3));
    if (f == Family::categorical) {
      const std::size_t count = 2 + random() % 4;
      // Names whose order by bytes is not the order of arrival.
      for (std::size_t l = 0; l < count; ++l)
        levels[j].push_back((l % 2 ? "z" : "é") + std::to_string((l * 7 + j) % 10));
    }
    if (f == Family::text)  // documents, the last one with words of its own, one of them empty
      for (std::size_t l = 0; l < 12; ++l) {
        std::string document = l == 3 ? "" : "The";
        for (std::size_t n = random() % 7; n > 0 && l != 3; --n)
          document += (n % 3 ? " w" : ", É") + std::to_string(random() % 15);
        levels[j].push_back(l == 11 ? document + " late late-comer" : document);
      }
  }
  for (std::size_t c = 0; c < K; ++c) {
    level_weight[c].resize(d);
    for (std::size_t j = 0; j < d; ++j) {
      center[c].push_back(offset[j] + unit[j] * 2 * normal(random));
      spread[c].push_back(unit[j] * uniform(random, 0.5, 2));
      chance[c].push_back(uniform(random, 0.1, 0.9));
      rate[c].push_back(std::exp(uniform(random, -1.5, 1.8)));
      for (std::size_t l = 0; l < levels[j].size(); ++l)
        level_weight[c][j].push_back(uniform(random, 0.2, 1));
    }
  }

  Table::Parts parts{.schema = Schema(std::move(features)),
                     .values = Matrix(size.rows, size.features),
                     .labels = {},
                     .weights = {},
                     .levels = levels,
                     .sparse = family.sparse};
  for (Index i = 0; i < size.rows; ++i) {
    const bool late = 2 * i >= size.rows, last_tenth = 10 * i >= 9 * size.rows;
    // Early rows: all classes but the last; late rows: all, the last one more often.
    const std::size_t seen = late || K == 1 ? K : K - 1;
    const std::size_t label = late && random() % 4 == 0 ? K - 1 : random() % seen;
    parts.labels.push_back("class " + std::to_string((label * 5) % 97));
    if (weighting == Weighting::whole)
      parts.weights.push_back(static_cast<double>(random() % 4));
    else if (weighting == Weighting::real)
      parts.weights.push_back(uniform(random, 0.2, 3));
    const double shared = normal(random);  // makes the numbers of a row depend on each other
    for (std::size_t j = 0; j < d; ++j) {
      double& value = parts.values(i, static_cast<Index>(j));
      switch (family.families[j % family.families.size()]) {
        case Family::gaussian:
          value = center[label][j] + spread[label][j] * (normal(random) + 0.7 * shared);
          break;
        case Family::bernoulli:
          value = uniform(random, 0, 1) < chance[label][j] ? 1 : 0;
          break;
        case Family::text:
        case Family::categorical: {
          auto weight = level_weight[label][j];
          if (!last_tenth) weight.back() = 0;
          value = std::discrete_distribution<int>(weight.begin(), weight.end())(random);
          break;
        }
        case Family::poisson:
        case Family::multinomial:
          value = std::poisson_distribution<int>(rate[label][j])(random);
          break;
        case Family::exponential:
          value = std::exponential_distribution<double>(rate[label][j])(random);
          break;
      }
      if (family.missing_share > 0 && uniform(random, 0, 1) < family.missing_share) value = missing;
    }
  }
  return Table(std::move(parts));
}

/// A law says whether it holds for a table.
using Law = std::function<::testing::AssertionResult(const Table&)>;

/// Tries the law for several seeds and ways of weighting. Where it fails, tries smaller tables that
/// the same seed makes, and reports the smallest that fails.
inline void check_law(const FamilyCase& family, const Law& law, Size size = {},
                      std::vector<Weighting> weightings = {Weighting::none, Weighting::whole,
                                                           Weighting::real}) {
  for (const std::uint64_t seed : {101u, 102u, 103u, 104u}) {
    for (const Weighting weighting : weightings) {
      const auto attempt = [&](Size s) {
        try {
          return law(generate(family, s, seed, weighting));
        } catch (const std::exception& e) {
          return ::testing::AssertionFailure() << "exception: " << e.what();
        }
      };
      ::testing::AssertionResult result = attempt(size);
      if (result) continue;
      Size smallest = size;
      for (bool again = true; again;) {
        again = false;
        for (const Size s : {Size{smallest.rows / 2, smallest.features, smallest.classes},
                             Size{smallest.rows, smallest.features - 1, smallest.classes},
                             Size{smallest.rows, smallest.features, smallest.classes - 1}}) {
          if (s.rows < 1 || s.features < 1 || s.classes < 1) continue;
          const ::testing::AssertionResult smaller = attempt(s);
          // A small table may well be singular: that is another matter.
          if (smaller || std::string(smaller.message()).starts_with("exception: ")) continue;
          smallest = s;
          result = smaller;
          again = true;
          break;
        }
      }
      ADD_FAILURE() << family.name << ", seed " << seed << ", weighting "
                    << static_cast<int>(weighting) << ", smallest failing table " << smallest.rows
                    << " rows × " << smallest.features << " features, " << smallest.classes
                    << " classes: " << result.message();
    }
  }
}

/// The families for which `applies(family)` holds.
template <class Applies>
std::vector<FamilyCase> families_where(const Applies& applies) {
  std::vector<FamilyCase> out = all_families();
  std::erase_if(out, [&](const FamilyCase& family) { return !applies(family); });
  return out;
}

inline std::string family_name(const ::testing::TestParamInfo<FamilyCase>& family) {
  return family.param.name;
}

/// TEST_P(Laws, ...) is a law of every family.
class Laws : public ::testing::TestWithParam<FamilyCase> {};

/// After LAWS_WHERE(SomeLaws, condition on `family`), TEST_P(SomeLaws, ...) is a law of the
/// families that meet the condition. It stands in the file of these laws, as gtest rejects an
/// instantiation without tests: the thread sanitizer's build leaves out whole files.
#define LAWS_WHERE(fixture, ...)                                                               \
  class fixture : public Laws {};                                                              \
  INSTANTIATE_TEST_SUITE_P(Families, fixture,                                                  \
                           ::testing::ValuesIn(families_where(                                 \
                               [](const FamilyCase& family) -> bool { return __VA_ARGS__; })), \
                           family_name)

}  // namespace suffice::testing
