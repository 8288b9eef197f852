#include "data/transform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/message_of.hpp"

namespace suffice::transform_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double inf = std::numeric_limits<double>::infinity();
const std::vector<Transform> transforms{Transform::none,
                                        Transform::log,
                                        Transform::log1p,
                                        Transform::sqrt,
                                        Transform::logit,
                                        Transform::signed_log(),
                                        Transform::signed_log(0.4),
                                        Transform::signed_log(1e-3)};

Schema schema_of(Transform transform) {
  return Schema({{.name = "x", .family = Family::gaussian, .levels = {}, .transform = transform}});
}

TEST(Transform, HasNamesBothWays) {
  for (const Transform transform : transforms)
    EXPECT_EQ(transform_from_string(to_string(transform)), transform);
  EXPECT_THAT(message_of([] { transform_from_string("exp"); }),
              AllOf(HasSubstr("'exp'"), HasSubstr("none, log, log1p, sqrt, logit, signed-log")));
}

TEST(Transform, ScaleIsPartOfTheText) {
  EXPECT_EQ(to_string(Transform::signed_log()), "signed-log");
  EXPECT_EQ(to_string(Transform::signed_log(0.25)), "signed-log:0.25");
  EXPECT_EQ(transform_from_string("signed-log:2e-3"), Transform::signed_log(0.002));
  EXPECT_EQ(transform_from_string("signed-log:1"), Transform::signed_log());
  for (const char* text : {"signed-log:", "signed-log:a", "signed-log:1x"})
    EXPECT_THAT(message_of([&] { transform_from_string(text); }), HasSubstr("is not a number"));
  for (const char* text : {"signed-log:0", "signed-log:-1", "signed-log:inf", "signed-log:nan"})
    EXPECT_THAT(message_of([&] { transform_from_string(text); }), HasSubstr("above 0")) << text;
  EXPECT_THAT(message_of([] { transform_from_string("log:2"); }), HasSubstr("only signed-log"));
  EXPECT_THAT(message_of([] { Transform::signed_log(0); }), HasSubstr("above 0"));
  EXPECT_THAT(message_of([] {
                schema_of({Transform::Kind::log, 2});
              }),
              HasSubstr("only signed-log"));
  EXPECT_THAT(message_of([] {
                schema_of({Transform::Kind::signed_log, inf});
              }),
              HasSubstr("above 0"));
}

TEST(Transform, ValuesWorkedByHand) {
  EXPECT_DOUBLE_EQ(transformed(Transform::log, std::exp(2.0)), 2);
  EXPECT_DOUBLE_EQ(transformed(Transform::log1p, 1e-20), 1e-20);
  EXPECT_EQ(transformed(Transform::sqrt, 9), 3);
  EXPECT_DOUBLE_EQ(transformed(Transform::logit, 0.75), std::log(3.0));
  EXPECT_DOUBLE_EQ(transformed(Transform::signed_log(), 1), std::log(2.0));
  EXPECT_DOUBLE_EQ(transformed(Transform::signed_log(0.5), -1.5), -std::log(4.0));
  EXPECT_EQ(transformed(Transform::signed_log(0.5), 0), 0);
  EXPECT_DOUBLE_EQ(transformed(Transform::signed_log(1e-5), -1e307), -312 * std::log(10.0));
  for (const Transform transform : transforms) EXPECT_TRUE(std::isnan(transformed(transform, NAN)));
}

TEST(Transform, OutsideTheDomainIsInfinite) {
  for (const double x : {0.0, -0.0, -1.0, -inf}) EXPECT_EQ(transformed(Transform::log, x), inf);
  for (const double x : {-1.0, -2.0, -inf}) EXPECT_EQ(transformed(Transform::log1p, x), inf);
  for (const double x : {-1e-300, -inf}) EXPECT_EQ(transformed(Transform::sqrt, x), inf);
  for (const double x : {0.0, 1.0, -0.5, 1.5, inf})
    EXPECT_EQ(transformed(Transform::logit, x), inf);
  EXPECT_EQ(transformed(Transform::sqrt, 0), 0);
}

// log |dt/dx| by central differences of the values, and back again.
TEST(Transform, DerivativesAndInverses) {
  for (const Transform transform : transforms)
    for (const double x : {0.03, 0.3, 0.5, 0.97}) {
      const double h = 1e-6;
      const double slope =
          (transformed(transform, x + h) - transformed(transform, x - h)) / (2 * h);
      const double t = transformed(transform, x);
      EXPECT_NEAR(log_derivative(transform, t), std::log(slope), 1e-6) << to_string(transform);
      EXPECT_NEAR(transformed_back(transform, t), x, 4e-15) << to_string(transform);
    }
  for (const double x : {-30.0, -0.2, -1e-4}) {
    const Transform transform = Transform::signed_log(0.4);
    const double h = 1e-6 * std::abs(x), t = transformed(transform, x);
    const double slope = (transformed(transform, x + h) - transformed(transform, x - h)) / (2 * h);
    EXPECT_NEAR(log_derivative(transform, t), std::log(slope), 1e-8);
    EXPECT_NEAR(transformed_back(transform, t), x, 1e-15 * std::abs(x) * 20);
  }
  EXPECT_EQ(log_derivative(Transform::sqrt, 0), 0);
  // 1 / (x (1 − x)) for x as near to 1 as 1e-300 is to 0.
  EXPECT_NEAR(log_derivative(Transform::logit, 690.7755278982137), 690.7755278982137, 1e-12);
}

TEST(Transform, WayBackEndsInsideTheDomain) {
  for (const Transform transform : transforms)
    for (const double t : {-1e4, -800.0, -40.0, -1.0, 0.0, 40.0, 800.0, 1e4, 1e200}) {
      const double x = transformed_back(transform, t);
      EXPECT_TRUE(std::isfinite(x)) << to_string(transform) << " " << t;
      EXPECT_TRUE(std::isfinite(transformed(transform, x))) << to_string(transform) << " " << t;
    }
}

TEST(Transform, OnlyGaussianFeaturesHaveOne) {
  EXPECT_THAT(
      message_of([] {
        Schema(
            {{.name = "n", .family = Family::poisson, .levels = {}, .transform = Transform::sqrt}});
      }),
      AllOf(HasSubstr("'n'"), HasSubstr("sqrt"), HasSubstr("only Gaussian")));
}

TEST(Transform, IsPartOfTheSchema) {
  EXPECT_NE(schema_of(Transform::log), schema_of(Transform::none));
  EXPECT_THAT(message_of([] {
                merge(Statistics(schema_of(Transform::log)),
                      Statistics(schema_of(Transform::sqrt)));
              }),
              AllOf(HasSubstr("transformation log"), HasSubstr("sqrt in the other")));
  EXPECT_NE(schema_of(Transform::signed_log(2)), schema_of(Transform::signed_log()));
  EXPECT_THAT(message_of([] {
                merge(Statistics(schema_of(Transform::signed_log(2))),
                      Statistics(schema_of(Transform::signed_log(3))));
              }),
              AllOf(HasSubstr("signed-log:2"), HasSubstr("signed-log:3 in the other")));
}

std::string refused(Transform transform, double x) {
  const Matrix rows{{0.5}, {x}};
  const std::vector<std::string> labels{"a", "a"};
  return message_of<DataError>(
      [&] { Statistics(schema_of(transform)).update(RowBlock(rows, labels)); });
}

TEST(Transform, NumbersOutsideTheDomainAreRefusedWithTheWayOut) {
  EXPECT_THAT(refused(Transform::log, 0),
              AllOf(HasSubstr("row 1, class 'a', feature 'x': the value is 0"),
                    HasSubstr("log needs numbers above 0"), HasSubstr("log1p")));
  EXPECT_THAT(refused(Transform::log, -3), AllOf(HasSubstr("-3"), Not(HasSubstr("log1p"))));
  EXPECT_THAT(refused(Transform::log1p, -1), HasSubstr("above -1"));
  EXPECT_THAT(refused(Transform::sqrt, -4), HasSubstr("sqrt needs numbers from 0 on"));
  EXPECT_THAT(refused(Transform::logit, 1), AllOf(HasSubstr("between 0 and 1"), HasSubstr("0.5")));
  EXPECT_THAT(refused(Transform::logit, 45), HasSubstr("divide by 100"));
  EXPECT_THAT(refused(Transform::sqrt, inf), HasSubstr("needs finite numbers"));
  EXPECT_THAT(refused(Transform::signed_log(), -inf), HasSubstr("needs finite numbers"));
}

TEST(Transform, RowsOfWeightZeroMayHaveAnything) {
  const Matrix rows{{2}, {-1}, {3}};
  const std::vector<std::string> labels{"a", "a", "a"};
  const std::vector<double> weights{1, 0, 1};
  Statistics with(schema_of(Transform::log)), without(schema_of(Transform::log));
  with.update(RowBlock(rows, labels).weights(weights));
  const Matrix two{{2}, {3}};
  without.update(RowBlock(two, std::vector<std::string>{"a", "a"}));
  EXPECT_EQ(with, without);
}

Model log_model() {
  return Model({.schema = schema_of(Transform::log),
                .labels = {"a", "b"},
                .weights = {},
                .densities = {GaussianDensity{Covariance::full, {{0}, {1}}, {{{1}}, {{4}}}}}});
}

TEST(Transform, ScoringRefusesTheSame) {
  const Matrix rows{{1}, {-2}};
  for (const bool relative : {false, true}) {
    try {
      log_likelihood(log_model(), RowBlock(rows), {.relative = relative});
      FAIL() << "nothing was thrown";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("row 1, feature 'x': the value is -2"),
                                      HasSubstr("log needs numbers above 0")));
      EXPECT_EQ(error.where().row, 1);
      EXPECT_EQ(error.where().features, std::vector<std::string>{"x"});
    }
  }
}

// The log-normal density of SciPy's documentation: exp(−(ln x)²/2) / (x √2π).
TEST(Transform, LogMakesTheLogNormalDensity) {
  const Matrix rows{{0.2}, {1}, {7}, {NAN}};
  const Matrix scores = log_likelihood(log_model(), RowBlock(rows)).values;
  for (Index i = 0; i < 3; ++i) {
    const double x = rows(i, 0), t = std::log(x);
    const double root = std::sqrt(2 * std::acos(-1.0));
    EXPECT_NEAR(scores(i, 0), std::log(std::exp(-t * t / 2) / (x * root)), 1e-14);
    EXPECT_NEAR(scores(i, 1), std::log(std::exp(-(t - 1) * (t - 1) / 8) / (2 * x * root)), 1e-14);
  }
  EXPECT_EQ(scores(3, 0), 0);  // missing
}

TEST(Transform, SamplesComeBackToTheScaleOfTheFeature) {
  const Model model = log_model();
  const Sample sample = suffice::sample(model, 1000, "a");
  Statistics statistics(model.schema());
  statistics.update(sample.rows());
  const JointMoments& moments =
      std::get<GaussianStatistics>(statistics.blocks()[0]).classes[0].complete;
  EXPECT_NEAR(moments.mean[0], 0, 0.1);  // three deviations of a mean of 1000
  EXPECT_NEAR(moments.scatter(0, 0) / 1000, 1, 0.14);
  for (Index i = 0; i < 1000; ++i) EXPECT_GT(sample.values(i, 0), 0);
}

// For one class the score is the tail of a chi-squared variable at ((ln x − m)/σ)².
TEST(Transform, OutlierScoresAreThoseOfTheTransformedNumber) {
  const Model model = log_model();
  const Matrix rows{{std::exp(1.959963984540054)}, {std::exp(-1.959963984540054)}, {1}};
  const RowBlock block(rows);
  const Vector scores =
      outlier_score(model, block, log_likelihood(model, block), std::vector<double>{1, 0});
  EXPECT_NEAR(scores[0], 0.05, 1e-12);
  EXPECT_NEAR(scores[1], 0.05, 1e-12);
  EXPECT_NEAR(scores[2], 1, 1e-12);
}

TEST(Transform, DiscriminantsAreOverTheTransformedColumns) {
  const Model model = log_model();
  const Discriminant g = discriminant(model, "a", "b");
  EXPECT_EQ(g.columns, std::vector<std::string>{"log(x)"});
  EXPECT_EQ(transformed_name(schema_of(Transform::signed_log()).feature(0)), "signed-log(x)");
  EXPECT_EQ(transformed_name(schema_of(Transform::signed_log(0.5)).feature(0)),
            "signed-log(x / 0.5)");
  const Matrix rows{{0.3}, {5}};
  const Matrix scores = log_likelihood(model, RowBlock(rows)).values;
  for (Index i = 0; i < 2; ++i)
    EXPECT_NEAR(g(std::vector<double>{std::log(rows(i, 0))}), scores(i, 0) - scores(i, 1), 1e-13);
}

TEST(Transform, SurvivesFiles) {
  Statistics statistics(schema_of(Transform::log1p));
  const Matrix rows{{1}, {2}, {4}};
  statistics.update(RowBlock(rows, std::vector<std::string>{"a", "a", "b"}));
  EXPECT_EQ(statistics_from_bytes(to_bytes(statistics)), statistics);
  EXPECT_EQ(model_from_bytes(to_bytes(log_model())), log_model());
  Statistics scaled(schema_of(Transform::signed_log(1.0 / 3)));
  scaled.update(RowBlock(rows, std::vector<std::string>{"a", "a", "b"}));
  EXPECT_EQ(statistics_from_bytes(to_bytes(scaled)), scaled);
}

}  // namespace
}  // namespace suffice::transform_test
