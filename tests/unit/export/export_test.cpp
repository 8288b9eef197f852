#include "suffice/export/export.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "export/formula.hpp"
#include "export/onnx_graph.hpp"
#include "export/sql_dialect.hpp"
#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice::export_test {

/// N(0, 1) and N(2, 1) of one feature.
Model two_classes(Vector weights) {
  GaussianDensity density;
  density.structure = Covariance::diag;
  density.mean = Matrix(2, 1);
  density.mean(1, 0) = 2;
  Matrix variance(2, 1);
  variance(0, 0) = variance(1, 0) = 1;
  density.covariance = {variance};
  return Model({.schema = Schema::numbered(1),
                .labels = {"a", "b"},
                .weights = std::move(weights),
                .densities = {density}});
}

// The examples of the encoding page of protocol buffers.
TEST(Export, ProtocolBuffers) {
  ProtoMessage number;
  number.add_number(1, 150);
  EXPECT_EQ(number.bytes(), "\x08\x96\x01");
  ProtoMessage text;
  text.add_bytes(2, "testing");
  EXPECT_EQ(text.bytes(), "\x12\x07testing");
  ProtoMessage outer;
  outer.add_message(3, number);
  EXPECT_EQ(outer.bytes(), "\x1a\x03\x08\x96\x01");
}

TEST(Export, Numbers) {
  EXPECT_EQ(decimal_text(0.1), "0.1");
  EXPECT_EQ(exponent_text(42), "4.2e+01");
  EXPECT_EQ(hexadecimal_text(1.5), "0x1.8p+0");
  EXPECT_EQ(hexadecimal_text(-0.25), "-0x1p-2");
}

TEST(Export, Utf8) {
  for (const char* good : {"", "plain", "Größe", "\xf0\x9f\x90\xa7"}) EXPECT_TRUE(is_utf8(good));
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "a\x80"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

TEST(Export, SumsAreNotNestedDeeply) {
  const std::string sum = sql_sum(std::vector<std::string>(10'000, "x"));
  EXPECT_EQ(std::ranges::count(sum, 'x'), 10'000);
  EXPECT_EQ(std::ranges::count(sum, '+'), 9'999);
  int depth = 0, deepest = 0;
  for (const char c : sum) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_LT(deepest, 20);
}

TEST(Export, SqlNames) {
  const SqlSyntax& postgres = syntax_of(SqlDialect::postgres);
  const SqlSyntax& spark = syntax_of(SqlDialect::spark);
  EXPECT_EQ(sql_name(postgres, "a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(sql_name(spark, "a`b\""), "`a``b\"`");
  EXPECT_EQ(sql_string(postgres, "it's \\"), "'it''s \\'");
  EXPECT_EQ(sql_string(spark, "it's \\"), "'it\\'s \\\\'");
  EXPECT_EQ(sql_table(postgres, "main.birds"), "\"main\".\"birds\"");
  EXPECT_EQ(sql_table(postgres, "\"a.b\".c"), "\"a.b\".\"c\"");
  EXPECT_THROW(sql_table(postgres, "a."), InvalidArgument);
  EXPECT_THROW(sql_table(postgres, "\"a"), InvalidArgument);
}

TEST(Export, FormulaOfANormalDensity) {
  const Formula formula = make_formula(two_classes({3, 1}), {});
  ASSERT_EQ(formula.blocks.size(), 1u);
  const auto& terms = std::get<IndependentTerms>(formula.blocks[0].terms);
  // log N(x; 2, 1) at x = 3: t = 3 − 2, and −½ log 2π − ½.
  const double t = (3 - terms.center[0]) * terms.scale(1, 0) - terms.mean(1, 0);
  EXPECT_DOUBLE_EQ(t, 1);
  EXPECT_DOUBLE_EQ(terms.constant(1, 0), -0.91893853320467274178);
  EXPECT_DOUBLE_EQ(formula.prior[0], 0.75);
  EXPECT_TRUE(formula.cost.empty());
  EXPECT_FALSE(needs_logarithms(formula));
}

TEST(Export, ClassWithoutRows) {
  const Formula formula = make_formula(two_classes({1, 0}), {});
  EXPECT_EQ(formula.possible, (std::vector<bool>{true, false}));
  const std::string text = export_model(two_classes({1, 0}), ExportTarget::c);
  EXPECT_NE(text.find("raw[1] = -model_INFINITY"), std::string::npos);
}

TEST(Export, OptionsOfOtherTargets) {
  const Model model = two_classes({1, 1});
  EXPECT_THROW(export_model(model, ExportTarget::json, {.real = Real::float32}), InvalidArgument);
  EXPECT_THROW(export_model(model, ExportTarget::c, {.table = "t"}), InvalidArgument);
  EXPECT_THROW(export_model(model, ExportTarget::c, {.name = "1st"}), InvalidArgument);
  EXPECT_THROW(export_model(model, ExportTarget::json, {.labels = {"one"}}), InvalidArgument);
  EXPECT_THROW(
      export_model(model, ExportTarget::json, {.priors = Priors::uniform(Names{"x", "y"})}),
      InvalidArgument);
  for (const ExportTarget target : export_targets())
    EXPECT_EQ(export_target_from_string(to_string(target)), target);
  EXPECT_THROW(export_target_from_string("java"), InvalidArgument);
}

}  // namespace suffice::export_test
