// The candidates that a grid makes: which combinations there are, and which are left out.

#include "suffice/select/grid.hpp"

#include <gmock/gmock.h>

#include "suffice/core/error.hpp"

namespace suffice::grid_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// "full 0", "tied auto", …
std::vector<std::string> covariance_and_shrinkage(const std::vector<EstimateOptions>& candidates) {
  std::vector<std::string> result;
  for (const EstimateOptions& options : candidates)
    result.push_back(std::string(to_string(options.covariance)) + " " +
                     to_string(*options.shrinkage));
  return result;
}

TEST(Grid, DefaultForNumbersHasFourStructuresPlainAndShrunk) {
  EXPECT_THAT(covariance_and_shrinkage(candidates_of({}, Schema::numbered(4))),
              ElementsAre("full 0", "full auto", "tied 0", "tied auto", "diag 0", "diag auto",
                          "tied-diag 0"));
}

TEST(Grid, DefaultForManyNumbersHasNoDenseStructures) {
  EXPECT_THAT(covariance_and_shrinkage(candidates_of({}, Schema::numbered(1001))),
              ElementsAre("diag 0", "diag auto", "tied-diag 0"));
}

TEST(Grid, DefaultWhereOneRowIsLeftOutHasShares) {
  EXPECT_THAT(covariance_and_shrinkage(candidates_of({}, Schema::numbered(4), true)),
              ElementsAre("full 0", "full 0.1", "full 0.5", "tied 0", "tied 0.1", "tied 0.5",
                          "diag 0", "tied-diag 0"));
  EXPECT_THAT(covariance_and_shrinkage(candidates_of({}, Schema::numbered(101), true)),
              ElementsAre("full 0", "tied 0", "diag 0", "tied-diag 0"));
}

TEST(Grid, DefaultWithoutNumbersIsOneOfSmoothing) {
  std::vector<double> smoothing;
  for (const EstimateOptions& options : candidates_of({}, Schema::numbered(3, Family::poisson)))
    smoothing.push_back(options.smoothing.value());
  EXPECT_THAT(smoothing, ElementsAre(0.01, 0.1, 1, 10));
}

TEST(Grid, ListsMakeAllCombinationsInTheirOrder) {
  const Grid grid{{"covariance", {"tied", "full"}}, {"shrinkage", {"auto", "0.5"}}};
  EXPECT_THAT(covariance_and_shrinkage(candidates_of(grid, Schema::numbered(2))),
              ElementsAre("tied auto", "tied 0.5", "full auto", "full 0.5"));
}

TEST(Grid, WhatIsTheSameModelOccursOnce) {
  const Grid grid{{"covariance", {"diag"}}, {"shrinkage", {"0", "0.5"}}};
  EXPECT_EQ(candidates_of(grid, Schema::numbered(2)).size(), 1u);
  const Grid smoothed{{"covariance", {"full", "tied"}}, {"smoothing", {"1", "2"}}};
  EXPECT_EQ(candidates_of(smoothed, Schema::numbered(2)).size(), 2u);
  EXPECT_EQ(candidates_of(smoothed, Schema::numbered(2, Family::poisson)).size(), 2u);
  EXPECT_EQ(candidates_of(smoothed, Schema({{"x"}, {"n", Family::poisson}})).size(), 4u);
}

TEST(Grid, ShrinkageThatIsNotListedIsAutoOrNoneWhereOneRowIsLeftOut) {
  const Grid grid{{"covariance", {"full", "tied"}}};
  EXPECT_THAT(covariance_and_shrinkage(candidates_of(grid, Schema::numbered(2))),
              ElementsAre("full auto", "tied auto"));
  EXPECT_THAT(covariance_and_shrinkage(candidates_of(grid, Schema::numbered(2), true)),
              ElementsAre("full 0", "tied 0"));
  // What is listed stays: leave-one-out then says why there is no such thing.
  const Grid listed{{"shrinkage", {"auto"}}};
  EXPECT_THAT(covariance_and_shrinkage(candidates_of(listed, Schema::numbered(2), true)),
              ElementsAre("full auto"));
}

TEST(Grid, ImpossibleCombinationsAreLeftOut) {
  const Grid grid{{"covariance", {"full", "tied"}}, {"towards_tied", {"0.5"}}};
  EXPECT_THAT(covariance_and_shrinkage(candidates_of(grid, Schema::numbered(2))),
              ElementsAre("full 0"));
  const Grid nothing{{"covariance", {"tied"}}, {"towards_tied", {"0.5"}}};
  EXPECT_THAT([&] { candidates_of(nothing, Schema::numbered(2)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("nothing to choose among")));
  EXPECT_THROW(require_candidates(nothing), InvalidArgument);
  EXPECT_NO_THROW(require_candidates(grid));
}

TEST(Grid, OasHasItsOwnTarget) {
  const Grid grid{{"shrinkage", {"oas", "0.5"}}};
  const auto candidates = candidates_of(grid, Schema::numbered(2));
  ASSERT_EQ(candidates.size(), 2u);
  EXPECT_EQ(candidates[0].target, Target::spherical);
  EXPECT_EQ(candidates[1].target, Target::diag);
}

TEST(Grid, ProjectionsVarySlowest) {
  const Grid grid{{"covariance", {"full", "tied"}}, {"pca", {"none", "2"}}};
  std::vector<std::string> order;
  for (const EstimateOptions& options : candidates_of(grid, Schema::numbered(3)))
    order.push_back(estimate_option("pca").text(options) + " " +
                    estimate_option("covariance").text(options));
  EXPECT_THAT(order, ElementsAre("none full", "none tied", "2 full", "2 tied"));
}

TEST(Grid, UnknownOptionsAndValuesAreRefused) {
  const Schema schema = Schema::numbered(2);
  EXPECT_THAT(
      [&] {
        candidates_of({{"colour", {"red"}}}, schema);
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("'colour'")));
  EXPECT_THAT(
      [&] {
        candidates_of({{"covariance", {"full", "round"}}}, schema);
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("'round'")));
  EXPECT_THAT(
      [&] {
        candidates_of({{"pooling", {"1,2"}}}, schema);
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("pooling cannot vary")));
}

}  // namespace
}  // namespace suffice::grid_test
