#include "suffice/database/sums_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/database/sums_query.hpp"
#include "support/message_of.hpp"

namespace suffice::sums_answer_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

constexpr double null = std::numeric_limits<double>::quiet_NaN();

std::vector<SumsAnswer::Row> described(const char* scatter) {
  return {{.kind = "suffice", .value = 1},
          {.kind = "scatter", .name = scatter, .value = null},
          {.kind = "label", .name = "'y'", .value = null},
          {.kind = "feature", .i = 0, .j = 0, .name = "'p'", .value = 0},
          {.kind = "family", .i = 0, .name = "'gaussian'", .value = null},
          {.kind = "feature", .i = 1, .j = 0, .name = "'q'", .value = 1},
          {.kind = "family", .i = 1, .name = "'gaussian'", .value = null},
          {.kind = "description", .value = 6},
          {.kind = "type", .name = "'text'", .value = null}};
}

std::vector<SumsAnswer::Row> group(const char* label, Index part, double weight,
                                   std::vector<double> center, std::vector<double> deviation,
                                   std::vector<double> product) {
  const auto row = [&](const char* kind, double value, Index i = -1, Index j = -1) {
    return SumsAnswer::Row{
        .label = label, .part = part, .kind = kind, .i = i, .j = j, .value = value};
  };
  std::vector<SumsAnswer::Row> rows = {row("rows", weight), row("weight", weight),
                                       row("squared_weight", weight), row("bad_rows", 0),
                                       row("first_bad", null)};
  for (const Index i : {0, 1}) {
    rows.push_back(row("weight", std::isnan(center[i]) ? 0 : weight, i));
    rows.push_back(row("center", center[i], i));
    rows.push_back(row("deviation", deviation[i], i));
  }
  rows.push_back(row("product", product[0], 0, 0));
  rows.push_back(row("product", product[1], 1, 0));
  rows.push_back(row("product", product[2], 1, 1));
  return rows;
}

SumsAnswer answer_of(const std::vector<std::vector<SumsAnswer::Row>>& parts, double groups) {
  SumsAnswer answer;
  for (const auto& rows : parts)
    for (const SumsAnswer::Row& row : rows) answer.add(row);
  answer.add({.kind = "groups", .value = groups});
  return answer;
}

// Rows (1e9, 1), (1e9, 2), (1e9 + 1, 6) about the centers (1e9, 2): Σd = (1, 3), Σdd' = 1, 4, 17.
TEST(SumsAnswer, TheMeanKeepsWhatADoubleRoundsAway) {
  const Statistics statistics =
      answer_of({described("'dense'"), group("'a'", 1, 3, {1e9, 2}, {1, 3}, {1, 4, 17})}, 1)
          .statistics();
  EXPECT_EQ(statistics.schema().label(), "y");
  EXPECT_EQ(statistics.labels(), Names{"a"});
  const auto& [complete, present] = std::get<GaussianStatistics>(statistics.blocks()[0]).classes[0];
  EXPECT_TRUE(present.mean.empty());
  EXPECT_EQ(complete.weight, 3);
  EXPECT_EQ(complete.mean[0], 1e9 + 1.0 / 3);
  EXPECT_NEAR((complete.mean[0] - 1e9) + complete.mean_low[0], 1.0 / 3, 1e-16);
  EXPECT_GT(std::abs(complete.mean_low[0]), 1e-9);
  EXPECT_EQ(complete.mean[1], 3);
  EXPECT_NEAR(complete.scatter(0, 0), 2.0 / 3, 1e-15);
  EXPECT_NEAR(complete.scatter(1, 0), 3, 1e-15);
  EXPECT_EQ(complete.scatter(0, 1), complete.scatter(1, 0));
  EXPECT_NEAR(complete.scatter(1, 1), 14, 1e-14);
}

// Beside them a row (5, missing).
TEST(SumsAnswer, IncompleteRowsAreKeptApart) {
  const Statistics statistics =
      answer_of({described("'dense'"), group("'a'", 1, 3, {1e9, 2}, {1, 3}, {1, 4, 17}),
                 group("'a'", 0, 1, {5, null}, {0, null}, {0, null, null})},
                2)
          .statistics();
  EXPECT_EQ(statistics.weights()[0], 4);
  EXPECT_EQ(statistics.missing(), (Vector{0, 1}));
  const auto& [complete, present] = std::get<GaussianStatistics>(statistics.blocks()[0]).classes[0];
  EXPECT_EQ(complete.weight, 3);
  EXPECT_EQ(present.weight, (Vector{1, 0}));
  EXPECT_EQ(present.mean, (Vector{5, 0}));
  EXPECT_EQ(present.squares, (Vector{0, 0}));
}

TEST(SumsAnswer, TheDiagonal) {
  const Statistics statistics =
      answer_of({described("'diagonal'"), group("'a'", 0, 3, {1e9, 2}, {1, 3}, {1, 4, 17})}, 1)
          .statistics();
  const auto& gaussian = std::get<GaussianStatistics>(statistics.blocks()[0]);
  EXPECT_EQ(gaussian.kind, Scatter::diagonal);
  EXPECT_NEAR(gaussian.classes[0].present.squares[0], 2.0 / 3, 1e-15);
  EXPECT_NEAR(gaussian.classes[0].present.squares[1], 14, 1e-14);
}

TEST(SumsAnswer, WhatIsMissingIsNamed) {
  const auto rows = group("'a'", 1, 3, {1e9, 2}, {1, 3}, {1, 4, 17});
  for (std::size_t k = 0; k < rows.size(); ++k) {
    auto fewer = rows;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    const bool is_unused = rows[k].kind == "rows" || rows[k].kind == "first_bad" ||
                           (rows[k].kind == "weight" && rows[k].i >= 0);
    const SumsAnswer answer = answer_of({described("'dense'"), fewer}, 1);
    if (is_unused)
      EXPECT_NO_THROW(answer.statistics());
    else
      EXPECT_THAT(message_of<DataError>([&] { answer.statistics(); }),
                  HasSubstr("lacks the sum '" + std::string(rows[k].kind) + "'"));
  }
  EXPECT_THAT(message_of<DataError>([&] { answer_of({rows}, 1).statistics(); }),
              HasSubstr("description"));
  EXPECT_THAT(message_of<DataError>([&] {
                answer_of({described("'dense'"), rows}, 2).statistics();
              }),
              HasSubstr("1 groups of rows, and the table has 2"));
  EXPECT_THAT(message_of<DataError>([&] {
                answer_of({described("'dense'"), rows, rows}, 1);
              }),
              HasSubstr("twice"));
}

TEST(SumsQuery, RefusesWhatAnEngineCannotDo) {
  const Schema schema = Schema::numbered(2).with_label("y");
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { sums_query(schema, {.dialect = SqlDialect::sqlite}); }),
      HasSubstr("SQLite has no arrays"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { sums_query(Schema::numbered(2)); }),
              HasSubstr("the column that has the classes is unknown"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { sums_query(schema, {.table = "a\xff"}); }),
              HasSubstr("not UTF-8"));
  EXPECT_THAT(sums_query(schema, {.table = "it's.\"a.b\""}), HasSubstr("FROM \"it's\".\"a.b\" AS"));
}

TEST(SumsQuery, TypesOfColumns) {
  for (const char* type : {"INTEGER", "double precision", "DECIMAL(18,3)", "numeric(5,0)", "bigint",
                           "UTINYINT", "float", "real"})
    EXPECT_EQ(values_of_sql_type(type), SqlValues::numbers) << type;
  for (const char* type : {"VARCHAR", "text", "character varying", "character varying(20)",
                           "ENUM('a', 'b')", "boolean", "string"})
    EXPECT_EQ(values_of_sql_type(type), SqlValues::names) << type;
  for (const char* type : {"DATE", "timestamp with time zone", "INTEGER[]", "DECIMAL(9,2)[]",
                           "STRUCT(a INTEGER)", "bytea", "json"})
    EXPECT_EQ(values_of_sql_type(type), SqlValues::unsupported) << type;
}

}  // namespace
}  // namespace suffice::sums_answer_test
