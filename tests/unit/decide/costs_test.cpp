#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "suffice/core/error.hpp"
#include "suffice/decide/decide.hpp"
#include "support/message_of.hpp"

namespace suffice::costs_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

const Names labels = {"bad", "good"};
using Entries = std::vector<Costs::Entry>;

TEST(Costs, ZeroOneCountsMistakes) {
  EXPECT_EQ(Costs::zero_one(Names{"a", "b", "c"}).matrix(),
            (Matrix{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}));
}

TEST(Costs, NamedPairsReplaceTheUsualCosts) {
  const Costs costs(labels, Entries{{"bad", "good", 5}, {"good", "good", -2}});
  EXPECT_EQ(costs.matrix(), (Matrix{{0, 5}, {1, -2}}));
  EXPECT_EQ(costs(0, 1), 5);
}

TEST(Costs, RefusesOtherShapesAndInfinities) {
  EXPECT_THAT(message_of([] { Costs(labels, Matrix{{0, 1, 2}, {1, 0, 2}}); }), HasSubstr("2 × 3"));
  EXPECT_THAT(message_of([] {
                Costs(labels, Matrix{{0, INFINITY}, {1, 0}});
              }),
              HasSubstr("'bad' decided as 'good' is inf"));
  EXPECT_THAT(message_of([] { Costs(labels, Entries{{"bad", "good", NAN}}); }), HasSubstr("'bad'"));
  EXPECT_THAT(message_of([] { Costs(labels, Entries{{"bad", "ugly", 1}}); }), HasSubstr("'ugly'"));
  EXPECT_THAT(message_of([] {
                Costs(labels, Entries{{"bad", "good", 1}, {"bad", "good", 2}});
              }),
              HasSubstr("twice"));
}

TEST(EffectivePrior, WeighsThePriorByTheCostOfTheMistake) {
  const Priors priors(labels, Vector{0.1, 0.9});
  EXPECT_DOUBLE_EQ(effective_prior(priors, Costs::zero_one(labels)), 0.1);
  // 0.1 · 9 against 0.9 · 1: even.
  EXPECT_DOUBLE_EQ(effective_prior(priors, Costs(labels, Matrix{{0, 9}, {1, 0}})), 0.5);
  // Only the difference to the right decision counts: 0.1 (7 − 3) against 0.9 (1 + 1).
  EXPECT_DOUBLE_EQ(effective_prior(priors, Costs(labels, Matrix{{3, 7}, {1, -1}})), 0.4 / 2.2);
}

TEST(EffectivePrior, NeedsTwoClassesAndSensibleCosts) {
  const Priors priors(labels, Vector{0.1, 0.9});
  EXPECT_THAT(message_of([&] {
                effective_prior(Priors::uniform(Names{"a", "b", "c"}),
                                Costs::zero_one(Names{"a", "b", "c"}));
              }),
              HasSubstr("two classes"));
  EXPECT_THAT(message_of([&] {
                effective_prior(priors, Costs(labels, Matrix{{2, 1}, {1, 0}}));
              }),
              HasSubstr("'bad'"));
  EXPECT_THAT(message_of([&] {
                effective_prior(priors, Costs(labels, Matrix{{0, 0}, {0, 0}}));
              }),
              HasSubstr("no decision is better"));
  EXPECT_THAT(message_of([&] {
                effective_prior(priors, Costs::zero_one(Names{"bad", "ugly"}));
              }),
              HasSubstr("'ugly'"));
}

}  // namespace
}  // namespace suffice::costs_test
