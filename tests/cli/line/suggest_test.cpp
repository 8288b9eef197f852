#include "cli/line/suggest.hpp"

#include <gmock/gmock.h>

namespace suffice::cli {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> verbs = {"fit", "predict", "evaluate", "stats", "merge"};

TEST(NearestTest, OneLetterMoreLessOrOtherIsNear) {
  EXPECT_EQ(nearest("fitt", verbs), "fit");
  EXPECT_EQ(nearest("predct", verbs), "predict");
  EXPECT_EQ(nearest("marge", verbs), "merge");
}

TEST(NearestTest, SwappedNeighboursAreOneMistake) { EXPECT_EQ(nearest("ift", verbs), "fit"); }

TEST(NearestTest, ABeginningIsNear) {
  EXPECT_EQ(nearest("eval", verbs), "evaluate");
  EXPECT_EQ(nearest("p", verbs), "predict");
}

TEST(NearestTest, CaseIsNoDifference) { EXPECT_EQ(nearest("Species", {"species"}), "species"); }

TEST(NearestTest, TheNearestOfSeveralWins) {
  EXPECT_EQ(nearest("tied-dia", {"tied", "diag", "tied-diag"}), "tied-diag");
  EXPECT_EQ(nearest("bill_lenght", {"bill_depth", "bill_length"}), "bill_length");
}

TEST(NearestTest, WhatIsFarIsNotSuggested) {
  EXPECT_EQ(nearest("xyz", verbs), "");
  EXPECT_EQ(nearest("", verbs), "");
  EXPECT_EQ(nearest("a", {"b"}), "");
  EXPECT_EQ(nearest(std::string(10000, 'x'), verbs), "");
  EXPECT_EQ(nearest("fit", {}), "");
}

TEST(DidYouMeanTest, SuggestsOrLists) {
  EXPECT_EQ(did_you_mean("fitt", verbs), " Did you mean 'fit'?");
  EXPECT_THAT(did_you_mean("xyz", verbs), HasSubstr("'fit', 'predict', 'evaluate'"));
  EXPECT_EQ(did_you_mean("xyz", {}), "");
}

TEST(MatchesTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", "anything"));
  EXPECT_TRUE(matches("x?", "x1"));
  EXPECT_FALSE(matches("x?", "x"));
  EXPECT_FALSE(matches("x?", "x12"));
  EXPECT_TRUE(matches("bill_*", "bill_length"));
  EXPECT_FALSE(matches("bill_*", "the_bill_length"));
  EXPECT_TRUE(matches("*_mm", "bill_length_mm"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(matches("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(matches("same", "same"));
  EXPECT_FALSE(matches("Same", "same"));
}

TEST(MatchesTest, AQuestionMarkIsOneCharacterOfUtf8) {
  EXPECT_TRUE(matches("gr?n", "grün"));
  EXPECT_TRUE(matches("*n", "grün"));
  EXPECT_FALSE(matches("gr??n", "grün"));
}

TEST(MatchesTest, ManyStarsTakeNoLongTime) {
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace suffice::cli
