// Expected values come from std::from_chars and from the decimal literals themselves.

#include "cli/readers/number_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>

namespace suffice::cli {
namespace {

/// What read_plain_number makes of the text: the double, or nothing where it leaves it to others.
std::optional<double> plain(const std::string& text) {
  const std::string padded = text + "," + std::string(16, '7');  // digits behind the separator
  double value = 0;
  const char* const end = read_plain_number(padded.data(), value);
  if (!end || *end != ',' || end != padded.data() + text.size()) return std::nullopt;
  return value;
}

double exact_value(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

TEST(PlainNumber, ReadsWhatTablesHave) {
  EXPECT_EQ(plain("0"), 0.0);
  EXPECT_EQ(plain("7"), 7.0);
  EXPECT_EQ(plain("-12"), -12.0);
  EXPECT_EQ(plain("0.5"), 0.5);
  EXPECT_EQ(plain(".25"), 0.25);
  EXPECT_EQ(plain("3."), 3.0);
  EXPECT_EQ(plain("0.1"), 0.1);
  EXPECT_EQ(plain("12345678"), 12345678.0);
  EXPECT_EQ(plain("123456789.125"), 123456789.125);
  EXPECT_EQ(plain("18446744073709551615"), std::nullopt);  // 20 digits: left to from_chars
  EXPECT_EQ(plain("9999999999999999999"), 9999999999999999999.0);
  EXPECT_TRUE(std::signbit(*plain("-0")));
  EXPECT_TRUE(std::signbit(*plain("-0.0")));
}

TEST(PlainNumber, LeavesEverythingElse) {
  for (const char* text : {"", "-", ".", "-.", "abc", "+1", "1e5", "1.5E-3", "nan", "inf", " 1",
                           "0x10", "1.2.3", "--1", "1_000", "٣"})
    EXPECT_EQ(plain(text), std::nullopt) << text;
}

/// The law: where it answers, the bits are those of from_chars.
void expect_same_bits(const std::string& text) {
  const std::optional<double> value = plain(text);
  if (value) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*value), std::bit_cast<std::uint64_t>(exact_value(text)))
        << text;
  }
}

TEST(PlainNumber, HasTheBitsOfFromChars) {
  std::mt19937_64 random(20261115);
  char text[64];
  int answered = 0;
  constexpr int rounds = 300000;
  for (int i = 0; i < rounds; ++i) {
    const double value = std::bit_cast<double>((random() & ~(std::uint64_t{0x7f} << 56)) |
                                               (std::uint64_t{0x3f} << 56));
    const auto shortest = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed);
    expect_same_bits({text, shortest.ptr});
    answered += plain({text, shortest.ptr}).has_value();
    // Up to 19 digits with a point anywhere.
    std::string digits = random() % 2 ? "-" : "";
    const auto count = 1 + random() % 19, point = random() % 20;
    for (std::uint64_t j = 0; j < count; ++j) {
      if (j == point) digits += '.';
      digits += static_cast<char>('0' + random() % 10);
    }
    expect_same_bits(digits);
    answered += plain(digits).has_value();
  }
  EXPECT_GT(answered, rounds);  // the fast path is taken, or this test says nothing
}

TEST(PlainNumber, RoundsTiesAsFromCharsDoes) {
  // Halfway between two doubles: 2^53 + 1, and decimals of 2^52 + 0.5.
  for (const char* text :
       {"9007199254740993", "9007199254740993.0", "9007199254740992.5", "4503599627370497.5",
        "4503599627370496.5", "4503599627370498.50", "1125899906842624.125", "1125899906842624.375",
        "0.000000000000000001", "0.00000000000000000000000001"})
    expect_same_bits(text);
}

TEST(ParseNumber, TakesWhatPeopleWrite) {
  EXPECT_EQ(parse_number(" 1.5 "), 1.5);
  EXPECT_EQ(parse_number("+3"), 3.0);
  EXPECT_EQ(parse_number("1e3"), 1000.0);
  EXPECT_EQ(parse_number("1.5E-3"), 0.0015);
  EXPECT_EQ(parse_number("1e400"), INFINITY);
  EXPECT_EQ(parse_number("-1e400"), -INFINITY);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("inf"), INFINITY);
  EXPECT_EQ(parse_number("-Infinity"), -INFINITY);
}

TEST(ParseNumber, RefusesTheRest) {
  for (const char* text :
       {"", " ", "nan", "NaN", "1,5", "1.5x", "+-1", "++1", "one", "0x1p3", "$5"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace suffice::cli
