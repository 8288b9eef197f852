#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "suffice/core/error.hpp"
#include "suffice/decide/decide.hpp"
#include "support/message_of.hpp"

namespace suffice::priors_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

const Names labels = {"bad", "good", "odd"};

/// Has labels and weights, as models and statistics do.
struct Labelled {
  Names names;
  Vector weight;
  const Names& labels() const { return names; }
  const Vector& weights() const { return weight; }
};

TEST(Priors, KeepsWhatIsGivenInTheOrderOfTheLabels) {
  const Priors priors(labels, Vector{0.5, 0.25, 0.25});
  EXPECT_EQ(priors.labels(), labels);
  EXPECT_EQ(priors[0], 0.5);
  EXPECT_DOUBLE_EQ(priors.log()[2], -2 * std::log(2.));
  const Priors by_name(labels, {{"odd", 0.0}, {"bad", 0.25}, {"good", 0.75}});
  EXPECT_EQ(by_name.probabilities(), (Vector{0.25, 0.75, 0}));
  EXPECT_EQ(by_name.log()[2], -std::numeric_limits<double>::infinity());
}

TEST(Priors, Uniform) {
  EXPECT_EQ(Priors::uniform(Names{"a", "b", "c", "d"})[3], 0.25);
  EXPECT_EQ(Priors::uniform(Labelled{{"a", "b"}, {1, 5}})[0], 0.5);
}

TEST(Priors, FromCountsAreTheFrequencies) {
  const Priors priors = Priors::from_counts(Labelled{labels, {1, 3, 0}});
  EXPECT_EQ(priors.probabilities(), (Vector{0.25, 0.75, 0}));
  // (1 + 2) / (3 + 5) and (3 + 2) / 8: the class without rows gets no pseudo-rows.
  EXPECT_EQ(Priors::from_counts(labels, Vector{1, 3, 0}, 2).probabilities(),
            (Vector{0.375, 0.625, 0}));
}

TEST(Priors, RefusesWhatIsNotADistribution) {
  EXPECT_THAT(message_of([] {
                Priors(labels, Vector{0.5, 0.6, -0.1});
              }),
              HasSubstr("'odd' is -0.1"));
  EXPECT_THAT(message_of([] { Priors(labels, Vector{0.5, 0.5, 0.5}); }), HasSubstr("sum to 1.5"));
  EXPECT_THAT(message_of([] { Priors(labels, Vector{0.5, NAN, 0.5}); }), HasSubstr("'good'"));
  EXPECT_THAT(message_of([] { Priors(labels, Vector{0.5, 0.5}); }), HasSubstr("2 priors for 3"));
  EXPECT_THAT(message_of([] { Priors(Names(), Vector()); }), HasSubstr("at least one class"));
  EXPECT_NO_THROW(Priors(labels, Vector{0.1 + 1e-10, 0.2, 0.7}));
  EXPECT_THROW(Priors(labels, (Vector{0.1 + 1e-8, 0.2, 0.7})), InvalidArgument);
}

using Pairs = std::vector<std::pair<std::string, double>>;

TEST(Priors, ByNameNeedEveryClassOnce) {
  EXPECT_THAT(message_of([] {
                Priors(labels, Pairs{{"bad", .5}, {"good", .5}});
              }),
              HasSubstr("'odd'"));
  EXPECT_THAT(message_of([] {
                Priors(labels, Pairs{{"bad", .5}, {"bad", .5}});
              }),
              HasSubstr("'bad' is given twice"));
  EXPECT_THAT(message_of([] { Priors(labels, Pairs{{"ugly", 1}}); }), HasSubstr("'ugly'"));
}

// The lecture's extreme case n = 1: the frequency is 1, the mean of the posterior under Beta(2, 2)
// 3/5 and its mode (MAP) 2/3, which is the mean under Beta(1, 1).
TEST(Priors, FromOneRowAndPseudoCounts) {
  const Names two{"a", "b"};
  const Vector one{1, 0};
  EXPECT_EQ(Priors::from_counts(two, one)[0], 1);
  EXPECT_DOUBLE_EQ(Priors::from_counts(two, one, Vector{2, 2})[0], 3.0 / 5);
  EXPECT_DOUBLE_EQ(Priors::from_counts(two, one, Vector{2, 2})[1], 2.0 / 5);
  EXPECT_DOUBLE_EQ(Priors::from_counts(two, one, Vector{1, 1})[0], 2.0 / 3);
  // Unequal ones; a number for all leaves classes without rows out.
  EXPECT_DOUBLE_EQ(Priors::from_counts(two, Vector{7, 3}, Vector{2, 5})[0], 9.0 / 17);
  EXPECT_EQ(Priors::from_counts(two, one, 2)[1], 0);
  EXPECT_THROW(Priors::from_counts(two, one, Vector{2, -1}), InvalidArgument);
  EXPECT_THROW(Priors::from_counts(two, one, Vector{2}), InvalidArgument);
  EXPECT_THROW(Priors::from_counts(two, Vector{0, 0}, Vector{0, 0}), InvalidArgument);
}

TEST(Priors, FromCountsNeedRows) {
  EXPECT_THAT(message_of([] {
                Priors::from_counts(labels, Vector{0, 0, 0});
              }),
              HasSubstr("weight 0"));
  EXPECT_THAT(message_of([] {
                Priors::from_counts(labels, Vector{1, -1, 1});
              }),
              HasSubstr("'good' is -1"));
  EXPECT_THAT(message_of([] {
                Priors::from_counts(labels, Vector{1, 1});
              }),
              HasSubstr("3 classes"));
  EXPECT_THAT(message_of([] {
                Priors::from_counts(labels, Vector{1, 1, 1}, -1);
              }),
              HasSubstr("smoothing"));
}

}  // namespace
}  // namespace suffice::priors_test
