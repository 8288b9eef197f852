#include "estimate/keep.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "suffice/core/error.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/io/file.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/score/log_likelihood.hpp"
#include "suffice/select/choose.hpp"
#include "suffice/select/select.hpp"
#include "suffice/train/estimate_with_rows.hpp"
#include "support/message_of.hpp"

namespace suffice::keep_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<std::string> labels = {"a", "a", "b", "b"};
/// The means of the classes are 1 and 5, 10 and 10, 1 and 2, 3 and 7; squares about them within
/// classes 2 + 8, 2 + 8, 0.5 + 0.5, 2 + 8.
const Matrix four = {{0, 9, 0.5, 2}, {2, 11, 1.5, 4}, {3, 8, 1.5, 5}, {7, 12, 2.5, 9}};

Statistics sums(Scatter scatter = Scatter::dense) {
  Statistics statistics(Schema::numbered(4), {.scatter = scatter});
  statistics.update(RowBlock(four, Column(labels)));
  return statistics;
}

std::vector<std::string> names(const Model& model) {
  std::vector<std::string> result;
  for (const Feature& feature : model.schema().features()) result.push_back(feature.name);
  return result;
}

// Of one variance for both classes J is the squared distance of the means over it: 16 / (10 / 4),
// 0, 1 / (1 / 4), 16 / (10 / 4).
TEST(Keep, RanksByDivergence) {
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal, Scatter::thin}) {
    const Vector apart =
        divergences_to_keep(sums(scatter), resolve({.covariance = Covariance::tied_diag}));
    EXPECT_NEAR(apart[0], 6.4, 1e-14);
    EXPECT_EQ(apart[1], 0);
    EXPECT_NEAR(apart[2], 4, 1e-14);
    EXPECT_NEAR(apart[3], 6.4, 1e-14);
  }
}

TEST(Keep, KeepsTheLargestAndOfEqualOnesTheFirst) {
  const auto kept = [](Index count) {
    return names(estimate(sums(), {.covariance = Covariance::tied_diag, .keep = count}));
  };
  EXPECT_THAT(kept(1), ElementsAre("x0"));
  EXPECT_THAT(kept(2), ElementsAre("x0", "x3"));
  EXPECT_THAT(kept(3), ElementsAre("x0", "x2", "x3"));
  EXPECT_THAT(kept(4), ElementsAre("x0", "x1", "x2", "x3"));
  EXPECT_THAT(kept(100), ElementsAre("x0", "x1", "x2", "x3"));
}

TEST(Keep, KeepsThoseAboveANumber) {
  const auto kept = [](double least) {
    return names(estimate(sums(), {.covariance = Covariance::tied_diag, .keep_above = least}));
  };
  EXPECT_THAT(kept(0), ElementsAre("x0", "x2", "x3"));
  EXPECT_THAT(kept(3.9), ElementsAre("x0", "x2", "x3"));
  EXPECT_THAT(kept(4.1), ElementsAre("x0", "x3"));
  EXPECT_THAT(message_of([&] { kept(7); }),
              AllOf(HasSubstr("by more than 7"), HasSubstr("the largest divergence is 6.4"),
                    HasSubstr("'x0'"), HasSubstr("smaller keep_above")));
}

// A feature that is the same throughout each class would be kept before all others, and no model
// can have it; one that is the same in all rows separates nothing.
TEST(Keep, KnowsFeaturesWithoutVariance) {
  const Matrix rows = {{1, 3, 0}, {1, 3, 2}, {2, 3, 1}, {2, 3, 9}};
  Statistics statistics(Schema::numbered(3));
  statistics.update(RowBlock(rows, Column(labels)));
  const EstimateOptions options = resolve({.covariance = Covariance::tied, .keep = 1});
  EXPECT_THROW(estimate(statistics, options), SingularError);
  const std::vector<Index> others{1, 2};
  const Vector apart = divergences_to_keep(subset(statistics, others), options);
  EXPECT_EQ(apart[0], 0);
  EXPECT_NEAR(apart[1], 16 / (34. / 4), 1e-14);  // the means are 1 and 5, the squares 2 + 32
}

TEST(Keep, TellsWhatItFound) {
  const Model model = estimate(sums(), {.covariance = Covariance::tied_diag, .keep = 2});
  const EstimateFound& found = model.parts().found;
  EXPECT_THAT(found.all_features, ElementsAre(4));
  EXPECT_THAT(found.kept_features, ElementsAre(2));
  EXPECT_NEAR(found.least_divergence.at(0), 6.4, 1e-14);
  EXPECT_NEAR(found.next_divergence.at(0), 4, 1e-14);
  EXPECT_EQ(model.parts().options->keep, 2);
  EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
  const Model whole = estimate(sums(), {.covariance = Covariance::tied_diag, .keep = 9});
  EXPECT_THAT(whole.parts().found.kept_features, ElementsAre(4));
  EXPECT_TRUE(whole.parts().found.next_divergence.empty());
}

TEST(Keep, ComesBeforeProjections) {
  // Of x1 and all others, the direction of most variance would be another one.
  const Model model =
      estimate(sums(), {.covariance = Covariance::tied, .keep = 1, .pca = Pca{.components = 1}});
  EXPECT_THAT(names(model), ElementsAre("x0"));
  EXPECT_EQ(std::get<GaussianDensity>(model.densities()[0]).projection.matrix.rows(), 1);
}

TEST(Keep, RefusesWhatCannotBe) {
  EXPECT_THAT(message_of([] { resolve({.keep = 0}); }), HasSubstr("at least 1"));
  EXPECT_THAT(message_of([] { resolve({.keep_above = -1}); }), HasSubstr("at least 0"));
  EXPECT_THAT(message_of([] { resolve({.keep_above = INFINITY}); }), HasSubstr("finite"));
  EXPECT_THAT(message_of([] { resolve({.keep = 1, .keep_above = 1}); }),
              HasSubstr("leave one of the two out"));
  EXPECT_THAT(*no_leave_one_out(Schema::numbered(2), {.keep = 1}),
              HasSubstr("kept features change with every row"));
  Statistics one(Schema::numbered(1));
  const Matrix rows = {{1}, {2}};
  one.update(RowBlock(rows, Column(std::vector<std::string>{"a", "a"})));
  EXPECT_THAT(message_of([&] { estimate(one, {.keep = 1}); }), HasSubstr("only one has rows"));
}

// A row that lacks only a number that is not kept is complete: rows know it, sums do not.
TEST(Keep, RowsThatLackAnotherNumberHaveAPart) {
  Matrix rows(40, 3);
  std::vector<std::string> of;
  for (Index i = 0; i < rows.rows(); ++i) {
    of.push_back(i % 2 ? "b" : "a");
    rows(i, 0) = static_cast<double>(i * 7 % 11) + (i % 2 ? 20 : 0);
    rows(i, 1) = i % 3 == 0 ? nan : static_cast<double>(i * 5 % 13);
    rows(i, 2) = static_cast<double>(i * 3 % 7) - (i % 2 ? 9 : 0);
  }
  const RowBlock block(rows, Column(of));
  Statistics all(Schema::numbered(3));
  all.update(block);
  const EstimateOptions options{.covariance = Covariance::tied, .keep = 2};
  const Model model = estimate_with_rows(all, [&](const auto& use) { use(block); }, options,
                                         {.missing = MissingNumbers::automatic});
  EXPECT_THAT(names(model), ElementsAre("x0", "x2"));
  EXPECT_EQ(model.parts().options->keep, 2);
  const std::vector<Index> kept{0, 2};
  Statistics alone(Schema::numbered(3).subset(kept));
  alone.update(block.columns(kept));
  const Model expected = estimate(alone, {.covariance = Covariance::tied});
  EXPECT_EQ(std::get<GaussianDensity>(model.densities()[0]),
            std::get<GaussianDensity>(expected.densities()[0]));
}

TEST(Keep, TwinsAndMixturesHaveTheKeptColumns) {
  Matrix rows(60, 3);
  std::vector<std::string> of;
  for (Index i = 0; i < rows.rows(); ++i) {
    of.push_back(i % 2 ? "b" : "a");
    rows(i, 0) = static_cast<double>(i * 7 % 11);
    rows(i, 1) = static_cast<double>(i * 5 % 13) + (i % 2 ? 9 : 0);
    rows(i, 2) = static_cast<double>(i * 3 % 17) - (i % 2 ? 9 : 0) + (i % 4 < 2 ? 0 : 30);
  }
  const RowBlock block(rows, Column(of));
  Statistics all(Schema::numbered(3));
  all.update(block);
  const RowPass pass = [&](const auto& use) { use(block); };
  const std::vector<Index> second{1};
  const RowPass pass_of_second = [&](const auto& use) { use(block.columns(second)); };
  Statistics alone(Schema::numbered(3).subset(second));
  alone.update(block.columns(second));
  for (EstimateOptions options :
       {EstimateOptions{.covariance = Covariance::tied, .discriminative = true, .penalty = 1.0},
        EstimateOptions{.covariance = Covariance::diag, .components = 2}}) {
    const Model expected = estimate_with_rows(alone, pass_of_second, options);
    options.keep = 1;
    const Model model = estimate_with_rows(all, pass, options);
    EXPECT_THAT(names(model), ElementsAre("x1"));
    EXPECT_EQ(model.logistic(), expected.logistic());
    EXPECT_EQ(model.mixture(), expected.mixture());
    EXPECT_EQ(log_likelihood(model, block.columns(second)).values,
              log_likelihood(expected, block.columns(second)).values);
  }
}

// Sums beside the rows are in the models of all folds: the figures are those of estimates from them
// and the rows of the other folds.
TEST(Keep, FoldsLearnFromSumsBesideTheirRows) {
  Matrix rows(90, 3);
  std::vector<std::string> of, fold;
  for (Index i = 0; i < rows.rows(); ++i) {
    of.push_back(i % 2 ? "b" : "a");
    fold.push_back(std::to_string(i % 3));
    for (Index j = 0; j < 3; ++j)
      rows(i, j) = static_cast<double>((i + 1) * (j + 3) * 7 % (23 + j)) +
                   static_cast<double>(i % 2 ? 3 * j : 0);
  }
  const RowBlock all(rows, Column(of));
  const RowBlock scored = all.slice(0, 30);
  const Schema schema = Schema::numbered(3);
  Statistics beside(schema);
  beside.update(all.slice(30, 60));
  const EstimateOptions options{.covariance = Covariance::tied, .keep = 2};
  Selector selector(schema, {.candidates = {options}, .calibrate = false});
  const Column folds = Column(Strings(std::span<const std::string>(fold).first(30)));
  selector.learn_beside(beside);
  selector.learn(scored, folds);
  selector.score(scored, folds);
  const Selection selection = selector.finish();
  double loss = 0;
  for (Index f = 0; f < 3; ++f) {
    Vector weights(30);
    for (Index i = 0; i < 30; ++i) weights[i] = i % 3 == f ? 0 : 1;
    Statistics training = beside;
    training.update(RowBlock(scored).weights(weights));
    const Model model = estimate(training, options);
    const Matrix p = posteriors(
        log_likelihood(model, scored.columns(positions_of_columns(schema, model.schema()))),
        Priors::from_counts(model));
    for (Index i = f; i < 30; i += 3) loss -= std::log(p(i, i % 2));
  }
  EXPECT_NEAR(selection.candidates[0].score.log_loss, loss / 30, 1e-12);
  EXPECT_EQ(selection.candidates[0].score.rows, 30);
  const std::vector<std::string> strange(60, "c");
  Statistics other(schema);
  other.update(all.slice(30, 60).labels(strange));
  Selector again(schema, {.candidates = {options}, .calibrate = false});
  again.learn_beside(other);
  again.learn(scored, folds);
  EXPECT_THAT(message_of([&] { again.score(scored, folds); }), HasSubstr("the same classes"));
}

TEST(Keep, RowsHaveSomeOfTheirColumns) {
  const std::vector<double> first = {1, 2};
  const std::vector<std::string> sexes = {"f", "m"};
  const Matrix x = {{3, 4, 5}, {6, 7, 8}};
  RowBlock rows(2);
  rows.feature(first).features(x).feature(sexes);
  const std::vector<Index> some{3, 1, 4};
  RowBlock part = rows.columns(some);
  EXPECT_EQ(part.feature_count(), 3);
  EXPECT_EQ(part.spot(0).part->kind, RowBlock::Part::Kind::matrix);
  EXPECT_EQ(part.spot(0).column, 2);
  EXPECT_EQ(part.spot(2).part->kind, RowBlock::Part::Kind::column);
  const std::vector<Index> again{2, 0};
  EXPECT_EQ(part.columns(again).spot(1).column, 2);
  part.feature(first);
  EXPECT_EQ(part.feature_count(), 4);
  EXPECT_EQ(part.spot(3).part, &part.parts().back());
  EXPECT_EQ(part.slice(1, 1).feature_count(), 4);
  const std::vector<Index> outside{5};
  EXPECT_THAT(message_of([&] { rows.columns(outside); }), HasSubstr("no column 5"));
  EXPECT_THAT(message_of([&] { rows.columns({}); }), HasSubstr("at least one column"));
}

TEST(Keep, SchemasHaveSomeOfTheirFeatures) {
  const Schema schema({{.name = "n"},
                       {.name = "w", .family = Family::poisson},
                       {.name = "m"},
                       {.name = "s", .family = Family::categorical}});
  const std::vector<Index> some{3, 0};
  const Schema part = schema.with_label("y").subset(some);
  EXPECT_THAT(part.columns(), ElementsAre("n", "s"));
  EXPECT_EQ(part.blocks().size(), 2u);
  EXPECT_EQ(part.label(), "y");
  EXPECT_THAT(positions_of_columns(schema, part), ElementsAre(0, 3));
  EXPECT_THAT(message_of([&] { positions_of_columns(part, schema); }), HasSubstr("'w'"));
  const std::vector<Index> outside{4};
  EXPECT_THAT(message_of([&] { schema.subset(outside); }), HasSubstr("no feature 4"));
  EXPECT_THAT(message_of([&] { schema.subset({}); }), HasSubstr("at least one feature"));
}

}  // namespace
}  // namespace suffice::keep_test
