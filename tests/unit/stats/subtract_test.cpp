#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/semidefinite.hpp"
#include "suffice/core/error.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/stats/statistics.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::subtract_test {
namespace {

using ::testing::AllOf;
using testing::ClassRows;
using ::testing::ElementsAre;
using testing::gaussian_block;
using testing::gaussian_statistics;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::nan;
using testing::thrown_by;

// The numbers of the merge test, backwards.
TEST(Subtract, LeavesTheOtherRows) {
  const Statistics all = gaussian_statistics({{"a", {{0, 0}, {2, 2}, {4, 0}, {6, 0}}}}, 2);
  const Statistics part = gaussian_statistics({{"a", {{4, 0}, {6, 0}}}}, 2);
  const SubtractResult result = subtract(all, part);
  const JointMoments& rest = gaussian_block(result.rest).classes[0].complete;
  EXPECT_EQ(result.rest.weights(), Vector{2});
  EXPECT_EQ(result.rest.squared_weights(), Vector{2});
  EXPECT_EQ(rest.weight, 2);
  EXPECT_EQ(rest.mean, (Vector{1, 1}));
  EXPECT_EQ(rest.scatter, (Matrix{{2, 2}, {2, 2}}));
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(Subtract, OfEverythingLeavesAnEmptyClassInTheDictionary) {
  const std::vector<ClassRows> a{{"a", {{0.1, 0.3}, {0.7, nan}}}};
  const std::vector<ClassRows> b{{"b", {{1, 2}, {3, 5}}}};
  for (const Scatter kind : {Scatter::dense, Scatter::diagonal}) {
    const Statistics part = gaussian_statistics(a, 2, kind);
    const Statistics all = merge(part, gaussian_statistics(b, 2, kind));
    const SubtractResult result = subtract(all, part);
    EXPECT_EQ(result.rest.labels(), (Names{"a", "b"}));
    EXPECT_EQ(result.rest.weights(), (Vector{0, 2}));
    EXPECT_EQ(gaussian_block(result.rest).classes[0], GaussianStatistics::Class());
    EXPECT_EQ(gaussian_block(result.rest).classes[1], gaussian_block(all).classes[1]);
    EXPECT_THAT(result.warnings, IsEmpty());
  }
}

/// Two rows are equal; thirty others were added and taken out again, which rounds their mean.
TEST(Subtract, TakesOneOfTwoEqualRows) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (const Scatter kind : {Scatter::dense, Scatter::diagonal, Scatter::thin, Scatter::pooled})
    for (int round = 0; round < 50; ++round) {
      const double offset = round % 2 ? 1e6 : 0;
      const auto rows = [&](std::size_t count) {
        std::vector<double> values(3 * count);
        for (double& value : values) value = offset + normal(random);
        Statistics sums(Schema::numbered(3), {.scatter = kind});
        sums.update(RowBlock(MatrixView(values.data(), static_cast<Index>(count), 3),
                             std::vector<std::string>(count, "a")));
        return sums;
      };
      const Statistics one = rows(1), big = rows(30);
      const Statistics two = subtract(merge(merge(one, one), big), big).rest;
      const Statistics left = subtract(two, one).rest;
      EXPECT_EQ(left.weights(), Vector{1});
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(gaussian_block(left).moments(0).mean[j], gaussian_block(one).moments(0).mean[j],
                    1e-9 * (1 + offset));
      EXPECT_EQ(gaussian_block(left).moments(0).squares, Vector(3));
    }
}

TEST(Subtract, RefusesARowThatIsNotAmongEqualOnes) {
  const Statistics two = gaussian_statistics({{"a", {{1, 2}, {1, 2}}}}, 2);
  for (const double x : {1.001, 0.0, -1e9})
    EXPECT_THROW(subtract(two, gaussian_statistics({{"a", {{x, 2}}}}, 2)), DataError) << x;
}

TEST(Subtract, GoesFeatureByFeatureWhereValuesAreMissing) {
  const Statistics all =
      gaussian_statistics({{"a", {{1, nan}, {3, nan}, {5, 4}, {nan, 6}}}}, 2, Scatter::diagonal);
  const Statistics part = gaussian_statistics({{"a", {{5, 4}, {nan, 6}}}}, 2, Scatter::diagonal);
  const Statistics rest = subtract(all, part).rest;
  const Moments& moments = gaussian_block(rest).classes[0].present;
  EXPECT_EQ(moments.weight, (Vector{2, 0}));
  EXPECT_EQ(moments.mean, (Vector{2, 0}));
  EXPECT_EQ(moments.squares, (Vector{2, 0}));
  EXPECT_EQ(rest.missing(), (Vector{0, 2}));
}

TEST(Subtract, OfCountsAndLevels) {
  const Statistics counts =
      subtract(testing::count_statistics(Family::poisson, {"a", "b"}, {5, 2}, {{7, 1}, {3, 3}}),
               testing::count_statistics(Family::poisson, {"a"}, {2}, {{4, 1}}))
          .rest;
  EXPECT_EQ(std::get<CountStatistics>(counts.blocks()[0]).sum, (Matrix{{3, 0}, {3, 3}}));
  EXPECT_EQ(std::get<CountStatistics>(counts.blocks()[0]).weight, (Matrix{{3, 3}, {2, 2}}));

  const Statistics levels =
      subtract(testing::level_statistics("colour", {"a"}, {5}, {"blue", "red"}, {{3, 2}}),
               testing::level_statistics("colour", {"a"}, {2}, {"green", "red"}, {{0, 2}}))
          .rest;
  EXPECT_EQ(std::get<CategoricalStatistics>(levels.blocks()[0]).levels[0], (Names{"blue", "red"}));
  EXPECT_EQ(std::get<CategoricalStatistics>(levels.blocks()[0]).count[0], (Matrix{{3, 0}}));
}

// 0.1 + 0.2 + 0.3 less its parts is 0 and not a rounding error.
TEST(Subtract, OfFractionalWeightsIsExactlyEmpty) {
  const auto weighing = [](double weight) {
    return testing::count_statistics(Family::bernoulli, {"a"}, {weight}, Matrix{{weight}});
  };
  const Statistics all = merge(merge(weighing(0.1), weighing(0.2)), weighing(0.3));
  ASSERT_NE(all.weights()[0], 0.6);  // the sum did round
  const Statistics rest =
      subtract(subtract(subtract(all, weighing(0.3)).rest, weighing(0.1)).rest, weighing(0.2)).rest;
  EXPECT_EQ(rest.weights(), Vector{0});
  EXPECT_EQ(std::get<CountStatistics>(rest.blocks()[0]).sum, (Matrix{{0}}));
}

TEST(Subtract, WarnsWhereHalfOfTheDigitsAreLost) {
  // Of squares of about 1e12 in x0 only 2 remain; x1 keeps its own.
  const std::vector<std::vector<double>> far{{1e6, 5}, {-1e6, 7}}, near{{1, 5}, {-1, 7}};
  std::vector<std::vector<double>> both = far;
  both.insert(both.end(), near.begin(), near.end());
  const SubtractResult result =
      subtract(gaussian_statistics({{"a", both}}, 2), gaussian_statistics({{"a", far}}, 2));
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0],
              AllOf(HasSubstr("class 'a'"), HasSubstr("'x0'"), Not(HasSubstr("'x1'"))));
  EXPECT_NEAR(gaussian_block(result.rest).classes[0].complete.scatter(0, 0), 2, 1e-3);
  EXPECT_NEAR(gaussian_block(result.rest).classes[0].complete.scatter(1, 1), 2, 1e-14);
}

// Rows far out, of features that are nearly the same, are taken out again: what remains is below
// the rounding of the whole, and must still be a scatter.
TEST(Subtract, LeavesAScatterWhereDigitsAreLost) {
  const auto rows_of = [](Index count, double scale, double apart) {
    std::vector<std::vector<double>> rows;
    for (Index i = 0; i < count; ++i) {
      const double shared = scale * std::sin(static_cast<double>(3 * i + 1));
      std::vector<double> row;
      for (Index j = 0; j < 6; ++j)
        row.push_back(shared + apart * std::cos(static_cast<double>(7 * i + 5 * j)));
      rows.push_back(std::move(row));
    }
    return rows;
  };
  const std::vector<std::vector<double>> far = rows_of(200, 1e6, 3), near = rows_of(9, 1, 1e-6);
  std::vector<std::vector<double>> all = far;
  all.insert(all.end(), near.begin(), near.end());
  const SubtractResult result =
      subtract(gaussian_statistics({{"a", all}}, 6), gaussian_statistics({{"a", far}}, 6));
  EXPECT_EQ(result.warnings.size(), 1u);
  EXPECT_TRUE(is_scatter(gaussian_block(result.rest).classes[0].complete.scatter));
  EXPECT_EQ(estimate(result.rest).labels().size(), 1);  // used to crash
}

// Twenty parts with missing values, taken out one after the other until nothing is left. The values
// in the last ones are few, and have the rounding of all that was there.
TEST(Subtract, TakesOutWhatWasMergedPartByPart) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(5, 2);
  std::bernoulli_distribution is_missing(0.03);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Statistics> parts;
    for (int p = 0; p < 20; ++p) {
      std::vector<std::vector<double>> rows(15, std::vector<double>(4));
      for (auto& row : rows)
        for (double& x : row) x = is_missing(random) ? nan : normal(random);
      parts.push_back(gaussian_statistics({{"a", rows}}, 4));
    }
    Statistics rest = parts[0];
    for (std::size_t p = 1; p < parts.size(); ++p) rest = merge(rest, parts[p]);
    for (const Statistics& part : parts) rest = subtract(rest, part).rest;
    EXPECT_EQ(rest.weights(), Vector{0});
  }
}

// One row remains: its scatter is 0, not the rounding of the others.
TEST(Subtract, DoesNotTakeRoundingForScatter) {
  const std::vector<std::vector<double>> part{{0.1, 0.7}, {0.3, 0.2}, {1.7, 0.1}};
  std::vector<std::vector<double>> all = part;
  all.push_back({0.9, 0.4});
  const SubtractResult result =
      subtract(gaussian_statistics({{"a", all}}, 2), gaussian_statistics({{"a", part}}, 2));
  const JointMoments& moments = gaussian_block(result.rest).classes[0].complete;
  EXPECT_THAT(result.warnings, IsEmpty());
  EXPECT_EQ(moments.scatter, Matrix(2, 2));
  EXPECT_NEAR(moments.mean[0], 0.9, 1e-15);
}

TEST(Subtract, RefusesWhatTheWholeLacks) {
  const Statistics all = gaussian_statistics({{"a", {{0, 0}, {2, 2}, {4, 1}}}}, 2);
  const auto other = thrown_by<DataError>([&] {
    subtract(all, gaussian_statistics({{"b", {{0, 0}}}}, 2));
  });
  EXPECT_EQ(other.where().label, "b");
  EXPECT_THAT(other.what(), HasSubstr("'b'"));
  // but a class that is only in the dictionary is not in the way
  EXPECT_NO_THROW(subtract(all, gaussian_statistics({{"b", {}}}, 2)));

  const auto more = thrown_by<DataError>([&] {
    subtract(all, gaussian_statistics({{"a", {{0, 0}, {2, 2}, {4, 1}, {4, 1}}}}, 2));
  });
  EXPECT_EQ(more.where().label, "a");
  EXPECT_THAT(more.what(), AllOf(HasSubstr("weight 4"), HasSubstr("only 3")));

  const auto count = thrown_by<DataError>([] {
    subtract(testing::count_statistics(Family::bernoulli, {"a"}, {5}, {{1, 4}}),
             testing::count_statistics(Family::bernoulli, {"a"}, {2}, {{2, 0}}));
  });
  EXPECT_EQ(count.where().features, std::vector<std::string>{"x0"});

  const auto level = thrown_by<DataError>([] {
    subtract(testing::level_statistics("colour", {"a"}, {5}, {"blue"}, {{5}}),
             testing::level_statistics("colour", {"a"}, {1}, {"red"}, {{1}}));
  });
  EXPECT_EQ(level.where().features, std::vector<std::string>{"colour"});
  EXPECT_THAT(level.what(), HasSubstr("'red'"));

  // 3 of 4 rows are taken out but only 1 of 4 ones: three ones in a single row.
  EXPECT_THROW(subtract(testing::count_statistics(Family::bernoulli, {"a"}, {4}, Matrix{{4}}),
                        testing::count_statistics(Family::bernoulli, {"a"}, {3}, Matrix{{1}})),
               DataError);
}

TEST(Subtract, RefusesAScatterThatIsLarger) {
  const Statistics all = gaussian_statistics({{"a", {{0, 0}, {1, 2}, {2, 1}}}}, 2);
  const auto error = thrown_by<DataError>([&] {
    subtract(all, gaussian_statistics({{"a", {{0, 0}, {1, 9}}}}, 2));
  });
  EXPECT_EQ(error.where().label, "a");
  EXPECT_EQ(error.where().features, std::vector<std::string>{"x1"});
  EXPECT_THROW(subtract(gaussian_statistics({{"a", {{0}, {1}, {2}}}}, 1, Scatter::diagonal),
                        gaussian_statistics({{"a", {{0}, {9}}}}, 1, Scatter::diagonal)),
               DataError);
}

// [4 0; 0 4] − [3 3; 3 3] = [1 -3; -3 1] has the eigenvalue −2 beside a sound diagonal.
TEST(Subtract, RefusesAScatterThatIsNotSemidefinite) {
  const auto with = [](double weight, Matrix scatter) {
    Statistics::Parts parts = gaussian_statistics({{"a", {{0, 0}}}}, 2).parts();
    parts.weights[0] = parts.squared_weights[0] = weight;
    auto& complete = std::get<GaussianStatistics>(parts.blocks[0]).classes[0].complete;
    complete.weight = weight;
    complete.scatter = std::move(scatter);
    return Statistics(std::move(parts));
  };
  const auto error = thrown_by<DataError>([&] {
    subtract(with(4, {{4, 0}, {0, 4}}), with(2, {{3, 3}, {3, 3}}));
  });
  EXPECT_THAT(error.what(), AllOf(HasSubstr("'a'"), HasSubstr("semidefinite")));
  EXPECT_NO_THROW(subtract(with(4, {{4, 0}, {0, 4}}), with(2, {{3, 1}, {1, 3}})));
}

TEST(Subtract, RefusesAllOfTheWeightWithOtherSums) {
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    const Statistics all = gaussian_statistics({{"a", {{1}, {2}, {4}}}}, 1, scatter);
    EXPECT_THROW(subtract(all, gaussian_statistics({{"a", {{1}, {2}, {5}}}}, 1, scatter)),
                 DataError);
    EXPECT_THROW(subtract(all, gaussian_statistics({{"a", {{0}, {0}, {0}}}}, 1, scatter)),
                 DataError);
    EXPECT_NO_THROW(subtract(all, gaussian_statistics({{"a", {{4}, {1}, {2}}}}, 1, scatter)));
  }
}

/// Weights that are no whole numbers have rounding; a part may exceed the whole by no more.
TEST(Subtract, MoreThanRoundingIsRefused) {
  const auto with_weight = [](double weight) {
    Statistics statistics(Schema({{"x", Family::bernoulli}}));
    const std::vector<double> weights = {weight};
    statistics.update(RowBlock(Matrix{{1}}, std::vector<std::string>{"a"}).weights(weights));
    return statistics;
  };
  const Statistics whole = with_weight(1.5);
  EXPECT_EQ(subtract(whole, with_weight(1.5 * (1 + 1e-12))).rest.weights()[0], 0);
  EXPECT_THROW(subtract(whole, with_weight(1.5 * (1 + 1e-6))), DataError);
}

}  // namespace
}  // namespace suffice::subtract_test
