// Records and cells by hand, and the law that pieces and threads change nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "cli/readers/csv_text.hpp"
#include "cli/readers/source.hpp"
#include "suffice/core/error.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli {
namespace {

using ::suffice::testing::Folder;
using ::suffice::testing::message_of;
using ::suffice::testing::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Csv : public ::testing::Test {
 protected:
  std::unique_ptr<Source> open(const std::string& text, const InputOptions& input = {},
                               int threads = 2) {
    write_file(folder_ / "t.csv", text);
    return open_source(folder_ / "t.csv", {input, {.threads = threads}});
  }
  /// All cells as text.
  std::vector<std::vector<std::string>> texts(const std::string& text,
                                              const InputOptions& input = {}) {
    const auto source = open(text, input);
    const Index columns = std::ssize(source->look(0));
    std::vector<Target> targets;
    for (Index j = 0; j < columns; ++j) targets.push_back({Target::Kind::text, j});
    source->select(targets);
    Rows rows({.texts = columns}, 1000);
    rows.begin_file("t", true);
    while (source->read(rows)) {
    }
    std::vector<std::vector<std::string>> result;
    for (Index i = 0; i < rows.size(); ++i) {
      result.emplace_back();
      for (const TextColumn& column : rows.texts())
        result.back().emplace_back(column.is_missing(i) ? "<missing>" : std::string(column[i]));
    }
    return result;
  }
  std::vector<std::string> names(const std::string& text, const InputOptions& input = {}) {
    std::vector<std::string> result;
    for (const SourceColumn& column : open(text, input)->look(0)) result.push_back(column.name);
    return result;
  }
  /// The message of reading one number column and skipping the rest.
  std::string refusal(const std::string& text, const InputOptions& input = {}) {
    return message_of<FileError>([&] {
      const auto source = open(text, input);
      std::vector<Target> targets(source->look(100).size());
      targets.front() = {Target::Kind::number, 0};
      if (targets.size() > 1) targets[1] = {Target::Kind::text, 0};
      source->select(targets);
      Rows rows({.numbers = 1, .texts = 1}, 1 << 20);
      rows.begin_file("t", true);
      while (source->read(rows)) {
      }
    });
  }
  Folder folder_;
};

TEST_F(Csv, NamesAndCells) {
  EXPECT_THAT(names("a,b,c\n1,2,3\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(texts("a,b\n1,x\n2,y\n"), ElementsAre(ElementsAre("1", "x"), ElementsAre("2", "y")));
}

TEST_F(Csv, QuotesLineEndsAndMarks) {
  EXPECT_THAT(texts("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n"),
              ElementsAre(ElementsAre("x,y", "say \"hi\"")));
  EXPECT_THAT(texts("a,b\r\n1,2\r\n3,4\r\n"),
              ElementsAre(ElementsAre("1", "2"), ElementsAre("3", "4")));
  EXPECT_THAT(texts("a,b\n\"two\nlines\",\"2\"\r\n5,6"),
              ElementsAre(ElementsAre("two\nlines", "2"), ElementsAre("5", "6")));
  EXPECT_THAT(names("\xef\xbb\xbf"
                    "a,b\n1,2\n"),
              ElementsAre("a", "b"));
  // A quote inside a cell is a character; blank lines are no rows.
  EXPECT_THAT(texts("a,b\n5\" pipe,x\n\n\r\n7,y\n"),
              ElementsAre(ElementsAre("5\" pipe", "x"), ElementsAre("7", "y")));
}

TEST_F(Csv, MissingTokens) {
  EXPECT_THAT(texts("a,b,c,d,e,f,g\n,NA,NaN,null,?,\"\",  \n"),
              ElementsAre(ElementsAre("<missing>", "<missing>", "<missing>", "<missing>",
                                      "<missing>", "<missing>", "<missing>")));
  EXPECT_THAT(texts("a,b\n-999,None\n"), ElementsAre(ElementsAre("-999", "None")));
  EXPECT_THAT(texts("a,b\n-999,None\n", {.na = {"-999", "None"}}),
              ElementsAre(ElementsAre("<missing>", "<missing>")));
}

TEST_F(Csv, FindsTheSeparator) {
  EXPECT_THAT(names("a;b;c\n1,5;2,5;3\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names("a\tb\n1\t2\n"), ElementsAre("a", "b"));
  EXPECT_THAT(names("a|b\n1|2\n"), ElementsAre("a", "b"));
  EXPECT_THAT(names("only\n1\n"), ElementsAre("only"));
  EXPECT_THAT(names("a,b;c\n1,2;3\n", {.separator = ';'}), ElementsAre("a,b", "c"));
  // Commas inside quotes do not count.
  EXPECT_THAT(names("a;b\n\"x,y,z\";1\n\"x,y,z\";2\n"), ElementsAre("a", "b"));
}

TEST_F(Csv, WithoutNames) {
  EXPECT_THAT(names("1,2,x\n3,4,y\n", {.header = false}), ElementsAre("x0", "x1", "x2"));
  EXPECT_EQ(texts("1,2,x\n3,4,y\n", {.header = false}).size(), 2u);
}

TEST_F(Csv, KindsFromTheFirstLook) {
  const auto columns = open("n,t,m,i,b\n1,x,,inf,true\n2.5e3,3,NA,2,false\n")->look(100);
  EXPECT_EQ(columns[0].kind, CellKind::number);
  EXPECT_EQ(columns[1].kind, CellKind::text);
  EXPECT_EQ(columns[2].kind, CellKind::missing);
  EXPECT_EQ(columns[3].kind, CellKind::number);
  EXPECT_EQ(columns[4].kind, CellKind::text);
}

TEST_F(Csv, MessagesSayWhere) {
  EXPECT_THAT(refusal("age,b\n1,x\n2,x\nabc,x\n"),
              ::testing::AllOf(HasSubstr("t.csv:4, feature 'age': 'abc' is not a number"),
                               HasSubstr("family 'age=categorical'"), HasSubstr("na 'abc'")));
  EXPECT_THAT(refusal("a,b\n1,\"two\nlines\"\nabc,x\n"), HasSubstr("t.csv:4, feature 'a'"));
  EXPECT_THAT(refusal("a,b\n1,x\n2\n"),
              HasSubstr("t.csv:3: this record has 1 cell, but the table has 2"));
  EXPECT_THAT(refusal("a,b\n1,x,3\n"), HasSubstr("t.csv:2: this record has 3 cells"));
  EXPECT_THAT(refusal("a,b\n1,\"x\n2,y\n"),
              HasSubstr("t.csv:2: a quoted cell of this record never ends"));
  EXPECT_THAT(refusal("a,b\n1,\xff\xfe\n"),
              HasSubstr("t.csv:2, feature 'b': the text is not UTF-8"));
  EXPECT_THAT(refusal("a,a\n1,2\n"), HasSubstr("column 2 has the name 'a', like column 1"));
  EXPECT_THAT(refusal("Unnamed: 1,\n1,2\n"), HasSubstr("column 2 has the name 'Unnamed: 1'"));
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal("\n\n"), HasSubstr("only empty lines"));
  EXPECT_THAT(refusal("\xff\xfe"
                      "a\0"),
              HasSubstr("UTF-16"));
}

TEST_F(Csv, TheFirstMistakeIsTold) {
  std::string text = "a,b\n";
  for (int i = 0; i < 200000; ++i) text += i == 150000 || i == 70000 ? "bad,x\n" : "1.5,x\n";
  EXPECT_THAT(refusal(text), HasSubstr("t.csv:70002, feature 'a': 'bad' is not a number"));
}

/// Rows of every awkward kind, as text and as what they mean.
TEST_F(Csv, PiecesAndThreadsChangeNothing) {
  std::mt19937 random(7);
  std::string text = "number,text\n";
  std::vector<double> numbers;
  std::vector<std::string> words;
  for (int i = 0; i < 60000; ++i) {
    const double value = std::normal_distribution<>()(random);
    numbers.push_back(i % 17 == 0 ? NAN : value);
    std::string word, written;
    for (auto j = random() % 12; j-- > 0;) word += "ab,\"\n\r;x"[random() % 8];
    words.push_back("w" + word);
    written = "\"w";
    for (const char c : word) written += c == '"' ? std::string("\"\"") : std::string(1, c);
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    text += (i % 17 == 0 ? "" : digits) + std::string(",") + written + (i % 3 ? "\"\n" : "\"\r\n");
    if (i % 100 == 0) text += "\n";
  }
  for (const int threads : {1, 2, 5}) {
    const auto source = open(text, {}, threads);
    source->look(10);
    source->select({{Target::Kind::number, 0}, {Target::Kind::text, 0}});
    std::size_t at = 0;
    for (bool more = true; more;) {
      Rows rows({.numbers = 1, .texts = 1}, 777);
      rows.begin_file("t", true);
      more = source->read(rows);
      for (Index i = 0; i < rows.size(); ++i, ++at) {
        ASSERT_LT(at, numbers.size());
        ASSERT_TRUE(numbers[at] == rows.numbers(i)[0] ||
                    (std::isnan(numbers[at]) && std::isnan(rows.numbers(i)[0])))
            << at;
        ASSERT_EQ(rows.texts()[0][i], words[at]) << at;
      }
    }
    EXPECT_EQ(at, numbers.size());
  }
}

TEST_F(Csv, AVeryLongCell) {
  const std::string cell(10 << 20, 'x');
  const auto cells = texts("a,b\n" + cell + ",1\n\"" + cell + "\n" + cell + "\",2\n");
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0][0], cell);
  EXPECT_EQ(cells[1][0], cell + "\n" + cell);
}

TEST(Utf8, IsTold) {
  EXPECT_TRUE(is_utf8("plain, ü, €, 𝄞"));
  for (const char* text : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xff", "a\xe2\x82"})
    EXPECT_FALSE(is_utf8(text));
}

}  // namespace
}  // namespace suffice::cli
