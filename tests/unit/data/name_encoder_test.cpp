#include "data/name_encoder.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace suffice::name_encoder_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::int32_t> list(const EncodedNames& encoded) {
  return {encoded.code.data(), encoded.code.data() + encoded.code.size()};
}

EncodedNames encode(const Column& column, const Names& known, const double* weights, int threads) {
  Workers workers({.threads = threads}, threads);
  return encode_names(column, known, weights, workers);
}

TEST(NameEncoder, GivesCodesInTheOrderInWhichNamesAreMet) {
  const std::vector<std::string> words = {"b", "a", "b", "c"};
  const Column column(words);
  NameEncoder encoder(column);
  std::int32_t codes[4];
  encoder.read(0, 4, codes, nullptr);
  EXPECT_THAT(codes, ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(encoder.names(), ElementsAre("b", "a", "c"));
  const Names known{"c", "d"};
  NameEncoder with_known(column, known);
  with_known.read(0, 4, codes, nullptr);
  EXPECT_THAT(codes, ElementsAre(2, 3, 2, 0));
  EXPECT_THAT(with_known.names(), ElementsAre("c", "d", "b", "a"));
}

TEST(NameEncoder, ACopyLearnsAlone) {
  const std::vector<int> values = {7, 8, 9};
  const Column column(values);
  NameEncoder first(column);
  std::int32_t code = 0;
  first.read(0, 1, &code, nullptr);
  NameEncoder second = first;
  EXPECT_EQ(&second.names(), &first.names());
  second.read(1, 1, &code, nullptr);
  EXPECT_EQ(code, 1);
  first.read(2, 1, &code, nullptr);
  EXPECT_EQ(code, 1);
  EXPECT_THAT(first.names(), ElementsAre("7", "9"));
  EXPECT_THAT(second.names(), ElementsAre("7", "8"));
}

TEST(NameEncoder, TellsWhetherEveryRowHasAName) {
  std::vector<double> values(20'000, 3.0);
  std::vector<double> weights(values.size(), 1.0);
  EXPECT_TRUE(encode(Column(values), {}, nullptr, 2).complete);
  EXPECT_TRUE(encode(Column(values), {"3"}, nullptr, 2).complete);
  weights[12'345] = 0;
  EXPECT_FALSE(encode(Column(values), {}, weights.data(), 2).complete);
  values[19'999] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(encode(Column(values), {"3"}, nullptr, 2).complete);
}

// Values that are too far apart for a table are kept beside it, and move into it when it grows over
// them.
TEST(NameEncoder, KeepsTheCodesOfIntegersWhenItsTableGrows) {
  std::vector<std::int64_t> values = {0, 100'000, std::numeric_limits<std::int64_t>::min()};
  for (std::int64_t value = 0; value <= 100'000; value += 500) values.push_back(value);
  for (const std::int64_t value : {std::int64_t{-40'000}, std::int64_t{100'000}})
    values.push_back(value);
  const EncodedNames encoded = encode_names(Column(values));
  ASSERT_EQ(encoded.names.size(), 201 + 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(encoded.names[encoded.code[static_cast<Index>(i)]], name_of(values[i])) << i;
}

TEST(NameEncoder, EqualNamesOfDifferentCodesAreOne) {
  const std::vector<std::int8_t> codes = {2, 0, 1, -1};
  const std::vector<std::string> names = {"x", "y", "x"};
  const EncodedNames encoded = encode_names(Column(codes.data(), 4, Strings(names)));
  EXPECT_THAT(encoded.names.list(), ElementsAre("x", "y"));
  EXPECT_THAT(list(encoded), ElementsAre(0, 0, 1, NameReader::missing));
}

TEST(NameEncoder, DoesNotLookAtRowsWithoutWeight) {
  const std::vector<double> values = {3, std::numeric_limits<double>::infinity(), 1, 2, 0.5};
  const std::vector<std::string> words = {"c", "z", "a", "b", "a"};
  const double weights[] = {1, 0, 0.5, 0, 2};
  const EncodedNames numbers = encode(Column(values), {}, weights, 1);
  EXPECT_THAT(numbers.names.list(), ElementsAre("0.5", "1", "3"));
  EXPECT_THAT(list(numbers), ElementsAre(2, -1, 1, -1, 0));
  const EncodedNames strings = encode(Column(words), {}, weights, 1);
  EXPECT_THAT(strings.names.list(), ElementsAre("a", "c"));
  EXPECT_THAT(list(strings), ElementsAre(1, -1, 0, -1, 0));
  EXPECT_THAT(encode(Column(values), {}, nullptr, 1).code[1], NameReader::infinite);
}

// Names that first occur far down, in different orders, on any number of threads.
TEST(NameEncoder, ThreadsAndPlacesOfNamesDoNotMatter) {
  constexpr Index n = 200'000;
  std::vector<std::int32_t> values(n);
  std::vector<std::string> words(n);
  for (Index i = 0; i < n; ++i) {
    values[i] = static_cast<std::int32_t>((n - i) / 40'000 * 1000 + i % 3);
    words[i] = "w" + std::to_string(values[i]);
  }
  for (const int threads : {1, 4}) {
    for (const Column& column : {Column(values), Column(words)}) {
      const EncodedNames encoded = encode(column, {}, nullptr, threads);
      ASSERT_EQ(encoded.names.size(), 5 * 3 + 1);
      for (Index i = 0; i < n; ++i)
        ASSERT_EQ(encoded.names[encoded.code[i]], column.kind == Column::Kind::numbers
                                                      ? name_of(std::int64_t{values[i]})
                                                      : words[i]);
    }
    const Names known{"0", "absent"};
    const EncodedNames encoded = encode(Column(values), known, nullptr, threads);
    EXPECT_EQ(encoded.names.size(), 5 * 3 + 2);
    EXPECT_EQ(encoded.names[encoded.code[n - 1]], name_of(std::int64_t{values[n - 1]}));
  }
}

TEST(NameEncoder, AColumnWithoutRowsHasTheKnownNames) {
  const std::vector<int> none;
  const Names known{"a"};
  const EncodedNames encoded = encode(Column(none), known, nullptr, 2);
  EXPECT_EQ(encoded.names, known);
  EXPECT_THAT(list(encoded), IsEmpty());
}

}  // namespace
}  // namespace suffice::name_encoder_test
