#include "cli/output/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace suffice::cli {
namespace {

TEST(JsonTest, NumbersReadBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -2.5e-10, 123456789012345680.0})
    EXPECT_EQ(Json::parse(dump(to_json(value))).get<double>(), value);
}

TEST(JsonTest, WhatIsNotFiniteIsAString) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Vector values{1.5, inf, -inf, std::nan("")};
  EXPECT_EQ(dump(to_json(values)), "[1.5,\"inf\",\"-inf\",\"nan\"]\n");
}

TEST(JsonTest, MatricesAreListsOfRows) {
  EXPECT_EQ(to_json(Matrix{{1, 2, 3}, {4, 5, 6}}), Json::parse("[[1,2,3],[4,5,6]]"));
  EXPECT_EQ(to_json(Matrix(2, 0)), Json::parse("[[],[]]"));
}

TEST(JsonTest, AMatrixMayComeAsTheValueOfAMember) {
  const Json json = {
      {"labels", {"\"matrix\":null", "b"}}, {"of", {{"matrix", nullptr}}}, {"end", 1}};
  Json expected = json;
  for (const Matrix& matrix :
       {Matrix{{1, 0, -0.0}, {0.5, std::nan(""), 1e300}}, Matrix(2, 0), Matrix()}) {
    expected["of"]["matrix"] = to_json(matrix);
    EXPECT_EQ(dump(json, "matrix", matrix), dump(expected));
  }
  EXPECT_THROW(dump(json, "end", Matrix()), std::logic_error);
}

TEST(JsonTest, NamesAreStringsInOrder) {
  EXPECT_EQ(to_json(Names{"10", "9"}), Json::parse(R"(["9","10"])"));
}

TEST(JsonTest, KeysKeepTheirOrderAndBadBytesAreReplaced) {
  Json json;
  json["z"] =
      "a\xff"
      "b";
  json["a"] = "line\nend \"quoted\" ü";
  const std::string text = dump(json);
  EXPECT_EQ(text,
            "{\"z\":\"a\xEF\xBF\xBD"
            "b\",\"a\":\"line\\nend \\\"quoted\\\" ü\"}\n");
}

}  // namespace
}  // namespace suffice::cli
