#include "cli/output/writer.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <thread>

#include "cli/line/error.hpp"
#include "cli/output/row_text.hpp"
#include "support/folder.hpp"
#include "support/message_of.hpp"

namespace suffice::cli {
namespace {

using testing::Folder;
using ::testing::HasSubstr;
using testing::message_of;
using testing::read_file;

TEST(WriterTest, AFileAppearsWhenItIsFinished) {
  const Folder folder;
  Writer writer(folder / "a.csv");
  EXPECT_FALSE(writer.is_standard_output());
  std::string all;
  for (int i = 0; i < 30000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    writer.write(line);
    all += line;
  }
  EXPECT_EQ(access((folder / "a.csv").c_str(), F_OK), -1);
  writer.finish();
  EXPECT_EQ(read_file(folder / "a.csv"), all);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriterTest, NothingOfAnUnfinishedFileRemains) {
  const Folder folder;
  {
    Writer writer(folder / "a.csv");
    writer.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(WriterTest, AFolderThatIsMissingIsSaidAtOnce) {
  const Folder folder;
  EXPECT_THAT(message_of<FileError>([&] { Writer writer(folder / "none/a.csv"); }),
              HasSubstr("none/a.csv': No such file or directory"));
  EXPECT_THAT(message_of<FileError>([&] { Writer writer(folder.path()); }), HasSubstr("a folder"));
}

TEST(WriterTest, AFullDiskIsSaid) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this system has no /dev/full";
  Writer writer("/dev/full");
  EXPECT_THAT(message_of<FileError>([&] {
                writer.write("text");
                writer.finish();
              }),
              HasSubstr("'/dev/full': No space left on device"));
}

TEST(WriterTest, APipeIsWrittenToAsItIs) {
  const Folder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(path); });
  Writer writer(path);
  writer.write("through the pipe");
  writer.finish();
  reader.join();
  EXPECT_EQ(got, "through the pipe");
}

TEST(WriterTest, WhereNobodyReadsAnyMoreThePipeIsClosed) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  Writer writer("/dev/fd/" + std::to_string(ends[1]));
  writer.write("text");
  EXPECT_THROW(writer.finish(), ClosedPipe);
  ::close(ends[1]);
  std::signal(SIGPIPE, before);
}

TEST(WriterTest, EmptyAndDashAreStandardOutput) {
  EXPECT_TRUE(Writer("").is_standard_output());
  EXPECT_TRUE(Writer("-").is_standard_output());
}

std::string csv(std::string_view cell) {
  std::string line;
  append_csv_cell(line, cell);
  return line;
}

TEST(CsvCellTest, QuotesWhereTheyAreNeeded) {
  EXPECT_EQ(csv(""), "");
  EXPECT_EQ(csv("plain"), "plain");
  EXPECT_EQ(csv("two words"), "two words");
  EXPECT_EQ(csv("a,b"), "\"a,b\"");
  EXPECT_EQ(csv("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv("cr\r"), "\"cr\r\"");
  EXPECT_EQ(csv(" blank"), "\" blank\"");
  EXPECT_EQ(csv("blank\t"), "\"blank\t\"");
}

TEST(CsvCellTest, TheSeparatorOfTheFileNeedsQuotes) {
  std::string line;
  RowText row({.separator = '\t'}, line);
  for (const char* cell : {"a,b", "a\tb", "a"}) row.add(cell);
  row.add_nothing();
  row.add(0.5);
  row.add(0.25, 6);
  row.end_row();
  EXPECT_EQ(line, "a,b\t\"a\tb\"\ta\t\t0.5\t0.25\n");
}

TEST(NumberTest, ShortestDigitsThatReadBack) {
  for (const double value : {0.1, -1.0 / 3, 1e300, 5e-324, 3.0, 0.1 + 0.2}) {
    std::string line = "x,";
    append_number(line, value);
    EXPECT_EQ(std::strtod(line.c_str() + 2, nullptr), value) << line;
  }
  std::string line;
  append_number(line, 0.1);
  line += ',';
  append_number(line, std::numeric_limits<double>::infinity());
  line += ',';
  append_number(line, -std::numeric_limits<double>::infinity());
  line += ',';
  append_number(line, std::nan(""));
  EXPECT_EQ(line, "0.1,inf,-inf,nan");
}

/// Compared with printf, whose digits are exact.
void expect_digits(double value, int digits) {
  char expected[64];
  std::snprintf(expected, sizeof expected, "%.*g", digits, value);
  std::string text = "x,";
  append_number(text, value, digits);
  EXPECT_EQ(text, std::string("x,") + expected) << digits << " digits";
  std::string line;
  RowText row(TextFormat{}, line);
  row.add(value, digits);
  row.end_row();
  EXPECT_EQ(line, std::string(expected) + "\n") << digits << " digits";
}

TEST(NumberTest, SignificantDigitsAreThoseOfPrintf) {
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> unit(0, 1), exponent(-330, 20);
  for (int i = 0; i < 20000; ++i) {
    const int digits = 1 + i % 12;
    expect_digits(unit(random), digits);
    expect_digits(-std::pow(10, exponent(random)), digits);
    expect_digits(1 - std::pow(10, -10 * unit(random)), digits);
    expect_digits((std::floor(1e6 * unit(random)) + 0.5) / 1e6, 6);  // near the middle of two
  }
  for (int k = -320; k < 12; ++k) {
    const double power = std::strtod(("1e" + std::to_string(k)).c_str(), nullptr);
    for (const double value : {power, std::nextafter(power, 0), std::nextafter(power, 1e300),
                               9.5 * power, 9.999995 * power, 9.9999949 * power, 5 * power})
      for (int digits = 1; digits <= 10; ++digits) expect_digits(value, digits);
  }
  for (const double value :
       {0.0, -0.0, 1.0, 0.5, 0.0625, 999999.5, 999999.4, 99999.95, 123456789.0})
    for (int digits = 1; digits <= 10; ++digits) expect_digits(value, digits);
}

}  // namespace
}  // namespace suffice::cli
