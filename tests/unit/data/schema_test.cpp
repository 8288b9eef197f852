#include "suffice/data/schema.hpp"

#include <gmock/gmock.h>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::schema_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

const std::vector<Feature> mixed = {{"age", Family::gaussian},
                                    {"sex", Family::categorical, {"f", "m"}},
                                    {"height", Family::gaussian},
                                    {"visits", Family::poisson}};

TEST(Schema, MakesOneBlockForEachFamilyInTheOrderOfFirstOccurrence) {
  const Schema schema(mixed);
  ASSERT_EQ(schema.blocks().size(), 3u);
  EXPECT_EQ(schema.blocks()[0], (Block{Family::gaussian, {0, 2}}));
  EXPECT_EQ(schema.blocks()[1], (Block{Family::categorical, {1}}));
  EXPECT_EQ(schema.blocks()[2], (Block{Family::poisson, {3}}));
  EXPECT_THAT(schema.names(schema.blocks()[0]), ElementsAre("age", "height"));
}

TEST(Schema, KeepsGivenBlocks) {
  const Schema schema(mixed, {{2}, {1}, {0}, {3}});
  ASSERT_EQ(schema.blocks().size(), 4u);
  EXPECT_EQ(schema.blocks()[0], (Block{Family::gaussian, {2}}));
  EXPECT_EQ(schema.blocks()[2], (Block{Family::gaussian, {0}}));
}

TEST(Schema, RefusesFeaturesThatCannotBe) {
  EXPECT_THAT(message_of([] { Schema(std::vector<Feature>{}); }),
              HasSubstr("at least one feature"));
  EXPECT_THAT(message_of([] { Schema({{"a"}, {""}}); }), HasSubstr("feature 1 has an empty name"));
  EXPECT_THAT(message_of([] {
                Schema({{"a"}, {"b"}, {"a"}});
              }),
              HasSubstr("features 0 and 2 are both named 'a'"));
  EXPECT_THAT(message_of([] { Schema({{"a", Family::poisson, {"x"}}}); }), HasSubstr("levels"));
  EXPECT_THAT(message_of([] { Schema::numbered(0); }), HasSubstr("at least one feature"));
}

TEST(Schema, RefusesBlocksThatCannotBe) {
  EXPECT_THAT(message_of([] {
                Schema(mixed, {{0, 2}, {1}});
              }),
              HasSubstr("'visits' is in no block"));
  EXPECT_THAT(message_of([] {
                Schema(mixed, {{0, 2}, {1}, {3}, {0}});
              }),
              HasSubstr("'age' is in block 0 and again in block 3"));
  EXPECT_THAT(message_of([] {
                Schema(mixed, {{0, 1}, {2}, {3}});
              }),
              HasSubstr("'age' (gaussian) and 'sex' (categorical)"));
  EXPECT_THAT(message_of([] { Schema(mixed, {{0, 2}, {1}, {4}}); }), HasSubstr("feature number 4"));
  EXPECT_THAT(message_of([] {
                Schema(mixed, {{0, 2}, {1}, {-1}});
              }),
              HasSubstr("feature number -1"));
  EXPECT_THAT(message_of([] {
                Schema(mixed, {{0, 2}, {}, {1}, {3}});
              }),
              HasSubstr("block 1 has no"));
}

TEST(Schema, NumbersFeatures) {
  const Schema schema = Schema::numbered(3, Family::bernoulli);
  EXPECT_THAT(schema.names(schema.blocks()[0]), ElementsAre("x0", "x1", "x2"));
  EXPECT_EQ(schema.blocks()[0].family, Family::bernoulli);
}

TEST(Schema, CompatibilityNamesTheFirstDifference) {
  const Schema schema(mixed);
  std::vector<Feature> other = mixed;
  other[1].levels = {"x"};
  EXPECT_NO_THROW(schema.require_compatible(Schema(other), "merge"));
  other[2].name = "weight";
  EXPECT_THAT(message_of([&] { schema.require_compatible(Schema(other), "merge"); }),
              HasSubstr("cannot merge: feature 2 is 'height' in one schema and 'weight'"));
  other = mixed;
  other[3].family = Family::multinomial;
  EXPECT_THAT(message_of([&] { schema.require_compatible(Schema(other), "score"); }),
              HasSubstr("'visits' is poisson in one schema and multinomial"));
  EXPECT_THAT(message_of([&] {
                schema.require_compatible(Schema(mixed, {{0}, {1}, {2}, {3}}), "merge");
              }),
              HasSubstr("block 0 is 'age', 'height' in one schema and 'age'"));
  EXPECT_THAT(message_of([&] { schema.require_compatible(Schema::numbered(2), "merge"); }),
              HasSubstr("4 features and the other has 2"));
}

TEST(Schema, FamiliesHaveNames) {
  for (const Family family : {Family::gaussian, Family::bernoulli, Family::categorical,
                              Family::poisson, Family::multinomial})
    EXPECT_EQ(family_from_string(to_string(family)), family);
  EXPECT_THAT(message_of([] { family_from_string("normal"); }),
              HasSubstr("'normal'; the families are gaussian, bernoulli"));
}

TEST(Schema, KnowsTheColumnOfTheLabels) {
  const Schema schema(mixed);
  EXPECT_EQ(schema.label(), "");
  const Schema labelled = schema.with_label("species");
  EXPECT_EQ(labelled.label(), "species");
  EXPECT_EQ(labelled.features(), schema.features());
  EXPECT_EQ(labelled.blocks(), schema.blocks());
  EXPECT_FALSE(labelled == schema);
  EXPECT_NO_THROW(labelled.require_compatible(schema, "merge"));
}

}  // namespace
}  // namespace suffice::schema_test
