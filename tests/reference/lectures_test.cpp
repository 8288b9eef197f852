// The figures and worked examples of the five lecture notes that the library comes from: Agarwal
// (quadratic and linear classifiers, naive Bayes), Willett and Chen (Gaussian naive Bayes), Cumani
// (Gaussian classifiers and priors), Gambosi (generative models), and the notebook of lecture 11.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"

namespace suffice::lectures_test {
namespace {

Model gaussian_model(Names labels, Matrix mean, Covariance structure,
                     std::vector<Matrix> covariance, Vector weights = {}) {
  const Index d = mean.cols();
  return Model(
      {.schema = Schema::numbered(d),
       .labels = std::move(labels),
       .weights = std::move(weights),
       .densities = {GaussianDensity{
           .structure = structure, .mean = std::move(mean), .covariance = std::move(covariance)}}});
}

LogLikelihoods score(const Model& model, const Matrix& x) {
  return log_likelihood(model, RowBlock(x));
}

double relative(double got, double expected) {
  return std::abs(got - expected) / std::abs(expected);
}

// ---- Cumani: who is 174 cm tall? Labels are ordered by bytes, so F comes before M.

Model heights() {
  return gaussian_model({"M", "F"}, {{161.82}, {175.33}}, Covariance::full, {{{46.89}}, {{52.89}}});
}

TEST(CumaniHeights, DensitiesAndTheirRatio) {
  const LogLikelihoods L = score(heights(), {{174.0}});
  EXPECT_NEAR(std::exp(L.values(0, 1)), 0.05395, 0.000005);
  EXPECT_NEAR(std::exp(L.values(0, 0)), 0.01198, 0.000005);
  EXPECT_NEAR(std::exp(L.values(0, 1) - L.values(0, 0)), 4.5, 0.05);
}

TEST(CumaniHeights, EvidenceDoesNotOverturnAPriorOfNineToOne) {
  const Model model = heights();
  const LogLikelihoods L = score(model, {{174.0}});
  const Priors even = Priors::uniform(model);
  const Priors mostly_f(model.labels(), {{"F", 0.9}, {"M", 0.1}});
  EXPECT_EQ(decide(L, even).label(0), "M");
  EXPECT_EQ(decide(L, mostly_f).label(0), "F");
  const Matrix posterior = posteriors(L, mostly_f);
  EXPECT_NEAR(posterior(0, 1) / posterior(0, 0), 0.5, 0.005);
  const Matrix even_posterior = posteriors(L, even);
  EXPECT_NEAR(even_posterior(0, 1) / even_posterior(0, 0), 4.5, 0.05);
}

// ---- The notebook: two classes in the plane, 50 and 100 rows.

Model notebook() {
  return gaussian_model({"1", "2"}, {{-1.01571548, -1.0718555}, {1.11191478, 0.94978859}},
                        Covariance::full,
                        {{{0.94856854, -0.09396467}, {-0.09396467, 0.64854352}},
                         {{0.93956064, 0.22173447}, {0.22173447, 0.8022431}}},
                        {50, 100});
}

// The notebook prints its parameters to eight digits; that is what limits the tolerance.
TEST(Notebook, ThePointOneOne) {
  const Model model = notebook();
  const LogLikelihoods L = score(model, {{1, 1}});
  EXPECT_LT(relative(std::exp(L.values(0, 0)), 0.0004241607796223462), 2e-7);
  EXPECT_LT(relative(std::exp(L.values(0, 1)), 0.18761051638386636), 2e-8);
  const Priors priors = Priors::from_counts(model);
  EXPECT_DOUBLE_EQ(priors[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(priors[1], 2.0 / 3);
  EXPECT_LT(relative(posteriors(L, priors)(0, 1), 0.9988708473130806), 1e-9);
  EXPECT_EQ(decide(L, priors).label(0), "2");
}

TEST(Notebook, ThePointTenTenIsCertainAndAnOutlier) {
  const Model model = notebook();
  const Matrix x{{10, 10}, {1, 1}};
  const LogLikelihoods L = score(model, x);
  EXPECT_LT(relative(std::exp(L.values(0, 0)), 1.8913598119743637e-79), 1e-5);
  EXPECT_LT(relative(std::exp(L.values(0, 1)), 1.054195308869829e-33), 1e-5);
  const Priors priors = Priors::from_counts(model);
  EXPECT_EQ(posteriors(L, priors)(0, 1), 1.0);

  const Vector outlier = outlier_score(model, RowBlock(x), L, priors.probabilities());
  EXPECT_LT(outlier[0], 1e-20);
  EXPECT_GT(outlier[1], 0.5);
  const Decisions decided = decide(L, priors, {.outlier = 0.001, .outlier_scores = outlier});
  EXPECT_EQ(decided.status[0], Status::outlier);
  EXPECT_EQ(decided.label(0), "");
  EXPECT_EQ(decided.status[1], Status::ok);
  EXPECT_EQ(decided.label(1), "2");
}

// ---- Agarwal: the quadratic classifier, worked by hand in one dimension.
// N(0, 1) for −1 and N(1, 4) for +1:  ln f₁/f₋₁ = ½ (x² (1 − ¼) − 2 (0 − ¼) x + 0 − ¼ + ln ¼).

TEST(Agarwal, QuadraticFormOfTwoGaussians) {
  const Model model = gaussian_model({"-1", "1"}, {{0}, {1}}, Covariance::full, {{{1}}, {{4}}});
  ASSERT_EQ(model.labels()[0], "-1");
  const Discriminant g = discriminant(model, "1", "-1");
  ASSERT_FALSE(g.is_linear());
  EXPECT_NEAR(g.A(0, 0), 0.375, 1e-15);
  EXPECT_NEAR(g.w[0], 0.25, 1e-15);
  EXPECT_NEAR(g.c, 0.5 * (-0.25 + std::log(0.25)), 1e-15);
  for (const double x : {-3.0, 0.0, 0.5, 2.0}) {
    const LogLikelihoods L = score(model, {{x}});
    EXPECT_NEAR(g({{x}}), L.values(0, 1) - L.values(0, 0), 1e-14);
  }
}

// Σ = [[2, 1], [1, 2]] for both, means (1, 0) and (−1, 0): Σ⁻¹ = ⅓ [[2, −1], [−1, 2]],
// b = Σ⁻¹ (2, 0) = (4/3, −2/3), and the constant is 0 because both means are as far from 0.
TEST(Agarwal, EqualCovariancesMakeItLinear) {
  const Model model =
      gaussian_model({"-1", "1"}, {{-1, 0}, {1, 0}}, Covariance::tied, {{{2, 1}, {1, 2}}});
  const Discriminant g = discriminant(model, "1", "-1");
  ASSERT_TRUE(g.is_linear());
  EXPECT_NEAR(g.w[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(g.w[1], -2.0 / 3, 1e-15);
  EXPECT_NEAR(g.c, 0, 1e-15);
}

TEST(Agarwal, BernoulliFeaturesAreLinear) {
  const double theta[2][3] = {{0.2, 0.5, 0.9}, {0.7, 0.4, 0.6}};
  const Model model({.schema = Schema::numbered(3, Family::bernoulli),
                     .labels = {"-1", "1"},
                     .weights = {},
                     .densities = {BernoulliDensity{{{0.2, 0.5, 0.9}, {0.7, 0.4, 0.6}}}}});
  const Discriminant g = discriminant(model, "1", "-1");
  ASSERT_TRUE(g.is_linear());
  double b = 0;
  for (Index k = 0; k < 3; ++k) {
    const double w =
        std::log(theta[1][k] / theta[0][k]) - std::log((1 - theta[1][k]) / (1 - theta[0][k]));
    EXPECT_NEAR(g.w[k], w, 1e-14);
    b += std::log((1 - theta[1][k]) / (1 - theta[0][k]));
  }
  EXPECT_NEAR(g.c, b, 1e-14);
}

// Exercise: q-ary features. p(x | y) = Π_k θ_{y,k,x_k}: linear in indicators of the levels.
TEST(Agarwal, QaryFeaturesAreLinearInIndicators) {
  const Model model({.schema = Schema({{"k", Family::categorical}}),
                     .labels = {"-1", "1"},
                     .weights = {},
                     .densities = {CategoricalDensity{{Names{"0", "1", "2"}},
                                                      {{{0.5, 0.25, 0.25}, {0.1, 0.3, 0.6}}}}}});
  const Discriminant g = discriminant(model, "1", "-1");
  ASSERT_TRUE(g.is_linear());
  ASSERT_EQ(g.columns, (std::vector<std::string>{"k=0", "k=1", "k=2"}));
  EXPECT_NEAR(g({{1, 0, 0}}), std::log(0.1 / 0.5), 1e-14);
  EXPECT_NEAR(g({{0, 1, 0}}), std::log(0.3 / 0.25), 1e-14);
  EXPECT_NEAR(g({{0, 0, 1}}), std::log(0.6 / 0.25), 1e-14);
}

// Footnote: a missed cancer costs more than a false alarm, so the boundary moves.
TEST(Agarwal, CostsMoveTheBoundary) {
  const Model model = gaussian_model({"ill", "well"}, {{1}, {-1}}, Covariance::tied, {{{1}}});
  const Costs costs(model.labels(), {{"ill", "well", 9}, {"well", "ill", 1}});
  const Priors even = Priors::uniform(model);
  // llr = 2x; decide ill where p(ill) 9 > p(well), that is where 2x > −log 9.
  const double boundary = -std::log(9.0) / 2;
  const LogLikelihoods L = score(model, {{boundary - 1e-9}, {boundary + 1e-9}});
  EXPECT_EQ(decide(L, even, costs).label(0), "well");
  EXPECT_EQ(decide(L, even, costs).label(1), "ill");
  EXPECT_EQ(decide(L, even).label(1), "well");
}

// ---- Willett and Chen

// f(x) = Σ (μ₊ − μ₋)/σ² x + log p/(1 − p) + Σ (μ₋² − μ₊²)/(2σ²), and P(+ | x) = sigmoid(f).
TEST(Willett, SharedVarianceGivesASigmoid) {
  const double plus[2] = {1.5, -0.5}, minus[2] = {-1, 0.25}, variance[2] = {2, 0.5};
  const Model model =
      gaussian_model({"+", "-"}, {{1.5, -0.5}, {-1, 0.25}}, Covariance::tied_diag, {{{2, 0.5}}});
  const double p = 0.3;
  const Priors priors(model.labels(), {{"+", p}, {"-", 1 - p}});
  const Discriminant g = discriminant(model, "+", "-");
  ASSERT_TRUE(g.is_linear());
  double b = 0;
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(g.w[i], (plus[i] - minus[i]) / variance[i], 1e-14);
    b += (minus[i] * minus[i] - plus[i] * plus[i]) / (2 * variance[i]);
  }
  EXPECT_NEAR(g.c, b, 1e-14);
  for (const auto& x : {std::array{0.0, 0.0}, std::array{3.0, -1.0}, std::array{-2.0, 4.0}}) {
    double f = b + std::log(p / (1 - p));
    for (std::size_t i = 0; i < 2; ++i) f += (plus[i] - minus[i]) / variance[i] * x[i];
    const Matrix posterior = posteriors(score(model, {{x[0], x[1]}}), priors);
    EXPECT_NEAR(posterior(0, 0), 1 / (1 + std::exp(-f)), 1e-14);
    EXPECT_NEAR(posterior(0, 1), 1 / (1 + std::exp(f)), 1e-14);
  }
}

// Copies of one feature are taken for evidence of their own: f_d = d · f₁.
TEST(Willett, CopiesOfAFeatureMultiplyTheDiscriminant) {
  const double x = 0.7;
  double f1 = 0;
  for (const Index d : {1, 2, 5, 30}) {
    Matrix mean(2, d), variance(1, d), row(1, d);
    for (Index j = 0; j < d; ++j) {
      mean(0, j) = 1;
      mean(1, j) = -1;
      variance(0, j) = 1;
      row(0, j) = x;
    }
    const Model model = gaussian_model({"+", "-"}, mean, Covariance::tied_diag, {variance});
    const Priors even = Priors::uniform(model);
    const Matrix log_posterior = log_posteriors(score(model, row), even);
    const double f = log_posterior(0, 0) - log_posterior(0, 1);
    if (d == 1) f1 = f;
    EXPECT_NEAR(f1, 2 * x, 1e-14);
    EXPECT_NEAR(f, static_cast<double>(d) * f1, 1e-12);
  }
}

// The MAP estimate under Beta(α₊, α₋) is (α₊ + n₊ − 1) / (α₊ + n₊ + α₋ + n₋ − 2): pseudo-counts α
// − 1.
TEST(Willett, ABetaPriorIsPseudoCounts) {
  const double ones = 7, zeros = 3, alpha = 3;
  Statistics stats(Schema::numbered(1, Family::bernoulli));
  stats.update(RowBlock(Matrix{{1}, {1}, {1}, {1}, {1}, {1}, {1}, {0}, {0}, {0}},
                        std::vector<std::string>(10, "c")));
  const auto probability = [&](double smoothing) {
    const Model model = estimate(stats, {.smoothing = smoothing});
    return std::get<BernoulliDensity>(model.densities()[0]).probability(0, 0);
  };
  EXPECT_DOUBLE_EQ(probability(0), 0.7);
  EXPECT_DOUBLE_EQ(probability(alpha - 1), (alpha + ones - 1) / (2 * alpha + ones + zeros - 2));
  EXPECT_DOUBLE_EQ(probability(alpha - 1), 9.0 / 14);

  // The same for the probabilities of the classes, three rows against one and Beta(2, 2).
  const Vector rows{3, 1};
  const Priors priors = Priors::from_counts(Names{"a", "b"}, rows, 1);
  EXPECT_DOUBLE_EQ(priors[0], 4.0 / 6);
  EXPECT_DOUBLE_EQ(priors[1], 2.0 / 6);
}

// One dimension, even priors, N(0, 1) against N(2, 1) and against N(0, 4): the boundary is at 1,
// and at ±√(8/3 · ln 2) where e^{−x²/2} = ½ e^{−x²/8}.
TEST(Willett, BoundariesInOneDimension) {
  const auto first_at = [](const Model& model, double x) {
    const Matrix rows{{x}};
    return best_class(model, RowBlock(rows))[0] == 0;
  };
  const Model linear = gaussian_model({"a", "b"}, {{0}, {2}}, Covariance::full, {{{1}}, {{1}}});
  EXPECT_TRUE(first_at(linear, 1 - 1e-9));
  EXPECT_FALSE(first_at(linear, 1 + 1e-9));
  const Model nested = gaussian_model({"a", "b"}, {{0}, {0}}, Covariance::full, {{{1}}, {{4}}});
  const double r = std::sqrt(8.0 / 3 * std::log(2.0));
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_TRUE(first_at(nested, sign * (r - 1e-9)));
    EXPECT_FALSE(first_at(nested, sign * (r + 1e-9)));
  }
}

// ---- Cumani: the score is the log-likelihood ratio; the application sets the threshold.

TEST(Cumani, TheThresholdIsMinusThePriorLogOdds) {
  const Model model = gaussian_model({"cat", "dog"}, {{0}, {1}}, Covariance::tied, {{{1}}});
  // llr(cat over dog) = ½ − x; with P(dog) = 0.001 dogs start where x − ½ > log 999.
  const double boundary = 0.5 + std::log(999.0);
  const Priors rare(model.labels(), {{"dog", 0.001}, {"cat", 0.999}});
  const LogLikelihoods L = score(model, {{boundary - 1e-6}, {boundary + 1e-6}});
  EXPECT_EQ(decide(L, rare).label(0), "cat");
  EXPECT_EQ(decide(L, rare).label(1), "dog");
  const Matrix llr = log_likelihood_ratios(L, rare);
  ASSERT_EQ(llr.cols(), 1);
  EXPECT_NEAR(llr(0, 0), -std::log(999.0) + 1e-6, 1e-12);
}

// Costs and priors act through one number: π̃ = π C_fn / (π C_fn + (1 − π) C_fp).
TEST(Cumani, EffectivePriors) {
  const Names labels{"h0", "h1"};
  const Priors priors(labels, {{"h1", 0.5}, {"h0", 0.5}});
  const Costs costs(labels, {{"h1", "h0", 1}, {"h0", "h1", 10}});
  EXPECT_NEAR(effective_prior(priors, costs), 10.0 / 11, 1e-15);
  const Priors uneven(labels, {{"h1", 0.2}, {"h0", 0.8}});
  const Costs missed(labels, {{"h1", "h0", 10}, {"h0", "h1", 1}});
  const double effective = effective_prior(uneven, missed);
  EXPECT_NEAR(effective, 0.8 / (0.8 + 2), 1e-15);

  const Model model = gaussian_model({"h0", "h1"}, {{0, 0}, {1, 2}}, Covariance::full,
                                     {{{1, 0.3}, {0.3, 2}}, {{2, 0}, {0, 1}}});
  const Priors same(labels, {{"h0", effective}, {"h1", 1 - effective}});
  Matrix grid(400, 2);
  for (Index i = 0; i < 400; ++i) {
    grid(i, 0) = -4 + 0.41 * static_cast<double>(i % 20);
    grid(i, 1) = -4 + 0.43 * static_cast<double>(i / 20);
  }
  const LogLikelihoods L = score(model, grid);
  EXPECT_EQ(decide(L, uneven, missed).classes, decide(L, same).classes);
}

// The tied ML covariance is the mean of all (x − μ_c)(x − μ_c)ᵀ; naive keeps its diagonal.
TEST(Cumani, FullNaiveTiedAndNaiveTied) {
  const Matrix x{{0, 0}, {2, 2}, {10, 0}, {12, -2}, {11, 2}};
  const std::vector<std::string> y{"a", "a", "b", "b", "b"};
  Statistics stats(Schema::numbered(2));
  stats.update(RowBlock(x, y));
  const auto& block = std::get<GaussianStatistics>(stats.blocks()[0]);
  EXPECT_EQ(stats.weights(), (Vector{2, 3}));
  EXPECT_EQ(block.classes[0].complete.mean, (Vector{1, 1}));
  EXPECT_EQ(block.classes[1].complete.mean, (Vector{11, 0}));
  // a: deviations ∓(1, 1); b: (−1, 0), (1, −2), (0, 2).
  const auto expect_covariance = [&](Covariance structure, const std::vector<Matrix>& expected) {
    SCOPED_TRACE(to_string(structure));
    Statistics data = stats;  // class a lies on a line: two more rows make its covariance regular
    if (structure == Covariance::full)
      data.update(RowBlock(Matrix{{0, 2}, {2, 0}}, std::vector<std::string>{"a", "a"}));
    const Model model = estimate(data, {.covariance = structure, .shrinkage = Shrinkage::none()});
    const auto& got = std::get<GaussianDensity>(model.densities()[0]).covariance;
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k)
      for (Index i = 0; i < got[k].rows(); ++i)
        for (Index j = 0; j < got[k].cols(); ++j)
          EXPECT_NEAR(got[k](i, j), expected[k](i, j), 1e-15);
  };
  expect_covariance(Covariance::full,
                    {{{1, 0}, {0, 1}}, {{2.0 / 3, -2.0 / 3}, {-2.0 / 3, 8.0 / 3}}});
  expect_covariance(Covariance::tied, {{{4.0 / 5, 0}, {0, 2}}});
  expect_covariance(Covariance::diag, {{{1, 1}, {2.0 / 3, 8.0 / 3}}});
  expect_covariance(Covariance::tied_diag, {{{4.0 / 5, 2}}});
  expect_covariance(Covariance::spherical, {{{1}, {5.0 / 3}}});
  expect_covariance(Covariance::tied_spherical, {{{7.0 / 5}}});
}

// Whitening the shared covariance makes the naive tied model equal to the tied one.
TEST(Cumani, AfterWhiteningNaiveTiedIsTied) {
  const Matrix x{{0, 0}, {2, 1}, {1, 3}, {5, 4}, {8, 5}, {6, 8}};
  const std::vector<std::string> y{"a", "a", "a", "b", "b", "b"};
  Statistics stats(Schema::numbered(2));
  stats.update(RowBlock(x, y));
  const Model tied =
      estimate(stats, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  const Matrix& s = std::get<GaussianDensity>(tied.densities()[0]).covariance[0];
  // Σ = L Lᵀ; z = x L⁻ᵀ has the identity as its covariance.
  const double l00 = std::sqrt(s(0, 0)), l10 = s(1, 0) / l00, l11 = std::sqrt(s(1, 1) - l10 * l10);
  const Matrix whiten{{1 / l00, -l10 / (l00 * l11)}, {0, 1 / l11}};
  const Statistics white = project(stats, {.block = 0, .matrix = whiten, .offset = {}});
  const Model naive = estimate(white, {.covariance = Covariance::tied_diag});
  const auto& variance = std::get<GaussianDensity>(naive.densities()[0]).covariance[0];
  EXPECT_NEAR(variance(0, 0), 1, 1e-14);
  EXPECT_NEAR(variance(0, 1), 1, 1e-14);
  Matrix z(6, 2);
  for (Index i = 0; i < 6; ++i) {
    z(i, 0) = x(i, 0) * whiten(0, 0);
    z(i, 1) = x(i, 0) * whiten(0, 1) + x(i, 1) * whiten(1, 1);
  }
  const LogLikelihoods a = score(tied, x), b = score(naive, z);
  for (Index i = 0; i < 6; ++i)
    EXPECT_NEAR(a.values(i, 0) - a.values(i, 1), b.values(i, 0) - b.values(i, 1), 1e-12);
}

// The direction of two classes is Σ⁻¹ (μ₁ − μ₀), at which no other has a larger Rayleigh quotient.
TEST(Cumani, TheDirectionOfTwoClassesMaximisesTheRayleighQuotient) {
  const Matrix x{{0, 0}, {2, 1}, {1, 3}, {5, 4}, {8, 5}, {6, 8}};
  const std::vector<std::string> y{"a", "a", "a", "b", "b", "b"};
  Statistics stats(Schema::numbered(2));
  stats.update(RowBlock(x, y));
  const Model model =
      estimate(stats, {.covariance = Covariance::tied, .lda = 1, .shrinkage = Shrinkage::none()});
  const Matrix& direction = std::get<GaussianDensity>(model.densities()[0]).projection.matrix;
  const Model tied =
      estimate(stats, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  const auto& density = std::get<GaussianDensity>(tied.densities()[0]);
  const Matrix& s = density.covariance[0];
  const double d0 = density.mean(1, 0) - density.mean(0, 0),
               d1 = density.mean(1, 1) - density.mean(0, 1);
  const double det = s(0, 0) * s(1, 1) - s(0, 1) * s(0, 1);
  const double w0 = (s(1, 1) * d0 - s(0, 1) * d1) / det, w1 = (s(0, 0) * d1 - s(0, 1) * d0) / det;
  EXPECT_NEAR(direction(0, 0) * w1, direction(1, 0) * w0, 1e-12);
  const auto quotient = [&](double a, double b) {
    const double between = a * d0 + b * d1;
    return between * between / (a * a * s(0, 0) + 2 * a * b * s(0, 1) + b * b * s(1, 1));
  };
  for (int k = 0; k < 360; ++k)
    EXPECT_LE(quotient(std::cos(0.01 * k), std::sin(0.01 * k)), quotient(w0, w1) + 1e-12);
}

// ---- Agarwal: what cannot be avoided, and many classes.

// Of all 81 ways to decide for one of three classes by two binary features, none has fewer errors
// than the one that takes the largest posterior: 1 − E[max P(c | x)].
TEST(Agarwal, NoDecisionHasFewerErrorsThanTheLargestPosterior) {
  const double theta[3][2] = {{0.2, 0.7}, {0.5, 0.4}, {0.9, 0.6}}, prior[3] = {0.5, 0.2, 0.3};
  const auto joint = [&](int row, int c) {
    double p = prior[c];
    for (int j = 0; j < 2; ++j) p *= row >> j & 1 ? theta[c][j] : 1 - theta[c][j];
    return p;
  };
  double least = 1;
  for (int rule = 0; rule < 81; ++rule) {
    double error = 0;
    for (int row = 0, rest = rule; row < 4; ++row, rest /= 3)
      for (int c = 0; c < 3; ++c)
        if (c != rest % 3) error += joint(row, c);
    least = std::min(least, error);
  }
  const Model model({.schema = Schema::numbered(2, Family::bernoulli),
                     .labels = {"a", "b", "c"},
                     .weights = {},
                     .densities = {BernoulliDensity{{{0.2, 0.7}, {0.5, 0.4}, {0.9, 0.6}}}}});
  const Priors priors(model.labels(), prior);
  const Matrix rows{{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  const LogLikelihoods L = score(model, rows);
  const Matrix posterior = posteriors(L, priors);
  const Decisions decisions = decide(L, priors);
  double error = 0, expected_largest = 0;
  for (int row = 0; row < 4; ++row) {
    const double p = std::exp(log_density(L, priors)[row]);
    // Naive Bayes with many classes: the largest of log π_c + Σ_j log P(x_j | c).
    int best = 0;
    for (int c = 1; c < 3; ++c)
      if (joint(row, c) > joint(row, best)) best = c;
    EXPECT_EQ(decisions.classes[static_cast<std::size_t>(row)], best);
    error += p * (1 - posterior(row, best));
    expected_largest += p * posterior(row, best);
  }
  EXPECT_NEAR(error, least, 1e-15);
  EXPECT_NEAR(1 - expected_largest, least, 1e-15);
}

// ---- Gambosi

// σ(−a) = 1 − σ(a), dσ/da = σ (1 − σ); the softmax does not change with what all have, lies below
// its largest argument by log K at most, and tends to the maximum.
TEST(Gambosi, SigmoidAndSoftmax) {
  const auto posterior_of = [](Matrix log_joint) {
    std::vector<std::string> names;
    for (Index c = 0; c < log_joint.cols(); ++c) names.emplace_back(1, static_cast<char>('a' + c));
    const Priors even = Priors::uniform(Names(names));
    return posteriors({.values = std::move(log_joint), .labels = Names(names)}, even);
  };
  const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
  for (const double a : {-30.0, -2.0, -0.1, 0.0, 0.7, 5.0, 40.0}) {
    const Matrix p = posterior_of({{a + 3, 3}});
    EXPECT_NEAR(p(0, 0), sigmoid(a), 1e-15);
    EXPECT_NEAR(p(0, 1), sigmoid(-a), 1e-15);
    EXPECT_NEAR(p(0, 0) + p(0, 1), 1, 1e-15);
    constexpr double h = 1e-5;
    EXPECT_NEAR((posterior_of({{a + h, 0}})(0, 0) - posterior_of({{a - h, 0}})(0, 0)) / (2 * h),
                p(0, 0) * p(0, 1), 1e-9);
  }
  const Matrix a{{0.3, -1.2, 0.9, 0.5}};
  const Matrix p = posterior_of(a);
  double sum = 0;
  for (Index c = 0; c < 4; ++c) sum += std::exp(a(0, c));
  EXPECT_GE(std::log(sum), 0.9);
  EXPECT_LE(std::log(sum), 0.9 + std::log(4.0));
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(p(0, c), std::exp(a(0, c)) / sum, 1e-15);
  Matrix steep = a;
  for (double& value : steep.row(0)) value *= 200;
  EXPECT_NEAR(posterior_of(steep)(0, 2), 1, 1e-15);
}

// Σ = λI: the boundary is 2(μ₂ − μ₁)ᵀx + |μ₁|² − |μ₂|² + 2λ log(p₂/p₁) = 0.
TEST(Gambosi, BoundaryOfSphericalClasses) {
  const double lambda = 0.7, p1 = 0.8, p2 = 0.2;
  const Model model =
      gaussian_model({"1", "2"}, {{1, -1}, {2, 3}}, Covariance::tied_spherical, {{{lambda}}});
  const Priors priors(model.labels(), std::vector<double>{p1, p2});
  for (const double x0 : {-5.0, 0.0, 4.0}) {
    const double x1 = -(2 * x0 + (1 + 1) - (4 + 9) + 2 * lambda * std::log(p2 / p1)) / 8;
    EXPECT_NEAR(posteriors(score(model, {{x0, x1}}), priors)(0, 0), 0.5, 1e-13);
  }
}

TEST(Gambosi, SoftmaxOfCounts) {
  const double rate[3] = {1, 2.5, 6}, prior[3] = {0.5, 0.3, 0.2};
  const Model model({.schema = Schema::numbered(1, Family::poisson),
                     .labels = {"a", "b", "c"},
                     .weights = {},
                     .densities = {PoissonDensity{{{1}, {2.5}, {6}}}}});
  const Priors priors(model.labels(), prior);
  for (const double x : {0.0, 3.0, 9.0}) {
    double joint[3], sum = 0;
    for (int k = 0; k < 3; ++k)
      sum += joint[k] = prior[k] * std::pow(rate[k], x) * std::exp(-rate[k]) / std::tgamma(x + 1);
    const LogLikelihoods L = score(model, {{x}});
    const Matrix posterior = posteriors(L, priors);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(posterior(0, k), joint[k] / sum, 1e-14);
    EXPECT_NEAR(log_density(L, priors)[0], std::log(sum), 1e-13);
  }
}

// A language model gives the probability of the sequence of words: Π p_w^{n_w}, no coefficient.
TEST(Gambosi, LanguageModel) {
  const Model model({.schema = Schema::numbered(3, Family::multinomial),
                     .labels = {"news", "sport"},
                     .weights = {},
                     .densities = {MultinomialDensity{{{0.5, 0.25, 0.25}, {0.1, 0.3, 0.6}}}}});
  const LogLikelihoods L = score(model, {{2, 1, 0}, {0, 0, 0}});
  EXPECT_NEAR(std::exp(L.values(0, 0)), 0.5 * 0.5 * 0.25, 1e-15);
  EXPECT_NEAR(std::exp(L.values(0, 1)), 0.1 * 0.1 * 0.3, 1e-15);
  EXPECT_EQ(L.values(1, 0), 0);
  EXPECT_EQ(L.values(1, 1), 0);
  // Documents sampled from it have the model's word frequencies.
  const Sample documents = sample(model, 400, "news", {.seed = 1, .document_length = 100});
  double words[3] = {0, 0, 0};
  for (Index i = 0; i < 400; ++i)
    for (Index j = 0; j < 3; ++j) words[j] += documents.values(i, j);
  EXPECT_EQ(words[0] + words[1] + words[2], 40000);
  EXPECT_NEAR(words[0] / 40000, 0.5, 0.0125);  // five standard deviations
  EXPECT_NEAR(words[1] / 40000, 0.25, 0.0109);
}

}  // namespace
}  // namespace suffice::lectures_test
