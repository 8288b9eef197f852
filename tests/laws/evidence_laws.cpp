// Evidence: columns and offset add up to the ratio that decides, for every family, structure, kind
// of tails, projection, mixture, twin, calibration and pattern of missing values; and the evidence
// of a column is its Shapley value, of sets of columns whose worth is the score of a row in which
// all other columns are missing.

#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "compare.hpp"
#include "generate.hpp"

namespace suffice::evidence_laws {
namespace {

using namespace testing;

constexpr Size evidence_size{.rows = 160, .features = 7, .classes = 3};
constexpr Index scored_rows = 12;

struct NamedModel {
  std::string name;
  Model model;
};

void add_estimates(const FamilyCase& family, const Table& t, std::vector<NamedModel>& models) {
  const Statistics stats = statistics_of(t, family.options());
  const auto add = [&](const std::string& name, const EstimateOptions& options) {
    models.push_back(
        {name + " " + std::string(to_string(options.covariance)), estimate(stats, options)});
  };
  for (const Covariance structure : family.structures()) {
    add("plugin", {.covariance = structure});
    if (!family.has(Family::gaussian)) {
      if (!family.has(Family::text))
        add("bayes", {.covariance = structure, .inference = Inference::bayes});
      continue;
    }
    add("tails", {.covariance = structure, .tails = Tails::student(4)});
    if (!is_spherical(structure) && !family.has(Family::text))
      add("bayes", {.covariance = structure, .inference = Inference::bayes});
  }
  if (!family.only(Family::gaussian) || family.scatter != Scatter::dense) return;
  for (const Covariance structure : family.structures()) {
    add("pca", {.covariance = structure, .pca = Pca{.components = 3}});
    add("lda", {.covariance = structure, .lda = 2});
    add("pca tails",
        {.covariance = structure, .pca = Pca{.components = 4}, .tails = Tails::student(3)});
  }
}

void add_mixtures(const FamilyCase& family, const Table& t, std::vector<NamedModel>& models) {
  if (family.has(Family::text) || family.scatter == Scatter::thin ||
      family.scatter == Scatter::pooled)
    return;
  for (const Covariance structure : family.structures())
    models.push_back(
        {"mixture " + std::string(to_string(structure)),
         fit_mixture(statistics_of(t, family.options()), [&](const auto& use) { use(t.block()); },
                     {.estimate = {.covariance = structure, .components = 2},
                      .restarts = 1,
                      .passes = {.iterations = 5}})
             .model});
}

void add_twins(const FamilyCase& family, const Table& t, std::vector<NamedModel>& models) {
  if (family.has(Family::text)) return;
  for (const NamedModel& of : std::vector<NamedModel>(models)) {
    if (of.name.find("plugin") == std::string::npos && of.name.find("pca ") != 0 &&
        of.name.find("lda") != 0)
      continue;
    models.push_back({"twin of " + of.name,
                      fit_logistic(of.model, [&](const auto& use) { use(t.block()); },
                                   {.penalty = 1, .errors = false, .passes = {.iterations = 5}})
                          .model});
  }
}

std::vector<NamedModel> all_models(const FamilyCase& family, const Table& t) {
  std::vector<NamedModel> models;
  add_estimates(family, t, models);
  add_twins(family, t, models);
  add_mixtures(family, t, models);
  const std::vector<NamedModel> plain = models;
  for (const NamedModel& of : plain) {
    const Index parts = score_parts(of.model.parts()), classes = of.model.labels().size();
    Calibration calibration{.scale = Vector(parts), .offset = Vector(classes)};
    for (Index b = 0; b < parts; ++b)
      calibration.scale[b] = b == 1 ? 0 : 0.3 + 0.2 * static_cast<double>(b);
    for (Index c = 0; c < classes; ++c)
      calibration.offset[c] = static_cast<double>(c) - 0.5 * static_cast<double>(classes - 1);
    models.push_back({"calibrated " + of.name, of.model.with_calibration(calibration)});
  }
  return models;
}

Table first_rows(const Table& t, Index count) {
  std::vector<Index> which;
  for (Index i = 0; i < count; ++i) which.push_back(t.rows() - 1 - i);
  return t.take(which);
}

/// The ratio that decides, from scores, and the size of what it was subtracted from.
struct Ratio {
  double value, size;
};
Ratio ratio_of(const LogLikelihoods& scores, const Matrix& ratios, const Contrast& contrast,
               Index i) {
  const Index a = contrast.of[static_cast<std::size_t>(i)];
  const Index b = contrast.against[static_cast<std::size_t>(i)];
  double size = 1;
  for (const double score : scores.values.row(i))
    if (std::isfinite(score)) size = std::max(size, std::abs(score));
  if (b == Contrast::others) return {ratios(i, a), size};
  return {scores.values(i, a) - scores.values(i, b), size};
}

TEST_P(Laws, EvidenceAddsUpToTheRatio) {
  for (const std::uint64_t seed : {201, 202}) {
    const Table t = generate(GetParam(), evidence_size, seed, Weighting::whole);
    const Table rows = first_rows(t, scored_rows);
    for (const auto& [name, model] : all_models(GetParam(), t)) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      const LogLikelihoods scores = calibrated_scores(model, rows.block());
      const Priors priors = Priors::from_counts(model);
      const Matrix ratios = log_likelihood_ratios(scores, priors);
      const std::string one = model.labels()[1], two = model.labels()[2];
      for (const Evidence& why :
           {evidence(model, rows.block()), evidence(model, rows.block(), one, two),
            evidence(model, rows.block(), {.exact = 2, .pairs = 2}),
            evidence(model, rows.block(), two, std::nullopt, {.exact = 2, .pairs = 2})}) {
        for (Index i = 0; i < rows.rows(); ++i) {
          auto [ratio, size] = ratio_of(scores, ratios, why.contrast, i);
          for (const double value : why.values.row(i))
            if (std::isfinite(value)) size = std::max(size, std::abs(value));
          if (std::isfinite(ratio)) {
            EXPECT_NEAR(why.ratio(i), ratio, 1e-12 * size) << "row " << i;
          } else {
            EXPECT_TRUE(std::isinf(why.ratio(i)) || std::isnan(why.ratio(i))) << "row " << i;
          }
          for (Index j = 0; j < rows.features(); ++j) {
            if (!std::isnan(rows(i, j))) continue;
            EXPECT_EQ(why.values(i, j), 0.0) << "row " << i;
          }
        }
      }
    }
  }
}

/// Rows in which the columns outside a set are missing; words of a document are 0.
Table without(const Table& rows, std::size_t set) {
  Table::Parts parts = rows.parts();
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index j = 0; j < rows.features(); ++j)
      if (!((set >> j) & 1))
        parts.values(i, j) =
            rows.schema().feature(j).family == Family::multinomial ? 0 : testing::missing;
  return Table(std::move(parts));
}

/// The same for densities without marginals: columns have their means.
Table with_means(const Table& rows, std::size_t set, const Model& model) {
  Table::Parts parts = rows.parts();
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  for (Index j = 0; j < rows.features(); ++j) {
    if ((set >> j) & 1) continue;
    double mean = 0, total = 0;
    for (Index c = 0; c < model.labels().size() && density.projection.empty(); ++c) {
      mean += model.weights()[c] * density.mean(c, j);
      total += model.weights()[c];
    }
    for (Index i = 0; i < rows.rows(); ++i)
      parts.values(i, j) = density.projection.empty() ? mean / total : density.projection.offset[j];
  }
  return Table(std::move(parts));
}

/// What column j adds, over all sets of d columns.
template <class Worth>
double shapley(const Worth& worth, std::size_t j, std::size_t d) {
  long double sum = 0;
  for (std::size_t set = 0; set < (std::size_t{1} << d); ++set) {
    if ((set >> j) & 1) continue;
    long double share = 1.0L / static_cast<long double>(d);  // s! (d − s − 1)! / d!
    for (int s = 1; s <= std::popcount(set); ++s)
      share *= static_cast<long double>(s) / static_cast<long double>(static_cast<int>(d) - s);
    sum += share * (worth(set | std::size_t{1} << j) - worth(set));
  }
  return static_cast<double>(sum);
}

TEST_P(Laws, EvidenceIsTheShapleyValueOfScoresOfMaskedRows) {
  const Table t = generate(GetParam(), evidence_size, 203, Weighting::whole);
  const Table rows = first_rows(t, scored_rows);
  const auto d = static_cast<std::size_t>(rows.features());
  for (const auto& [name, model] : all_models(GetParam(), t)) {
    const auto* gaussian = std::get_if<GaussianDensity>(&model.densities()[0]);
    const bool masked = !model.logistic() && !(gaussian && !gaussian->projection.empty());
    if (!masked && (!GetParam().only(Family::gaussian) || GetParam().missing_share > 0)) continue;
    SCOPED_TRACE(name);
    std::vector<LogLikelihoods> scores;
    std::vector<Matrix> ratios;
    for (std::size_t set = 0; set < (std::size_t{1} << d); ++set) {
      const Table of = masked ? without(rows, set) : with_means(rows, set, model);
      scores.push_back(calibrated_scores(model, of.block()));
      ratios.push_back(log_likelihood_ratios(scores.back(), Priors::from_counts(model)));
    }
    for (const bool others : {false, true}) {
      const Evidence why =
          others ? evidence(model, rows.block(), model.labels()[2]) : evidence(model, rows.block());
      for (Index i = 0; i < rows.rows(); ++i) {
        const auto worth = [&](std::size_t set) {
          return ratio_of(scores[set], ratios[set], why.contrast, i).value;
        };
        const double size = ratio_of(scores.back(), ratios.back(), why.contrast, i).size;
        for (std::size_t j = 0; j < d; ++j)
          EXPECT_NEAR(why.values(i, static_cast<Index>(j)), shapley(worth, j, d), 1e-10 * size)
              << "row " << i << ", column " << j << (others ? ", others" : "");
        EXPECT_NEAR(why.offset[i], worth(0), 1e-10 * size) << "row " << i;
      }
    }
  }
}

// Categories as numbers of the Gaussian block: a column has the evidence of all its indicators.
// That a value is missing is known without asking, so its indicator comes before all columns.
TEST(EvidenceOfIndicators, IsThatOfTheirNumbersTogether) {
  const FamilyCase family{
      .name = "Mixed",
      .families = {Family::categorical, Family::gaussian, Family::categorical, Family::gaussian},
      .missing_share = 0.1};
  const Table t = generate(family, {.rows = 300, .features = 6, .classes = 3}, 204);
  Statistics apart(t.schema());
  const Schema within = indicators_of(apart.update(t.block())).schema;
  ASSERT_EQ(within.blocks().size(), 1u);
  const Statistics stats = Statistics(within).update(t.block());
  const Table rows = first_rows(t, 40);
  std::vector<Feature> read;  // in the order of the block
  std::vector<Index> column;
  for (const Index f : within.blocks()[0].features) {
    read.push_back(within.feature(f));
    column.push_back(within.column(f));
  }
  Matrix numbers(rows.rows(), within.size());
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index f = 0; f < within.size(); ++f) {
      const Feature& feature = read[static_cast<std::size_t>(f)];
      const Index of = column[static_cast<std::size_t>(f)];
      const double cell = rows(i, of);
      if (!feature.indicator)
        numbers(i, f) = cell;
      else if (std::isnan(cell))
        numbers(i, f) = feature.indicator->level ? 0 : 1;
      else
        numbers(i, f) = feature.indicator->level == rows.level(i, of) ? 1 : 0;
    }
  for (const EstimateOptions& options :
       {EstimateOptions{.covariance = Covariance::full},
        EstimateOptions{.covariance = Covariance::tied},
        EstimateOptions{.covariance = Covariance::diag},
        EstimateOptions{.covariance = Covariance::full, .tails = Tails::student(5)}}) {
    SCOPED_TRACE(to_string(options.covariance));
    const Model model = estimate(stats, options);
    const Model plain({.schema = Schema::numbered(within.size()),
                       .labels = model.labels(),
                       .weights = model.weights(),
                       .densities = model.densities()});
    const Evidence why = evidence(model, rows.block(), model.labels()[0], model.labels()[1]);
    const std::size_t sets = std::size_t{1} << rows.features();
    std::vector<Matrix> scores;
    for (std::size_t set = 0; set < sets; ++set) {
      Matrix masked = numbers;
      for (Index i = 0; i < rows.rows(); ++i)
        for (Index f = 0; f < within.size(); ++f) {
          const Index of = column[static_cast<std::size_t>(f)];
          const bool gap = read[static_cast<std::size_t>(f)].indicator && std::isnan(rows(i, of));
          if (!gap && !((set >> of) & 1)) masked(i, f) = testing::missing;
        }
      scores.push_back(log_likelihood(plain, masked).values);
    }
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto worth = [&](std::size_t set) { return scores[set](i, 0) - scores[set](i, 1); };
      for (Index j = 0; j < rows.features(); ++j)
        EXPECT_NEAR(
            why.values(i, j),
            shapley(worth, static_cast<std::size_t>(j), static_cast<std::size_t>(rows.features())),
            1e-10 * (1 + std::abs(worth(sets - 1))))
            << "row " << i << ", column " << j;
      EXPECT_NEAR(why.offset[i], worth(0), 1e-10);
    }
  }
}

TEST(EvidenceOfTransforms, IsThatOfTheTransformedNumbers) {
  const Table t = generate({.name = "", .families = {Family::exponential}},
                           {.rows = 200, .features = 4, .classes = 3}, 205);
  std::vector<Feature> features;
  Matrix logs = t.parts().values;
  for (Index j = 0; j < 4; ++j)
    features.push_back(
        {.name = "f" + std::to_string(j), .transform = j % 2 ? Transform::log : Transform::none});
  for (Index i = 0; i < t.rows(); ++i)
    for (Index j = 1; j < 4; j += 2) logs(i, j) = std::log(logs(i, j));
  const RowBlock given(t.parts().values, t.parts().labels), taken(logs, t.parts().labels);
  for (const Covariance structure : {Covariance::full, Covariance::tied, Covariance::diag}) {
    const EstimateOptions options{.covariance = structure};
    const Evidence why =
        evidence(estimate(Statistics(Schema(features)).update(given), options), given);
    const Evidence expected =
        evidence(estimate(Statistics(Schema::numbered(4)).update(taken), options), taken);
    for (Index i = 0; i < t.rows(); ++i)
      for (Index j = 0; j < 4; ++j)
        EXPECT_NEAR(why.values(i, j), expected.values(i, j), 1e-11 * (1 + std::abs(why.ratio(i))));
  }
}

}  // namespace
}  // namespace suffice::evidence_laws
