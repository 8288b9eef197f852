// Several files as one table, and what its columns are for.

#include "cli/input/table.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "cli/input/plan.hpp"
#include "suffice/core/error.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli {
namespace {

using ::suffice::testing::Folder;
using ::suffice::testing::message_of;
using ::suffice::testing::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TableTest : public ::testing::Test {
 protected:
  Table table(const std::vector<std::string>& paths, InputOptions input = {}) {
    for (const std::string& path : paths)
      input.paths.push_back(path == "-" ? path : folder_ / path);
    return Table(input, {});
  }
  std::string refusal(const std::vector<std::string>& paths, const ColumnOptions& columns) {
    return message_of<Error>([&] {
      Table opened = table(paths);
      const Plan plan = plan_training(opened, columns);
      opened.select(plan.selection);
      for (Rows rows = opened.make_rows(); opened.next(rows);) {
      }
    });
  }
  std::vector<std::string> families(const Schema& schema) {
    std::vector<std::string> result;
    for (const Feature& feature : schema.features())
      result.push_back(feature.name + " " + std::string(to_string(feature.family)));
    return result;
  }
  void write(const std::string& name, const std::string& text) { write_file(folder_ / name, text); }
  Folder folder_;
};

TEST_F(TableTest, ExpandsFoldersAndPatternsInOrderOfName) {
  for (const char* name : {"b.csv", "a.csv", "notes.md", ".hidden.csv"}) write(name, "x\n1\n");
  EXPECT_THAT(expand_paths({folder_.path()}), ElementsAre(folder_ / "a.csv", folder_ / "b.csv"));
  EXPECT_THAT(expand_paths({folder_ / "*.csv"}), ElementsAre(folder_ / "a.csv", folder_ / "b.csv"));
  EXPECT_THAT(message_of<FileError>([&] { expand_paths({folder_ / "c*"}); }),
              HasSubstr("no file matches"));
  EXPECT_THAT(message_of<FileError>([&] { expand_paths({folder_ / "aa.csv"}); }),
              AllOf(HasSubstr("there is no file"), HasSubstr("did you mean 'a.csv'?")));
}

TEST_F(TableTest, MatchesColumnsByName) {
  write("a.csv", "x,y,l\n1,2,p\n");
  write("b.csv", "l,extra,y,x\nq,0,4,3\nr,0,6,5\n");
  Table both = table({"a.csv", "b.csv"});
  const Plan plan = plan_training(both, {.label = "l"});
  both.select(plan.selection);
  Rows rows = both.make_rows();
  ASSERT_TRUE(both.next(rows));
  ASSERT_EQ(rows.size(), 3);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(rows.numbers(i)[0], 1.0 + 2 * static_cast<double>(i));
    EXPECT_EQ(rows.numbers(i)[1], 2.0 + 2 * static_cast<double>(i));
  }
  EXPECT_EQ(rows.texts()[0][2], "r");
  EXPECT_EQ(rows.place(0).text(), folder_ / "a.csv:2");
  EXPECT_EQ(rows.place(2).text(), folder_ / "b.csv:3");
  EXPECT_FALSE(both.next(rows));
  write("b.csv", "l,x\nq,1\n");
  EXPECT_THAT(refusal({"a.csv", "b.csv"}, {.label = "l"}),
              AllOf(HasSubstr("b.csv' has no column 'y'")));
}

TEST_F(TableTest, TheFirstLookGoesOnInTheNextFile) {
  write("a.csv", "x,t,l\n,1,p\n");
  write("b.csv", "x,t,l\n5,word,q\n");
  Table both = table({"a.csv", "b.csv"});
  EXPECT_THAT(families(plan_training(both, {.label = "l"}).schema),
              ElementsAre("x gaussian", "t categorical"));
}

TEST_F(TableTest, FlagsOverruleTheLook) {
  write("a.csv", "age,code,visits,note,w,l\n1,2,3,x,1,p\n2,3,4,y,1,q\n");
  Table opened = table({"a.csv"});
  const Plan plan = plan_training(opened, {.label = "l",
                                           .weight = "w",
                                           .ignore = {"no*"},
                                           .families = {{"*", Family::poisson},
                                                        {"age", Family::gaussian},
                                                        {"co?e", Family::categorical}}});
  EXPECT_THAT(families(plan.schema),
              ElementsAre("age gaussian", "code categorical", "visits poisson"));
  EXPECT_EQ(plan.schema.label(), "l");
  EXPECT_THAT(plan.skipped, ElementsAre("note"));
  EXPECT_GE(plan.weight, 0);
  EXPECT_THAT(families(plan_training(opened, {.label = "l", .features = {"v*", "age"}}).schema),
              ElementsAre("age gaussian", "visits gaussian"));
}

TEST_F(TableTest, MistakesInNamesAreTold) {
  write("a.csv", "age,species\n1,p\n2,q\n");
  EXPECT_THAT(refusal({"a.csv"}, {.label = "specis"}),
              AllOf(HasSubstr("no column 'specis'"), HasSubstr("'species'")));
  EXPECT_THAT(refusal({"a.csv"}, {.label = "species", .weight = "wgt"}), HasSubstr("--weight"));
  EXPECT_THAT(refusal({"a.csv"}, {.label = "species", .ignore = {"agee"}}),
              AllOf(HasSubstr("--ignore"), HasSubstr("'age'")));
  EXPECT_THAT(refusal({"a.csv"}, {.label = "species", .families = {{"x*", Family::poisson}}}),
              HasSubstr("--family"));
  EXPECT_THAT(refusal({"a.csv"}, {.label = "species", .ignore = {"age"}}),
              HasSubstr("no column left to learn from"));
  write("n.csv", "5.1,3.5,setosa\n4.9,3.0,setosa\n");
  EXPECT_THAT(refusal({"n.csv"}, {.label = "species"}), HasSubstr("--no-header"));
}

TEST_F(TableTest, LabelsOfAFileOfTheirOwn) {
  write("x.csv", "a,b\n1,2\n3,4\n5,6\n");
  write("y.csv", "kind\np\nq\np\n");
  InputOptions input;
  input.labels_file = folder_ / "y.csv";
  Table opened = table({"x.csv"}, input);
  EXPECT_EQ(opened.own_label(), "kind");
  const Plan plan = plan_training(opened, {});
  EXPECT_EQ(plan.schema.label(), "kind");
  opened.select(plan.selection);
  Rows rows = opened.make_rows();
  ASSERT_TRUE(opened.next(rows));
  EXPECT_EQ(rows.texts()[plan.label][1], "q");
  EXPECT_FALSE(opened.next(rows));
  for (const auto& [labels, what] :
       {std::pair("kind\np\n", "fewer"), {"kind\np\np\np\np\n", "more"}}) {
    write("y.csv", labels);
    EXPECT_THAT(message_of<FileError>([&] {
                  Table other = table({"x.csv"}, input);
                  other.select(plan_training(other, {}).selection);
                  for (Rows some = other.make_rows(); other.next(some);) {
                  }
                }),
                HasSubstr(std::string("has ") + what + " labels"));
  }
}

TEST_F(TableTest, BlocksAreCutByTheRowNumberAlone) {
  std::string all = "x,l\n";
  std::vector<std::string> parts;
  constexpr int count = 150000;
  for (int i = 0; i < count; ++i) {
    const std::string row = std::to_string(i) + ",p\n";
    all += row;
    if (i % 40007 == 0) parts.push_back("x,l\n");
    parts.back() += row;
  }
  write("all.csv", all);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    names.push_back("part" + std::to_string(i) + ".csv");
    write(names.back(), parts[i]);
  }
  const auto sizes = [&](const std::vector<std::string>& files) {
    Table opened = table(files);
    opened.select(plan_training(opened, {.label = "l"}).selection);
    std::vector<Index> result;
    double expected = 0;
    for (Rows rows = opened.make_rows(); opened.next(rows);) {
      result.push_back(rows.size());
      for (Index i = 0; i < rows.size(); ++i) EXPECT_EQ(rows.numbers(i)[0], expected++);
    }
    EXPECT_EQ(expected, count);
    return result;
  };
  EXPECT_EQ(sizes({"all.csv"}), sizes(names));
  EXPECT_GT(sizes(names).size(), 1u);
}

TEST_F(TableTest, NumbersThatMeanMissing) {
  write("a.csv", "x,l\n-999,p\n-999.0,q\n1,NA\n");
  InputOptions input;
  input.na = {"-999"};
  Table opened = table({"a.csv"}, input);
  const Plan plan = plan_training(opened, {.label = "l"});
  opened.select(plan.selection);
  Rows rows = opened.make_rows();
  ASSERT_TRUE(opened.next(rows));
  EXPECT_TRUE(std::isnan(rows.numbers(0)[0]));
  EXPECT_TRUE(std::isnan(rows.numbers(1)[0]));
  EXPECT_EQ(rows.numbers(2)[0], 1);
  EXPECT_TRUE(rows.texts()[plan.label].is_missing(2));
  rows.keep_only({1, 0, 1});
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.place(1).text(), folder_ / "a.csv:4");
}

TEST_F(TableTest, PlacesInMessagesOfTheLibrary) {
  write("a.csv", "x,l\n1,p\ninf,q\n");
  Table opened = table({"a.csv"});
  const Plan plan = plan_training(opened, {.label = "l"});
  opened.select(plan.selection);
  Rows rows = opened.make_rows();
  ASSERT_TRUE(opened.next(rows));
  Statistics statistics(plan.schema);
  const std::string message = message_of<FileError>(
      [&] { with_places(rows, [&] { statistics.update(view(plan, rows)); }); });
  EXPECT_THAT(message, AllOf(HasSubstr("a.csv:3, class 'q', feature 'x': the value is inf"),
                             ::testing::Not(HasSubstr("row 1"))));
}

}  // namespace
}  // namespace suffice::cli
