// The order of candidates, and standard errors of what they are compared by.

#include "left_out/ranking.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "suffice/core/error.hpp"

namespace suffice::ranking_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

CandidateResult result(double error, double log_loss, double parameters, double se = 0) {
  return {.options = {},
          .score = {.rows = 1, .error_rate = error, .log_loss = log_loss, .cost = 1 - error},
          .error_rate_se = se,
          .log_loss_se = se,
          .parameters = parameters};
}

TEST(Ranking, IsByTheCriterionWithTies) {
  Selection selection;
  selection.candidates = {result(.2, 1, 1), result(.1, 3, 1), result(.1, 2, 1), {}};
  selection.candidates[3].error = "cannot be";
  rank(selection, Criterion::error, false);
  EXPECT_THAT(selection.ranking, ElementsAre(2, 1, 0, 3));
  EXPECT_EQ(selection.best, 2);
  rank(selection, Criterion::log_loss, false);
  EXPECT_THAT(selection.ranking, ElementsAre(0, 2, 1, 3));
  rank(selection, Criterion::cost, false);
  EXPECT_THAT(selection.ranking, ElementsAre(0, 2, 1, 3));
}

TEST(Ranking, TakesTheSimplestWithinOneStandardError) {
  Selection selection;
  selection.candidates = {result(.10, 1, 100, .03), result(.125, 1, 20), result(.12, 1, 20),
                          result(.14, 1, 5)};
  rank(selection, Criterion::error, true);
  EXPECT_THAT(selection.ranking, ElementsAre(0, 2, 1, 3));
  EXPECT_EQ(selection.best, 2);
}

TEST(Ranking, ThrowsTheFirstReasonWhereNoneCanBe) {
  Selection selection;
  selection.candidates.resize(2);
  selection.candidates[0].error = "for this reason";
  selection.candidates[1].error = "for another";
  EXPECT_THAT([&] { rank(selection, Criterion::error, false); },
              ThrowsMessage<InvalidArgument>(HasSubstr("the first: for this reason")));
}

}  // namespace
}  // namespace suffice::ranking_test
