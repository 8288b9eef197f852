// Claims of the pages that have a number in them, against computations of their own.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"

namespace suffice::claims_test {
namespace {

double normal_below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

Statistics statistics_of(const Matrix& x, const std::vector<std::string>& labels) {
  return Statistics(Schema::numbered(x.cols())).update(RowBlock(x, Column(labels)));
}

// theory.md, outlier score: the share of the model's own rows below a limit α is off by a factor of
// about 1 ± 1/√(n α), since the n rows that scores are counted in are always the same. Of two
// classes far from each other a row is less probable than t where it lies more than z deviations
// from its class, so the share is 2 Φ(−z), with z where the score falls below α.
TEST(Claims, OutlierScoresAreOffByTheSizeOfTheirSample) {
  const Model model({.schema = Schema::numbered(1),
                     .labels = {"a", "b"},
                     .weights = {1, 1},
                     .densities = {GaussianDensity{
                         Covariance::full, Matrix{{-50}, {50}}, {Matrix{{1}}, Matrix{{1}}}, {}}}});
  constexpr double alpha = 0.01, samples = 20000, step = 0.0005;
  constexpr Index points = 3000, seeds = 60;
  Matrix x(points, 1);  // from 2 deviations on
  for (Index i = 0; i < points; ++i) x(i, 0) = 52 + step * static_cast<double>(i);
  const RowBlock rows(x);
  const LogLikelihoods scores = log_likelihood(model, rows);
  double sum = 0, squares = 0;
  for (Index seed = 0; seed < seeds; ++seed) {
    const Vector score = outlier_score(model, rows, scores, Vector{0.5, 0.5},
                                       {.seed = static_cast<std::uint64_t>(seed)});
    Index first = 0;
    while (first < points && score[first] >= alpha) ++first;
    ASSERT_TRUE(first > 0 && first < points);
    const double share = 2 * normal_below(50 - x(first, 0)), off = share / alpha - 1;
    sum += off;
    squares += off * off;
  }
  const double expected = 1 / std::sqrt(samples * alpha);
  EXPECT_LT(std::abs(sum / seeds), 4 * expected / std::sqrt(seeds));
  // The standard deviation of 60 normal numbers is within a third of the true one, nearly always.
  EXPECT_NEAR(std::sqrt(squares / seeds), expected, expected / 3);
}

// theory.md, the evidence: without a finite maximum the strength stops at the power of 2 above 10⁶
// (1 + Σ (f + d)), the sum over the covariances that it is found from.
TEST(Claims, StrengthsWithoutAMaximumStopAtAPowerOfTwo) {
  // Two classes with the same scatter, of independent columns: f = 3 each, d = 2.
  const Matrix x = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {10, 11}, {11, 10}, {10, 9}, {9, 10}};
  const Statistics statistics = statistics_of(x, {"a", "a", "a", "a", "b", "b", "b", "b"});
  const EstimateFound full = estimate(statistics, {}).parts().found;
  const double limit_of_classes = std::exp2(std::ceil(std::log2(1e6 * (1 + 2 * (3 + 2)))));
  const double limit_of_all = std::exp2(std::ceil(std::log2(1e6 * (1 + (6 + 2)))));
  EXPECT_EQ(full.shrinkage_rows, std::vector<double>{limit_of_classes});
  EXPECT_EQ(full.target_rows, std::vector<double>{limit_of_all});
  const Model tied = estimate(statistics, {.covariance = Covariance::tied});
  EXPECT_EQ(tied.parts().found.shrinkage_rows, std::vector<double>{limit_of_all});
}

// theory.md, priors of covariances: map is the mode of the covariance's posterior with the mean
// integrated out. In one dimension that posterior is ∝ σ^−f exp(−S / 2σ²) · σ^−(ν + 2)
// exp(−v T / 2σ²), with ν = v + 2.
TEST(Claims, MapIsTheModeOfTheMarginalPosterior) {
  const Matrix x = {{1}, {2}, {4}, {9}, {5}};
  const double f = 4, v = 3, scatter = 38.8;  // Σ (x − 4.2)²
  const double target = scatter / f;          // of one class
  const auto log_posterior = [&](double variance) {
    const double of_mean_and_rows = -f / 2 * std::log(variance) - scatter / (2 * variance);
    return of_mean_and_rows - (v + 2 + 2) / 2 * std::log(variance) - v * target / (2 * variance);
  };
  double best = 0, highest = -std::numeric_limits<double>::infinity();
  for (double variance = 0.5; variance < 20; variance += 1e-4)
    if (const double value = log_posterior(variance); value > highest) {
      highest = value;
      best = variance;
    }
  const Model model = estimate(statistics_of(x, std::vector<std::string>(5, "a")),
                               {.shrinkage = Shrinkage::rows(v), .inference = Inference::map});
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  EXPECT_NEAR(density.covariance[0](0, 0), best, 2e-4);
}

// theory.md, transformed features: with sqrt the density integrates to Φ(m/σ), the probability that
// a normal number is not negative.
TEST(Claims, DensitiesOfSquareRootsIntegrateToTheNumbersThatAreNotNegative) {
  const Schema schema({{.name = "n", .transform = Transform::sqrt}});
  const Matrix x = {{0}, {1}, {0}, {4}, {1}, {2.25}};
  const Model model =
      estimate(Statistics(schema).update(RowBlock(x, Column(std::vector<std::string>(6, "a")))),
               {.shrinkage = Shrinkage::none()});
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  const double mean = density.mean(0, 0), deviation = std::sqrt(density.covariance[0](0, 0));
  // ∫ p(x) dx with x = t², by the midpoint rule in t.
  constexpr Index points = 200000;
  constexpr double step = 1e-4;
  Matrix squares(points, 1);
  for (Index i = 0; i < points; ++i)
    squares(i, 0) = std::pow((static_cast<double>(i) + 0.5) * step, 2);
  const Matrix scores = log_likelihood(model, RowBlock(squares)).values;
  double integral = 0;
  for (Index i = 0; i < points; ++i)
    integral += std::exp(scores(i, 0)) * 2 * (static_cast<double>(i) + 0.5) * step * step;
  EXPECT_NEAR(integral, normal_below(mean / deviation), 1e-6);
  EXPECT_LT(integral, 0.95);
}

}  // namespace
}  // namespace suffice::claims_test
