// Evidence that can be worked by hand, orders that are drawn, and bad input.

#include "suffice/evidence/evidence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/score/block_scores.hpp"
#include "support/message_of.hpp"

namespace suffice::evidence_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;

/// A number, a flag and a colour of which class "a" has no blue.
Model naive(std::optional<Calibration> calibration = {}) {
  return Model({.schema = Schema({{"size", Family::gaussian},
                                  {"flag", Family::bernoulli},
                                  {"colour", Family::categorical}}),
                .labels = {"a", "b"},
                .weights = {30, 10},
                .densities = {GaussianDensity{Covariance::diag, {{1}, {3}}, {{{4}, {1}}}},
                              BernoulliDensity{{{0.8}, {0.3}}},
                              CategoricalDensity{{{"blue", "green", "red"}},
                                                 {{{0, 0.25, 0.75}, {0.5, 0.3, 0.2}}}}},
                .calibration = std::move(calibration)});
}

RowBlock row_of(const double& size, const double& flag, const std::vector<std::string>& colour,
                Validity valid = {}) {
  RowBlock row(1);
  row.feature(Column(&size, 1)).feature(Column(&flag, 1)).feature(Column(Strings(colour), valid));
  return row;
}

double log_normal(double delta, double variance) {
  return -0.5 * (std::log(2 * pi * variance) + delta * delta / variance);
}

TEST(Evidence, OfNaiveBayesIsTheWeightOfEvidenceOfEachColumn) {
  const Model model = naive();
  const double size = 2.5, flag = 1;
  const std::vector<std::string> red = {"red"};
  const Evidence why = evidence(model, row_of(size, flag, red), "a", "b");
  EXPECT_THAT(why.columns, ElementsAre("size", "flag", "colour"));
  EXPECT_NEAR(why.values(0, 0), log_normal(1.5, 4) - log_normal(-0.5, 1), 1e-14);
  EXPECT_NEAR(why.values(0, 1), std::log(0.8 / 0.3), 1e-14);
  EXPECT_NEAR(why.values(0, 2), std::log(0.75 / 0.2), 1e-14);
  EXPECT_EQ(why.offset[0], 0);
  // Of two classes the others are the other one, and the reverse has the other sign.
  const Evidence others = evidence(model, row_of(size, flag, red), "b");
  for (Index j = 0; j < 3; ++j) EXPECT_NEAR(others.values(0, j), -why.values(0, j), 1e-14);
}

TEST(Evidence, OfACalibrationIsScaledByBlockAndHasAnOffset) {
  const Model model = naive(Calibration{{0.5, 2, 0}, {0.25, -0.25}});
  const double size = 2.5, flag = 0;
  const std::vector<std::string> red = {"red"};
  const Evidence why = evidence(model, row_of(size, flag, red), "a", "b");
  EXPECT_NEAR(why.values(0, 0), 0.5 * (log_normal(1.5, 4) - log_normal(-0.5, 1)), 1e-14);
  EXPECT_NEAR(why.values(0, 1), 2 * std::log(0.2 / 0.7), 1e-14);
  EXPECT_EQ(why.values(0, 2), 0);
  EXPECT_EQ(why.offset[0], 0.5);
}

TEST(Evidence, OfAnImpossibleLevelIsInfiniteForThatColumnAlone) {
  for (const auto& calibration :
       {std::optional<Calibration>(), std::optional(Calibration{{1, 1, 0}, {0, 0}})}) {
    const Model model = naive(calibration);
    const double size = 2.5, flag = 1;
    const std::vector<std::string> blue = {"blue"};
    const Evidence why = evidence(model, row_of(size, flag, blue), "a", "b");
    EXPECT_EQ(why.values(0, 2), -inf);
    EXPECT_NEAR(why.values(0, 0), log_normal(1.5, 4) - log_normal(-0.5, 1), 1e-14);
    EXPECT_NEAR(why.values(0, 1), std::log(0.8 / 0.3), 1e-14);
    EXPECT_EQ(why.ratio(0), -inf);
    EXPECT_EQ(evidence(model, row_of(size, flag, blue), "b").values(0, 2), inf);
  }
}

TEST(Evidence, OfWhatIsImpossibleInBothClassesIsNone) {
  const Model model({.schema = Schema({{"x", Family::bernoulli}, {"y", Family::bernoulli}}),
                     .labels = {"a", "b"},
                     .weights = {1, 1},
                     .densities = {BernoulliDensity{{{0, 0.5}, {0, 0.25}}}}});
  const Matrix row = {{1, 1}};
  const Evidence why = evidence(model, row, "a", "b");
  EXPECT_EQ(why.values(0, 0), 0);
  EXPECT_NEAR(why.values(0, 1), std::log(2.), 1e-15);
}

TEST(Evidence, OfALevelThatSomeOfTheOthersCannotHaveIsFinite) {
  const auto model_of = [](double in_c) {
    return Model({.schema = Schema({{"x", Family::bernoulli}, {"y", Family::bernoulli}}),
                  .labels = {"a", "b", "c"},
                  .weights = {2, 1, 1},
                  .densities = {BernoulliDensity{{{0.5, 0.5}, {0, 0.25}, {in_c, 0.5}}}}});
  };
  const Matrix row = {{1, 1}};
  const Evidence one = evidence(model_of(0.5), row, "a");
  EXPECT_NEAR(one.ratio(0), std::log(0.25 / (0.5 * 0.5 * 0.5)), 1e-14);
  EXPECT_TRUE(std::isfinite(one.values(0, 0)));
  const Evidence all = evidence(model_of(0), row, "a");
  EXPECT_EQ(all.values(0, 0), inf);
  EXPECT_NEAR(all.values(0, 1), std::log(0.5 / 0.375), 1e-14);
}

TEST(Evidence, OfAMissingValueIsNone) {
  const Model model = naive();
  const std::uint8_t no_bits = 0;
  const double size = nan, flag = 1;
  const std::vector<std::string> red = {"red"};
  const Evidence why = evidence(model, row_of(size, flag, red, {&no_bits, 0}), "a", "b");
  EXPECT_EQ(why.values(0, 0), 0);
  EXPECT_EQ(why.values(0, 2), 0);
  EXPECT_NEAR(why.ratio(0), std::log(0.8 / 0.3), 1e-14);
}

// Σ = [[1, ρ], [ρ, 1]]. Two orders: x1 first is worth δ1 t1, then x2 given x1 (δ2 − ρ δ1)(t2 − ρ
// t1) / (1 − ρ²), with t = x − midpoint and δ the difference of the means.
TEST(Evidence, OfASharedCovarianceIsLinearAboutTheMidpoint) {
  const double rho = 0.6;
  const Model model(
      {.schema = Schema::numbered(2),
       .labels = {"a", "b"},
       .weights = {1, 1},
       .densities = {GaussianDensity{Covariance::tied, {{2, 5}, {1, 7}}, {{{1, rho}, {rho, 1}}}}}});
  const Matrix rows = {{1.5, 6}, {3, 4.5}};
  const Evidence why = evidence(model, rows, "a", "b");
  EXPECT_NEAR(why.values(0, 0), 0, 1e-14);
  EXPECT_NEAR(why.values(0, 1), 0, 1e-14);
  const double t1 = 1.5, t2 = -1.5, d1 = 1, d2 = -2, rest = 1 - rho * rho;
  const double first = 0.5 * (d1 * t1 + (d1 - rho * d2) * (t1 - rho * t2) / rest);
  const double second = 0.5 * (d2 * t2 + (d2 - rho * d1) * (t2 - rho * t1) / rest);
  EXPECT_NEAR(why.values(1, 0), first, 1e-14);
  EXPECT_NEAR(why.values(1, 1), second, 1e-14);
}

struct Drawn {
  Matrix mean;
  std::vector<Matrix> covariance;
  Matrix rows;
};
Drawn draw(Index d, Index classes, Index rows, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Drawn drawn{Matrix(classes, d), {}, Matrix(rows, d)};
  for (double& x : std::span(drawn.mean.data(), static_cast<std::size_t>(drawn.mean.size())))
    x = normal(random);
  for (Index c = 0; c < classes; ++c) {
    Matrix root(d, d), covariance(d, d);
    for (double& x : std::span(root.data(), static_cast<std::size_t>(root.size())))
      x = normal(random);
    covariance.map() = root.map() * root.map().transpose() / static_cast<double>(d);
    for (Index j = 0; j < d; ++j) covariance(j, j) += 0.3;
    drawn.covariance.push_back(covariance);
  }
  for (double& x : std::span(drawn.rows.data(), static_cast<std::size_t>(drawn.rows.size())))
    x = 1.5 * normal(random);
  return drawn;
}
Model model_of(const Drawn& drawn, std::optional<double> dof = {}) {
  GaussianDensity density{Covariance::full, drawn.mean, drawn.covariance};
  if (dof) {
    density.dof = Matrix(drawn.mean.rows(), 1);
    std::fill_n(density.dof.data(), density.dof.size(), *dof);
  }
  std::vector<std::string> labels;
  for (Index c = 0; c < drawn.mean.rows(); ++c)
    labels.push_back(std::string(1, static_cast<char>('a' + c)));
  return Model({.schema = Schema::numbered(drawn.mean.cols()),
                .labels = Names(labels),
                .weights = {},
                .densities = {density}});
}

/// How many of the values are further from the exact ones than some standard errors.
struct Far {
  Index beyond_three = 0, beyond_five = 0, count = 0;
};
Far far(const Evidence& drawn, const Evidence& exact) {
  Far result;
  for (Index i = 0; i < exact.rows(); ++i)
    for (Index j = 0; j < exact.values.cols(); ++j) {
      const double apart = std::abs(drawn.values(i, j) - exact.values(i, j));
      const double error = drawn.standard_errors(i, j);
      EXPECT_GT(error, 0);
      result.beyond_three += apart > 3 * error + 1e-12;
      result.beyond_five += apart > 5 * error + 1e-12;
      ++result.count;
    }
  return result;
}

TEST(Evidence, OfDrawnOrdersIsWithinItsStandardErrors) {
  const Drawn drawn = draw(7, 3, 100, 11);
  for (const std::optional<double> dof : {std::optional<double>(), std::optional<double>(4)})
    for (const bool others : {false, true}) {
      SCOPED_TRACE(dof ? "t" : "normal");
      SCOPED_TRACE(others ? "others" : "pair");
      const Model model = model_of(drawn, dof);
      const std::optional<std::string> against = others ? std::optional<std::string>() : "b";
      const Evidence exact = evidence(model, drawn.rows, "a", against);
      const Evidence averaged = evidence(model, drawn.rows, "a", against, {.exact = 2, .seed = 5});
      const Evidence with_errors = evidence(model, drawn.rows, "a", against,
                                            {.exact = 2, .seed = 5, .standard_errors = true});
      const Far beyond = far(with_errors, exact);
      EXPECT_LE(beyond.beyond_three, beyond.count / 50);
      EXPECT_EQ(beyond.beyond_five, 0);
      for (Index i = 0; i < exact.rows(); ++i) {
        EXPECT_NEAR(averaged.ratio(i), exact.ratio(i), 1e-11);
        for (Index j = 0; j < exact.values.cols(); ++j)
          EXPECT_NEAR(averaged.values(i, j), with_errors.values(i, j), 1e-11);
      }
    }
}

TEST(Evidence, HasNoStandardErrorsWhereAllSetsAreLookedAt) {
  const Drawn drawn = draw(4, 2, 5, 12);
  const Evidence why = evidence(model_of(drawn), drawn.rows, "a", "b", {.standard_errors = true});
  EXPECT_TRUE(why.standard_errors == Matrix(5, 4));
}

TEST(Evidence, DependsOnTheSeedAndNotOnThreads) {
  Drawn drawn = draw(15, 3, 1500, 13);
  for (Index i = 0; i < drawn.rows.rows(); i += 3) drawn.rows(i, i % 15) = nan;
  const Model model = model_of(drawn);
  const EvidenceOptions options{.pairs = 3};
  const Evidence one = evidence(model, drawn.rows, options, {.threads = 1});
  for (const int threads : {2, 3}) {
    const Evidence other = evidence(model, drawn.rows, options, {.threads = threads});
    EXPECT_TRUE(other.values == one.values);
    EXPECT_TRUE(other.offset == one.offset);
  }
  EXPECT_FALSE(evidence(model, drawn.rows, {.pairs = 3, .seed = 1}).values == one.values);
}

TEST(Evidence, ComparesTheMostProbableClassWithTheSecond) {
  const Drawn drawn = draw(3, 4, 50, 14);
  const Model model = model_of(drawn);
  const Priors priors(model.labels(), {0.4, 0.3, 0.2, 0.1});
  const Evidence why = evidence(model, drawn.rows, {.priors = priors});
  const LogLikelihoods scores = log_likelihood(model, drawn.rows);
  for (Index i = 0; i < 50; ++i) {
    std::vector<std::pair<double, Index>> order;
    for (Index c = 0; c < 4; ++c)
      order.emplace_back(-(scores.values(i, c) + std::log(priors[c])), c);
    std::ranges::sort(order);
    EXPECT_EQ(why.contrast.of[static_cast<std::size_t>(i)], order[0].second);
    EXPECT_EQ(why.contrast.against[static_cast<std::size_t>(i)], order[1].second);
  }
}

TEST(Evidence, OfNumbersBeyondDoublesIsNotNan) {
  const Drawn drawn = draw(3, 2, 1, 15);
  const Matrix row = {{1e200, 1, -1e200}};
  const Evidence why = evidence(model_of(drawn), row, "a", "b");
  for (const double value : why.values.row(0)) EXPECT_FALSE(std::isnan(value));
}

TEST(Evidence, OfNoRowsIsEmpty) {
  const Evidence why = evidence(naive(), row_of(0, 0, {"red"}).slice(0, 0), "a", "b");
  EXPECT_EQ(why.rows(), 0);
}

TEST(Evidence, SaysWhatCannotBeCompared) {
  const Model model = naive();
  const double number = 1;
  const std::vector<std::string> red = {"red"};
  const RowBlock row = row_of(number, number, red);
  EXPECT_THAT(message_of([&] { evidence(model, row, "c"); }),
              AllOf(HasSubstr("no class 'c'"), HasSubstr("'a'"), HasSubstr("'b'")));
  EXPECT_THAT(message_of([&] { evidence(model, row, "a", "a"); }), HasSubstr("with itself"));
  const Model one({.schema = Schema::numbered(1),
                   .labels = {"a", "b"},
                   .weights = {3, 0},
                   .densities = {GaussianDensity{Covariance::diag, {{1}, {0}}, {{{4}, {1}}}}}});
  const Matrix x = {{1}};
  EXPECT_THAT(message_of([&] { evidence(one, x); }), HasSubstr("only one"));
  EXPECT_THAT(message_of([&] { evidence(one, x, "a", "b"); }), HasSubstr("only one"));
  const Drawn drawn = draw(2, 3, 1, 16);
  const Model three = model_of(drawn);
  EXPECT_THAT(message_of([&] {
                evidence(three, drawn.rows, "a", {}, {.priors = Priors(three.labels(), {1, 0, 0})});
              }),
              HasSubstr("priors are 0"));
  EXPECT_THAT(message_of([&] { evidence(three, drawn.rows, {.exact = 17}); }), HasSubstr("17"));
  EXPECT_THAT(message_of([&] { evidence(three, drawn.rows, {.pairs = 0}); }), HasSubstr("pair"));
  EvidenceScorer scorer(three);
  EXPECT_THAT(message_of([&] { scorer(drawn.rows, {{0, 0}, {1, 1}}); }), HasSubstr("2 rows"));
  EXPECT_THAT(message_of([] { evidence_unit_from_string("dits"); }), HasSubstr("nats, bits or db"));
}

TEST(Evidence, HasUnits) {
  EXPECT_EQ(per_nat(EvidenceUnit::nats), 1);
  EXPECT_NEAR(per_nat(EvidenceUnit::bits) * std::log(8.), 3, 1e-15);
  EXPECT_NEAR(per_nat(EvidenceUnit::db) * std::log(100.), 20, 1e-14);
  EXPECT_EQ(evidence_unit_from_string("db"), EvidenceUnit::db);
  EXPECT_EQ(to_string(EvidenceUnit::bits), "bits");
}

}  // namespace
}  // namespace suffice::evidence_test
