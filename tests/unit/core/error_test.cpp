#include "suffice/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace suffice {
namespace {

using Features = std::vector<std::string>;

TEST(Error, TextIsPlaceSentenceAdvice) {
  EXPECT_STREQ(Error("it is wrong").what(), "it is wrong");
  EXPECT_STREQ(Error("it is wrong", "mend it").what(), "it is wrong; mend it");
  EXPECT_STREQ(DataError({.row = 7, .label = "cat", .features = {"age"}}, "bad", "mend it").what(),
               "row 7, class 'cat', feature 'age': bad; mend it");
  EXPECT_STREQ(DataError({.features = {"a", "b"}}, "bad").what(), "features 'a', 'b': bad");
}

TEST(Error, PlacesInFiles) {
  EXPECT_EQ((Place{.path = "t.csv", .line = 3}.text()), "t.csv:3");
  EXPECT_EQ((Place{.path = "t.csv", .line = 3, .column = 5}.text()), "t.csv:3:5");
  EXPECT_EQ((Place{.path = "t.csv", .line = 3, .column = 5, .features = {"age"}}.text()),
            "t.csv:3, feature 'age'");
  EXPECT_EQ((Place{.path = "t.parquet", .row = 0}.text()), "t.parquet, row 1");
  EXPECT_STREQ(FileError({.path = "t.csv"}, "'t.csv' is empty").what(), "'t.csv' is empty");
}

std::string shouted(const Option& option) { return "<" + option.name + ":" + option.value + ">"; }

TEST(Error, EdgesSpellOptionsAndFeatures) {
  const InvalidArgument error(
      {.features = {"age"}}, "no " + Option{"towards_tied"} + " here",
      "use " + Option{"shrinkage", "0"} + " or " + Option{"covariance", "tied"});
  EXPECT_STREQ(error.what(),
               "feature 'age': no towards_tied here; use shrinkage 0 or covariance 'tied'");
  EXPECT_EQ(error.text({.option = shouted, .feature = "column"}),
            "column 'age': no <towards_tied:> here; use <shrinkage:0> or <covariance:tied>");
}

TEST(Error, IsPartOfAnotherMessage) {
  const InvalidArgument inner({.label = "a"}, "no " + Option{"pca"}, "mend it");
  const FileError outer({.path = "m"}, "cannot read 'm': " + inner.message());
  EXPECT_STREQ(outer.what(), "cannot read 'm': class 'a': no pca; mend it");
  EXPECT_EQ(outer.text({.option = shouted}), "cannot read 'm': class 'a': no <pca:>; mend it");
}

TEST(Error, KeepsItsDataInCopies) {
  static_assert(std::is_nothrow_copy_constructible_v<Error>);
  static_assert(std::is_nothrow_copy_constructible_v<SingularError>);
  const SingularError error({.label = "a", .features = {"x", "y"}}, 1, 3, "singular", "more rows");
  const SingularError advised = error.advising("other columns");
  EXPECT_EQ(advised.label(), "a");
  EXPECT_EQ(advised.features(), (Features{"x", "y"}));
  EXPECT_EQ(advised.rank(), 1);
  EXPECT_EQ(advised.dimension(), 3);
  EXPECT_STREQ(advised.what(), "class 'a', features 'x', 'y': singular; other columns");
  EXPECT_STREQ(error.what(), "class 'a', features 'x', 'y': singular; more rows");
}

}  // namespace
}  // namespace suffice
