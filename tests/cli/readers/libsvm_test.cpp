#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/readers/formats.hpp"
#include "cli/readers/read_all.hpp"
#include "suffice/core/error.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli::testing {
namespace {

using ::suffice::testing::Folder;
using ::suffice::testing::message_of;
using ::suffice::testing::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Libsvm : public ::testing::Test {
 protected:
  ReadTable read(const std::string& text, int index_base = 1) {
    write_file(path_, text);
    InputOptions input;
    input.index_base = index_base;
    return read_all(path_, As::stated, 2, {}, input);
  }
  std::string message(const std::string& text, int index_base = 1) {
    return message_of<FileError>([&] { read(text, index_base); });
  }
  Folder folder_;
  std::string path_ = folder_ / "rows.libsvm";
};

TEST_F(Libsvm, ReadsWhatScikitLearnWrote) {
  for (const std::string name : {"base0.libsvm", "base1.libsvm"}) {
    SCOPED_TRACE(name);
    for (const Index block : {1, 3, 1000}) {
      InputOptions input;
      input.index_base = name == "base0.libsvm" ? 0 : 1;
      const ReadTable table = read_all(file(name), As::stated, block, {}, input);
      expect_same(table, expected(name));
      EXPECT_EQ(table.places.front(), file(name) + ":5");  // after four lines of comments
    }
  }
}

TEST_F(Libsvm, SaysWhereTheLabelIs) {
  const auto source = open_source(file("base1.libsvm"), {});
  EXPECT_EQ(source->own_label(), "label");
  EXPECT_TRUE(source->is_sparse());
  EXPECT_TRUE(source->in_lines());
}

TEST_F(Libsvm, CommentsBlankLinesOrderAndSpelling) {
  const ReadTable table = read(
      "# a comment\n\n+1 3:1 1:+2e1\t2:.5 # 9:9\r\n   \n1,4 qid:3 2:inf\nNA\n-1.50 1:-0 3:1e400");
  EXPECT_THAT(table.texts.at("label"), ElementsAre("+1", "1,4", std::nullopt, "-1.50"));
  EXPECT_THAT(table.numbers.at("x0"), ElementsAre(20, 0, 0, 0));
  EXPECT_THAT(table.numbers.at("x1"), ElementsAre(0.5, HUGE_VAL, 0, 0));
  EXPECT_THAT(table.numbers.at("x2"), ElementsAre(1, 0, 0, HUGE_VAL));
  EXPECT_EQ(table.places.back(), path_ + ":7");
}

TEST_F(Libsvm, ValuesAreKeptBitForBitUntilTheColumnsAreKnown) {
  // Bytes, floats and doubles, rows of each kind, so many that they need several pieces.
  const std::vector<std::vector<double>> kinds = {{1, 255, 0},  {0.5, -3, 256}, {0.1, 1e300, -2.5},
                                                  {-0.0, 1, 7}, {1e-40, 2, 3},  {}};
  std::string text;
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 60000; ++i) {
    const std::vector<double>& row = kinds[static_cast<std::size_t>(i) % kinds.size()];
    text += "label" + std::to_string(i % 3);
    for (std::size_t j = 0; j < row.size(); ++j)
      text += " " + std::to_string(1 + 300 * j * (1 + static_cast<std::size_t>(i) % 2)) + ":" +
              (std::signbit(row[j]) && row[j] == 0 ? "-0" : name_of(row[j]));
    text += "\n";
    std::vector<double> dense(1201);
    for (std::size_t j = 0; j < row.size(); ++j)
      dense[300 * j * (1 + static_cast<std::size_t>(i) % 2)] = row[j];
    rows.push_back(dense);
  }
  write_file(path_, text);
  const std::unique_ptr<Source> source = open_source(path_, {});
  const ReadTable table =
      read_all(*source, As::stated, 7000, {"label", "x0", "x300", "x600", "x1200"});
  EXPECT_EQ(table.columns.size(), 1 + 1201u);
  ASSERT_EQ(table.rows, 60000);
  for (const std::size_t j : {0, 300, 600, 1200})
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double found = table.numbers.at("x" + std::to_string(j))[i];
      ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(rows[i][j]))
          << "row " << i << ", column " << j;
    }
  EXPECT_EQ(table.texts.at("label")[59999], "label2");
  EXPECT_EQ(table.places[59999], path_ + ":60000");
}

TEST_F(Libsvm, TheBaseCanBeSaid) {
  EXPECT_EQ(read("a 1:5\n", 0).numbers.at("x1"), std::vector<double>{5});
  EXPECT_EQ(read("a 1:5\n", 1).numbers.at("x0"), std::vector<double>{5});
  EXPECT_THAT(message("a 1:5\nb 0:1\n"),
              AllOf(HasSubstr("rows.libsvm:2:"), HasSubstr("index_base")));
}

TEST_F(Libsvm, ErrorsSayLineAndColumn) {
  EXPECT_THAT(message("a 1:5\nb 2:1 7:x\n"),
              AllOf(HasSubstr("rows.libsvm:2:9:"), HasSubstr("'x', is not a number")));
  EXPECT_THAT(message("a 1:5 word\n"),
              AllOf(HasSubstr("rows.libsvm:1:7:"), HasSubstr("'word' is not of the form")));
  EXPECT_THAT(message("a 1:5 2:1 1:5\n"),
              AllOf(HasSubstr("rows.libsvm:1:11:"), HasSubstr("the index 1 comes twice")));
  EXPECT_THAT(message("1:5 2:1\n"), AllOf(HasSubstr("rows.libsvm:1:1:"), HasSubstr("label")));
  EXPECT_THAT(message("a -1:5\n"), HasSubstr("the index -1 is not between"));
  EXPECT_THAT(message("a 99999999999:5\n"), HasSubstr("is not between"));
  EXPECT_THAT(message("a 9999999999999999999999:5\n"), HasSubstr("is not of the form"));
  EXPECT_THAT(message("a 1:\n"), HasSubstr("is not a number"));
  EXPECT_THAT(message("\xff 1:1\n"), HasSubstr("not UTF-8"));
}

TEST_F(Libsvm, LinesLongerThanTheBuffer) {
  std::string text = "a";
  for (int i = 1; i <= 300000; ++i) text += " " + std::to_string(i) + ":1";
  const ReadTable table = read("b 1:2\n" + text + "\nc 300000:3");
  EXPECT_EQ(table.columns.size(), 300001u);
  EXPECT_THAT(table.numbers.at("x299999"), ElementsAre(0, 1, 3));
}

TEST_F(Libsvm, RowsNeedNoLookAtTheColumns) {
  write_file(path_, "a 1:5 3:2\nb 9:1\n");
  const auto source = open_libsvm(path_, {});
  source->select(SparseTargets{
      .label = {Target::Kind::text, 0}, .numbers = {{2, 0}}, .slots = {-1, 0, -1, 1}, .width = 2});
  Rows rows({.numbers = 1, .texts = 1, .sparse = 2}, 10);
  rows.begin_file(path_, true);
  EXPECT_FALSE(source->read(rows));
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.numbers(0)[0], 2);  // the index 3
  EXPECT_EQ(rows.numbers(1)[0], 0);
  EXPECT_TRUE(rows.sparse().value.empty());
  EXPECT_EQ(source->skipped_values(), 2);  // of the indices 1 and 9
}

}  // namespace
}  // namespace suffice::cli::testing
