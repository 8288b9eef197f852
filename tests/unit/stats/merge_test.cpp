#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "stats/dictionary.hpp"
#include "stats/moments.hpp"
#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::merge_test {
namespace {

using ::testing::AllOf;
using testing::gaussian_block;
using testing::gaussian_statistics;
using ::testing::HasSubstr;
using testing::nan;
using testing::thrown_by;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Rows (0, 0), (2, 2) with mean (1, 1) and scatter [2 2; 2 2], and (4, 0), (6, 0) with mean (5, 0)
// and scatter [2 0; 0 0]: together mean (3, 1/2) and scatter [20 -2; -2 3].
TEST(Merge, OfTwoPartsOfAClass) {
  const Statistics a = gaussian_statistics({{"a", {{0, 0}, {2, 2}}}}, 2);
  const Statistics b = gaussian_statistics({{"a", {{4, 0}, {6, 0}}}}, 2);
  for (const Statistics& both : {merge(a, b), merge(b, a)}) {
    const JointMoments& moments = gaussian_block(both).classes[0].complete;
    EXPECT_EQ(both.weights(), Vector{4});
    EXPECT_EQ(both.squared_weights(), Vector{4});
    EXPECT_EQ(moments.weight, 4);
    EXPECT_EQ(moments.mean, (Vector{3, 0.5}));
    EXPECT_EQ(moments.scatter, (Matrix{{20, -2}, {-2, 3}}));
  }
}

TEST(Merge, WithFreshStatisticsChangesNothing) {
  const Statistics a = gaussian_statistics({{"a", {{0, 0}, {2, 2}}}, {"b", {{1, nan}}}}, 2);
  EXPECT_EQ(merge(a, Statistics(a.schema())), a);
  EXPECT_EQ(merge(Statistics(a.schema()), a), a);
}

// The mean of 1 and 1 + ε lies between two doubles.
TEST(Merge, KeepsTheMeanBeyondADouble) {
  const Statistics a = gaussian_statistics({{"a", {{1}}}}, 1);
  const Statistics b = gaussian_statistics({{"a", {{1 + epsilon}}}}, 1);
  for (const Statistics& both : {merge(a, b), merge(b, a)}) {
    const JointMoments& moments = gaussian_block(both).classes[0].complete;
    EXPECT_EQ((moments.mean[0] - 1) + moments.mean_low[0], epsilon / 2);
    EXPECT_EQ(moments.scatter(0, 0), epsilon * epsilon / 2);
  }
}

// A third of 1e9 has no exact double; the low word has the next 16 digits.
TEST(Merge, KeepsTheLowWordThroughThirds) {
  Statistics all = gaussian_statistics({{"a", {{1e9}}}}, 1);
  all = merge(all, gaussian_statistics({{"a", {{1e9}}}}, 1));
  all = merge(all, gaussian_statistics({{"a", {{1e9 + 1}}}}, 1));
  const JointMoments& moments = gaussian_block(all).classes[0].complete;
  EXPECT_NEAR((moments.mean[0] - 1e9) + moments.mean_low[0], 1. / 3, 1e-16);
  EXPECT_NEAR(moments.scatter(0, 0), 2. / 3, 1e-15);
}

TEST(Merge, JoinsClassesByName) {
  // Numeric names go by value, and by bytes once a word joins them.
  const Statistics a = gaussian_statistics({{"9", {{1}, {3}}}, {"10", {{5}}}}, 1);
  const Statistics b = gaussian_statistics({{"x", {{7}}}, {"9", {{5}}}}, 1);
  const Statistics both = merge(a, b);
  EXPECT_EQ(both.labels().list(), (std::vector<std::string>{"10", "9", "x"}));
  EXPECT_EQ(both.weights(), (Vector{1, 3, 1}));
  EXPECT_EQ(gaussian_block(both).classes[0].complete.mean, Vector{5});
  EXPECT_EQ(gaussian_block(both).classes[1].complete.mean, Vector{3});
  EXPECT_EQ(gaussian_block(both).classes[1].complete.scatter, (Matrix{{8}}));
  EXPECT_EQ(gaussian_block(both).classes[2].complete.mean, Vector{7});
}

TEST(Merge, OfMissingValuesGoesFeatureByFeature) {
  const Statistics a = gaussian_statistics({{"a", {{1, nan}, {3, nan}}}}, 2, Scatter::diagonal);
  const Statistics b = gaussian_statistics({{"a", {{5, 4}, {nan, 6}}}}, 2, Scatter::diagonal);
  const Statistics both = merge(a, b);
  const Moments& moments = gaussian_block(both).classes[0].present;
  EXPECT_EQ(moments.weight, (Vector{3, 2}));
  EXPECT_EQ(moments.mean, (Vector{3, 5}));
  EXPECT_EQ(moments.squares, (Vector{8, 2}));
}

TEST(Merge, OfCounts) {
  const Statistics a =
      testing::count_statistics(Family::bernoulli, {"a", "b"}, {2, 1}, {{1, 2}, {0, 1}});
  const Statistics b =
      testing::count_statistics(Family::bernoulli, {"b", "c"}, {4, 1}, {{3, 3}, {1, 0}});
  const Statistics both = merge(a, b);
  const auto& counts = std::get<CountStatistics>(both.blocks()[0]);
  EXPECT_EQ(counts.sum, (Matrix{{1, 2}, {3, 4}, {1, 0}}));
  EXPECT_EQ(counts.weight, (Matrix{{2, 2}, {5, 5}, {1, 1}}));
  const Statistics words =
      merge(testing::count_statistics(Family::multinomial, {"a"}, {2}, {{1, 2}}),
            testing::count_statistics(Family::multinomial, {"b"}, {1}, {{0, 7}}));
  EXPECT_EQ(std::get<CountStatistics>(words.blocks()[0]).sum, (Matrix{{1, 2}, {0, 7}}));
  EXPECT_TRUE(std::get<CountStatistics>(words.blocks()[0]).weight.empty());
}

TEST(Merge, JoinsLevelsByName) {
  const Statistics a = testing::level_statistics("colour", {"a"}, {4}, {"blue", "red"}, {{3, 1}});
  const Statistics b =
      testing::level_statistics("colour", {"a", "b"}, {2, 5}, {"green", "red"}, {{2, 0}, {1, 3}});
  const Statistics both = merge(a, b);
  const auto& levels = std::get<CategoricalStatistics>(both.blocks()[0]);
  EXPECT_EQ(levels.levels[0], (Names{"blue", "green", "red"}));
  EXPECT_EQ(levels.count[0], (Matrix{{3, 2, 1}, {0, 1, 3}}));
  EXPECT_EQ(both.missing(), Vector{1});
}

TEST(Merge, JoinsDeclaredLevels) {
  const auto declared = [](std::vector<std::string> levels) {
    return Statistics(
        Schema({{.name = "colour", .family = Family::categorical, .levels = std::move(levels)}}));
  };
  const Statistics both = merge(declared({"red"}), declared({"blue"}));
  EXPECT_EQ(both.schema().feature(0).levels, (std::vector<std::string>{"blue", "red"}));
  EXPECT_EQ(std::get<CategoricalStatistics>(both.blocks()[0]).levels[0], (Names{"blue", "red"}));
}

TEST(Merge, RefusesWhatDoesNotFitTogether) {
  const Statistics dense = gaussian_statistics({{"a", {{1}}}}, 1);
  const Statistics diagonal = gaussian_statistics({{"a", {{1}}}}, 1, Scatter::diagonal);
  EXPECT_THAT(thrown_by<InvalidArgument>([&] { merge(dense, diagonal); }).what(),
              AllOf(HasSubstr("diagonal"), HasSubstr("same kind of scatter")));
  EXPECT_THROW(merge(dense, gaussian_statistics({{"a", {{1, 2}}}}, 2)), InvalidArgument);
}

TEST(Moments, OfAllValuesAddTheIncompleteRows) {
  const Statistics stats = gaussian_statistics({{"a", {{1, 1}, {3, 5}, {5, nan}, {nan, 3}}}}, 2);
  const Moments moments = gaussian_block(stats).moments(0);
  EXPECT_EQ(moments.weight, (Vector{3, 3}));
  EXPECT_EQ(moments.mean, (Vector{3, 3}));
  EXPECT_EQ(moments.squares, (Vector{8, 8}));
  const Statistics empty = gaussian_statistics({{"a", {}}}, 2);
  EXPECT_TRUE(gaussian_block(empty).moments(0).weight.empty());
}

TEST(Dictionary, NewClassesHaveSeenNothing) {
  Statistics::Parts parts = gaussian_statistics({{"9", {{1}, {3}}}, {"10", {{5}}}}, 1).parts();
  join_labels(parts, {"b", "9"});
  EXPECT_EQ(parts.labels.list(), (std::vector<std::string>{"10", "9", "b"}));
  EXPECT_EQ(parts.weights, (Vector{1, 2, 0}));
  const auto& classes = std::get<GaussianStatistics>(parts.blocks[0]).classes;
  EXPECT_EQ(classes[1].complete.mean, Vector{2});
  EXPECT_EQ(classes[2], GaussianStatistics::Class());
}

/// What the constructor from parts says of a change to sound ones.
std::string refused(const Statistics& sound, const std::function<void(Statistics::Parts&)>& spoil) {
  Statistics::Parts parts = sound.parts();
  spoil(parts);
  return thrown_by<InvalidArgument>([&] { Statistics{parts}; }).what();
}

TEST(StatisticsFromParts, RefusesImpossibleMoments) {
  const Statistics sound = gaussian_statistics({{"a", {{0, 0}, {2, 2}}}, {"b", {{1, nan}}}}, 2);
  const auto joint = [](Statistics::Parts& parts) -> JointMoments& {
    return std::get<GaussianStatistics>(parts.blocks[0]).classes[0].complete;
  };
  const auto present = [](Statistics::Parts& parts) -> Moments& {
    return std::get<GaussianStatistics>(parts.blocks[0]).classes[1].present;
  };
  EXPECT_THAT(refused(sound, [&](auto& parts) { joint(parts).scatter(0, 1) = 1; }),
              AllOf(HasSubstr("not symmetric"), HasSubstr("'a'"), HasSubstr("'x1'")));
  EXPECT_THAT(refused(sound, [&](auto& parts) { joint(parts).scatter(1, 1) = -1; }),
              AllOf(HasSubstr("-1"), HasSubstr("'a'"), HasSubstr("'x1'")));
  EXPECT_THAT(refused(sound, [&](auto& parts) { joint(parts).mean[0] = nan; }),
              AllOf(HasSubstr("'a'"), HasSubstr("'x0'")));
  EXPECT_THAT(refused(sound, [&](auto& parts) { joint(parts).mean = Vector(3); }),
              HasSubstr("2 features"));
  EXPECT_THAT(refused(sound, [&](auto& parts) { joint(parts).weight = -1; }), HasSubstr("-1"));
  EXPECT_THAT(refused(sound, [&](auto& parts) { joint(parts).weight = 3; }),
              AllOf(HasSubstr("'a'"), HasSubstr("more than 2")));
  EXPECT_THAT(refused(sound, [&](auto& parts) { present(parts).squares[0] = -2; }),
              AllOf(HasSubstr("'b'"), HasSubstr("-2")));
  EXPECT_THAT(refused(sound, [&](auto& parts) { present(parts).squares = Vector(1); }),
              HasSubstr("'b'"));
  EXPECT_THAT(refused(sound, [](auto& parts) { parts.weights[1] = nan; }), HasSubstr("'b'"));
  EXPECT_THAT(refused(sound, [](auto& parts) { parts.weights = {1}; }), HasSubstr("2 classes"));
  EXPECT_THAT(refused(sound, [](auto& parts) { parts.blocks.clear(); }), HasSubstr("blocks"));
  EXPECT_THAT(refused(sound, [](auto& parts) { parts.blocks[0] = CountStatistics(); }),
              HasSubstr("'gaussian'"));
  EXPECT_THAT(refused(sound,
                      [](auto& parts) {
                        std::get<GaussianStatistics>(parts.blocks[0]).kind = Scatter::diagonal;
                      }),
              HasSubstr("diagonal"));
}

TEST(StatisticsFromParts, RefusesImpossibleCounts) {
  const Statistics ones =
      testing::count_statistics(Family::bernoulli, {"a", "b"}, {2, 1}, {{1, 2}, {0, 1}});
  const auto counts = [](Statistics::Parts& parts) -> CountStatistics& {
    return std::get<CountStatistics>(parts.blocks[0]);
  };
  EXPECT_THAT(refused(ones, [&](auto& parts) { counts(parts).sum(1, 0) = -1; }),
              AllOf(HasSubstr("'b'"), HasSubstr("'x0'"), HasSubstr("-1")));
  EXPECT_THAT(refused(ones, [&](auto& parts) { counts(parts).sum(1, 0) = 2; }),
              AllOf(HasSubstr("'b'"), HasSubstr("'x0'"), HasSubstr("ones")));
  EXPECT_THAT(refused(ones, [&](auto& parts) { counts(parts).weight(0, 1) = 3; }),
              AllOf(HasSubstr("'a'"), HasSubstr("'x1'")));
  EXPECT_THAT(refused(ones, [&](auto& parts) { counts(parts).sum = Matrix(2, 3); }),
              AllOf(HasSubstr("2 × 3"), HasSubstr("2 × 2")));

  const Statistics levels = testing::level_statistics("colour", {"a"}, {4}, {"blue"}, {{3}});
  const auto level = [](Statistics::Parts& parts) -> CategoricalStatistics& {
    return std::get<CategoricalStatistics>(parts.blocks[0]);
  };
  EXPECT_THAT(refused(levels, [&](auto& parts) { level(parts).count[0](0, 0) = 5; }),
              AllOf(HasSubstr("'a'"), HasSubstr("'colour'"), HasSubstr("5")));
  EXPECT_THAT(refused(levels,
                      [&](auto& parts) {
                        level(parts).levels[0] = {"blue", "red"};
                      }),
              HasSubstr("1 × 2"));
  EXPECT_THAT(refused(levels, [&](auto& parts) { level(parts).count.clear(); }),
              HasSubstr("1 features"));
}

}  // namespace
}  // namespace suffice::merge_test
