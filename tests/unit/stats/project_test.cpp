#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::project_test {
namespace {

using ::testing::AllOf;
using testing::gaussian_block;
using testing::gaussian_statistics;
using ::testing::HasSubstr;
using testing::nan;
using testing::thrown_by;

// z = ((x0 − 1) + 2 (x1 − 2), (x0 − 1) − (x1 − 2)): rows (1, 2), (3, 2), (2, 5) become (0, 0),
// (2, 2), (7, −2).
TEST(Project, IsTheStatisticsOfTheProjectedRows) {
  const Statistics from = gaussian_statistics({{"a", {{1, 2}, {3, 2}, {2, 5}}}, {"b", {}}}, 2);
  const Statistics to = project(
      from, {.block = 0, .matrix = {{1, 1}, {2, -1}}, .offset = {1, 2}, .names = {"u", "v"}});
  const Statistics expected = gaussian_statistics({{"a", {{0, 0}, {2, 2}, {7, -2}}}}, 2);
  const JointMoments& actual = gaussian_block(to).classes[0].complete;
  const JointMoments& exact = gaussian_block(expected).classes[0].complete;
  EXPECT_EQ(actual.weight, 3);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(actual.mean[i], exact.mean[i], 1e-15);
    for (Index j = 0; j < 2; ++j) EXPECT_NEAR(actual.scatter(i, j), exact.scatter(i, j), 1e-13);
  }
  EXPECT_EQ(actual.scatter(0, 1), actual.scatter(1, 0));
  EXPECT_EQ(gaussian_block(to).classes[1], GaussianStatistics::Class());
  EXPECT_EQ(to.schema().feature(0).name, "u");
  EXPECT_EQ(to.schema().feature(1).name, "v");
  EXPECT_EQ(to.weights(), (Vector{3, 0}));
}

TEST(Project, CarriesTheLowWordOfTheMean) {
  Statistics::Parts parts = gaussian_statistics({{"a", {{1e9, 1e9}}}}, 2).parts();
  std::get<GaussianStatistics>(parts.blocks[0]).classes[0].complete.mean_low = {1e-10, 0};
  const Statistics to =
      project(Statistics(parts), {.block = 0, .matrix = {{1}, {-1}}, .offset = {}});
  EXPECT_EQ(gaussian_block(to).classes[0].complete.mean[0], 1e-10);
  EXPECT_EQ(to.schema().feature(0).name, "z0");
}

TEST(Project, IncompleteRowsLackTheNewFeatures) {
  const Statistics from = gaussian_statistics({{"a", {{1, 2}, {3, nan}, {2, 5}}}}, 2);
  const Statistics to = project(from, {.block = 0, .matrix = {{1}, {1}}, .offset = {}});
  EXPECT_EQ(to.missing(), Vector{1});
  EXPECT_EQ(gaussian_block(to).classes[0].complete.mean, Vector{5});
  EXPECT_EQ(gaussian_block(to).classes[0].complete.scatter, (Matrix{{8}}));
}

Statistics mixed() {
  // colour, height, name's length (Poisson), weight; blocks: colour | height and weight | length
  Statistics::Parts parts = gaussian_statistics({{"a", {{1, 2}, {3, 2}, {2, 5}}}}, 2).parts();
  parts.schema = Schema({{.name = "colour", .family = Family::categorical},
                         {.name = "height"},
                         {.name = "length", .family = Family::poisson},
                         {.name = "weight"}});
  const BlockStatistics gaussian = parts.blocks[0];
  parts.blocks = {CategoricalStatistics{.levels = {{"red"}}, .count = {{{3}}}}, gaussian,
                  CountStatistics{.weight = {{3}}, .sum = {{9}}}};
  return Statistics(std::move(parts));
}

TEST(Project, PutsNewFeaturesInTheBlocksPlace) {
  const Statistics to =
      project(mixed(), {.block = 1, .matrix = {{1, 0, 1}, {0, 1, 1}}, .offset = {}});
  std::vector<std::string> names;
  for (const Feature& feature : to.schema().features()) names.push_back(feature.name);
  EXPECT_THAT(names, ::testing::ElementsAre("colour", "z0", "z1", "z2", "length"));
  EXPECT_THAT(to.schema().blocks()[0].features, ::testing::ElementsAre(0));
  EXPECT_THAT(to.schema().blocks()[1].features, ::testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(to.schema().blocks()[2].features, ::testing::ElementsAre(4));
  EXPECT_EQ(std::get<CountStatistics>(to.blocks()[2]).sum, (Matrix{{9}}));
  EXPECT_EQ(gaussian_block(to, 1).classes[0].complete.mean, (Vector{2, 3, 5}));
}

TEST(Project, RefusesMapsThatDoNotFit) {
  const auto message = [](const Projection& projection) -> std::string {
    return thrown_by<InvalidArgument>([&] { project(mixed(), projection); }).what();
  };
  EXPECT_THAT(message({.block = 3, .matrix = {{1}, {1}}, .offset = {}}), HasSubstr("no block 3"));
  EXPECT_THAT(message({.block = 0, .matrix = {{1}}, .offset = {}}), HasSubstr("'categorical'"));
  EXPECT_THAT(message({.block = 1, .matrix = {{1}}, .offset = {}}),
              AllOf(HasSubstr("2 × k"), HasSubstr("1 × 1")));
  EXPECT_THAT(message({.block = 1, .matrix = Matrix(2, 0), .offset = {}}), HasSubstr("2 × 0"));
  EXPECT_THAT(message({.block = 1, .matrix = {{1}, {nan}}, .offset = {}}), HasSubstr("finite"));
  EXPECT_THAT(message({.block = 1, .matrix = {{1}, {1}}, .offset = {1}}), HasSubstr("offset"));
  EXPECT_THAT(message({.block = 1, .matrix = {{1}, {1}}, .offset = {}, .names = {"u", "v"}}),
              HasSubstr("2 names"));
  EXPECT_THAT(message({.block = 1, .matrix = {{1}, {1}}, .offset = {}, .names = {"length"}}),
              HasSubstr("'length'"));
  const Statistics diagonal = gaussian_statistics({{"a", {{1, 2}}}}, 2, Scatter::diagonal);
  EXPECT_THAT(thrown_by<InvalidArgument>([&] {
                project(diagonal, {.block = 0, .matrix = {{1}, {1}}, .offset = {}});
              }).what(),
              HasSubstr("dense scatter"));
}

}  // namespace
}  // namespace suffice::project_test
