#include "cli/output/text.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace suffice::cli {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(ExactTest, ReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -123456.789, 1e22, 0.1 + 0.2})
    EXPECT_EQ(std::strtod(exact(value).c_str(), nullptr), value) << exact(value);
  EXPECT_EQ(exact(0.1), "0.1");
  EXPECT_EQ(exact(inf), "inf");
  EXPECT_EQ(exact(-inf), "-inf");
  EXPECT_EQ(exact(-std::nan("")), "nan");
}

TEST(RoundedTest, KeepsTheDigitsThatMatter) {
  EXPECT_EQ(rounded(0.032456), "0.03246");
  EXPECT_EQ(rounded(12.3), "12.3");
  EXPECT_EQ(rounded(12345.678), "12346");
  EXPECT_EQ(rounded(1.2e-8), "1.2e-08");
  EXPECT_EQ(rounded(-0.0), "0");
  EXPECT_EQ(rounded(2.0 / 3, 2), "0.67");
  EXPECT_EQ(rounded(-inf), "-inf");
}

TEST(FigureTest, KeepsItsLastZeros) {
  EXPECT_EQ(figure(0.064), "0.06400");
  EXPECT_EQ(figure(12, 3), "12.0");
  EXPECT_EQ(figure(0), "0");
  EXPECT_EQ(figure(12345.678), "12346");
  EXPECT_EQ(figure(1.25e-9, 3), "1.25e-09");
}

TEST(FiguresTest, OfAColumnHaveTheSameDecimals) {
  EXPECT_THAT(figures(std::vector{0.98039, 0.913, std::nan("")}),
              ::testing::ElementsAre("0.980", "0.913", "–"));
  EXPECT_THAT(figures(std::vector{1.0, 0.5, 0.0}), ::testing::ElementsAre("1.00", "0.50", "0.00"));
  EXPECT_THAT(figures(std::vector{0.98, 0.00012}), ::testing::ElementsAre("0.980", "0.00012"));
  EXPECT_THAT(figures(std::vector{inf, 2.0}), ::testing::ElementsAre("inf", "2.00"));
}

TEST(WithDeviationTest, BothHaveTheDecimalsOfTheDeviation) {
  EXPECT_EQ(with_deviation(38.7712, 2.6134), "38.77 ± 2.61");
  EXPECT_EQ(with_deviation(3706.16, 458.6), "3706 ± 459");
  EXPECT_EQ(with_deviation(0.034783, 0.01203, 2), "0.035 ± 0.012");
  EXPECT_EQ(with_deviation(3.25, 0), "3.25 ± 0");
}

TEST(CountedTest, GroupsThousands) {
  EXPECT_EQ(counted(0), "0");
  EXPECT_EQ(counted(999), "999");
  EXPECT_EQ(counted(1000), "1,000");
  EXPECT_EQ(counted(1234567), "1,234,567");
  EXPECT_EQ(counted(-123456), "-123,456");
  EXPECT_EQ(counted(1234.5), "1,234.5");
  EXPECT_EQ(counted(0.1 + 0.2), "0.3");
  EXPECT_EQ(counted(1e20), "1e+20");
}

TEST(CountedTest, OneAndMany) {
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1234, "class", "classes"), "1,234 classes");
}

TEST(RunTimeTest, HasUnits) {
  EXPECT_EQ(run_time(0.000057), "0.06 ms");
  EXPECT_EQ(run_time(0.0123), "12 ms");
  EXPECT_EQ(run_time(0.25), "250 ms");
  EXPECT_EQ(run_time(2.14), "2.1 s");
  EXPECT_EQ(run_time(75), "75 s");
}

TEST(BytesForPeopleTest, HasUnits) {
  EXPECT_EQ(bytes_for_people(512), "512 bytes");
  EXPECT_EQ(bytes_for_people(1500), "1.5 kB");
  EXPECT_EQ(bytes_for_people(23e6), "23 MB");
  EXPECT_EQ(bytes_for_people(999.9e6), "1.0 GB");
}

// Standard output of a test is no terminal, or one without a promise; so nothing here depends on it
// but through lines that are short.
TEST(TextTableTest, ColumnsStandUnderEachOther) {
  TextTable table({"name", "rows"});
  table.add({"a", "1"});
  table.add({"grün", "1,234"});
  const Terminal terminal(false, false);
  const std::string heading = terminal.styled("name   rows", Style::bold);
  EXPECT_EQ(table.render(terminal), heading + "\na         1\ngrün  1,234\n");
}

TEST(TextTableTest, AlignmentIsAsAskedFor) {
  TextTable table({"", ""}, {TextTable::Align::right, TextTable::Align::left});
  table.add({"a", "1"});
  table.add({"bbb", "22"});
  EXPECT_EQ(table.render(Terminal(false, false)), "  a  1\nbbb  22\n");
}

TEST(TextTableTest, DecimalPointsStandBelowEachOther) {
  TextTable table({"", ""}, {TextTable::Align::left, TextTable::Align::decimal});
  table.add({"a", "38.77 ± 2.61"});
  table.add({"b", "3706 ± 459"});
  table.add({"c", "-"});
  EXPECT_EQ(table.render(Terminal(false, false)),
            "a    38.77 ±   2.61\n"
            "b  3706    ± 459\n"
            "c     -\n");
}

TEST(TextTableTest, ShortRowsAreFilledAndControlCharactersShown) {
  TextTable table({"a", "b", "c"});
  table.add({"x\033[31m", "two\nlines"});
  const std::string text = table.render(Terminal(false, false));
  EXPECT_THAT(text, ::testing::HasSubstr("x\\u001b[31m  two\\u000alines\n"));
}

TEST(PrintableTest, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\tb\nc"), "a b\\u000ac");
  EXPECT_EQ(printable_lines("a\tb\nc\r"), "a\tb\nc\\u000d");
  EXPECT_EQ(printable("\u00e9 \u4e2d \U0001f600 \u0627"), "\u00e9 \u4e2d \U0001f600 \u0627");
  EXPECT_EQ(printable("\x7f|\u009b|\u061c|\u200f|\u2028|\u202e|\u2066|\u2069"),
            "\\u007f|\\u009b|\\u061c|\\u200f|\\u2028|\\u202e|\\u2066|\\u2069");
  // Bytes that are not UTF-8: a lone C1 control, one too long, one cut off.
  EXPECT_EQ(printable("a\x9b|\xc1\x9b|\xe4\xb8"), "a\uFFFD|\uFFFD\uFFFD|\uFFFD\uFFFD");
  // Our own colours only, and only where there are colours.
  EXPECT_EQ(printable_lines("\033[1mx\033[0m\033[2J", true), "\033[1mx\033[0m\\u001b[2J");
  EXPECT_EQ(printable_lines("\033[1mx"), "\\u001b[1mx");
}

}  // namespace
}  // namespace suffice::cli
