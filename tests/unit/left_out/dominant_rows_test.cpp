// Rows that hold nearly all of a variance, left out one at a time by select: beside models of the
// other rows, summed up anew.

#include "left_out/dominant_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/select/select.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::dominant_rows_test {
namespace {

using namespace testing::left_out;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Shrinkage::Kind;

/// Row 7, of the class that varies most, is far away in one feature.
Table far_row(bool weighted) {
  Table table = gaussian_table({.classes = 2, .rows = 40, .features = 3, .weighted = weighted}, 80);
  table.x(7, 1) = 1e8;
  return table;
}

std::vector<Index> found_in(const Table& table) {
  std::vector<std::int32_t> label;
  for (const std::string& name : table.labels)
    label.push_back(
        static_cast<std::int32_t>(std::ranges::find(table.classes, name) - table.classes.begin()));
  return dominant_rows(table.statistics(), table.rows(), label, table.weights.data());
}

/// Error rate and log-loss of all rows, each by the model of the others and their frequencies.
std::pair<double, double> refits(const Table& table, const EstimateOptions& options) {
  double total = 0, errors = 0, log_loss = 0;
  for (Index i = 0; i < table.x.rows(); ++i) {
    const Table others = table.some([&](Index k) { return k != i; });
    const Table one = table.some([&](Index k) { return k == i; });
    const Statistics statistics = others.statistics();
    const Matrix scores = log_likelihood(estimate(statistics, options), one.x).values;
    std::vector<double> joint;
    for (Index c = 0; c < scores.cols(); ++c)
      joint.push_back(scores(0, c) + std::log(statistics.weights()[c]));
    const auto best = std::ranges::max_element(joint) - joint.begin();
    const auto truth = std::ranges::find(table.classes, table.labels[i]) - table.classes.begin();
    double sum = 0;
    for (const double value : joint) sum += std::exp(value - joint[best]);
    total += table.weights[i];
    errors += best == truth ? 0 : table.weights[i];
    log_loss += table.weights[i] * (std::log(sum) + (joint[best] - joint[truth]));
  }
  return {errors / total, log_loss / total};
}

const std::vector<EstimateOptions> candidates{
    {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()},
    {.covariance = Covariance::diag, .shrinkage = Shrinkage::none(), .inference = Inference::bayes},
    {.shrinkage = Shrinkage::none(), .inference = Inference::bayes},
    {.shrinkage = Shrinkage::none()},
    {.shrinkage = Shrinkage::share(0.3)},
    {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()},
    {.covariance = Covariance::tied_diag,
     .shrinkage = Shrinkage::none(),
     .inference = Inference::bayes}};

void expect_refits(const Table& table) {
  const Selection chosen = select(table.schema, table.rows(),
                                  {.candidates = candidates, .folds = 0, .calibrate = false});
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    SCOPED_TRACE(describe(candidates[j]));
    ASSERT_EQ(chosen.candidates[j].error.text(), "");
    const auto [error_rate, log_loss] = refits(table, candidates[j]);
    EXPECT_NEAR(chosen.candidates[j].score.error_rate, error_rate, 1e-12);
    EXPECT_NEAR(chosen.candidates[j].score.log_loss, log_loss, 1e-9 * (1 + log_loss));
  }
}

TEST(DominantRows, AreThoseWithNearlyAllSquaresOfAFeature) {
  for (const bool weighted : {false, true})
    EXPECT_THAT(found_in(far_row(weighted)), ElementsAre(7));
  EXPECT_THAT(found_in(gaussian_table({.classes = 2, .rows = 40, .features = 3}, 80)), IsEmpty());
  Table of_first_class = gaussian_table({.classes = 2, .rows = 40, .features = 3}, 80);
  of_first_class.x(6, 1) = 1e8;
  EXPECT_EQ(of_first_class.labels[6], of_first_class.classes[0]);
  EXPECT_THAT(found_in(of_first_class), ElementsAre(6));
  // Two of them share the squares: neither has nearly all.
  Table two = far_row(false);
  two.x(9, 1) = -1e8;
  EXPECT_THAT(found_in(two), IsEmpty());
  // A row of weight 0 has none.
  Table absent = far_row(false);
  absent.weights[7] = 0;
  EXPECT_THAT(found_in(absent), IsEmpty());
}

TEST(DominantRows, AreLeftOutAsModelsOfTheOthersSay) { expect_refits(far_row(false)); }

TEST(DominantRows, AreLeftOutWithTheirWeights) { expect_refits(far_row(true)); }

TEST(DominantRows, TakeTheirLevelsWithThem) {
  Table table = far_row(true);
  table.schema =
      Schema({{.name = "x0"},
              {.name = "x1"},
              {.name = "colour", .family = Family::categorical, .levels = {"0", "1", "2"}}});
  for (Index i = 0; i < table.x.rows(); ++i)
    table.x(i, 2) = i == 7 ? 2 : static_cast<double>(i * 7 % 11 % 2);
  expect_refits(table);
}

// Three classes of 50 rows of weight 0.02: W − K is what rounding makes of 0.
TEST(PriorOfFewRows, NeedsMoreThanRounding) {
  Table table = gaussian_table({.classes = 3, .rows = 150, .features = 3}, 81);
  for (double& weight : table.weights) weight = 0.02;
  const Statistics statistics = table.statistics();
  for (const Covariance covariance : {Covariance::full, Covariance::tied, Covariance::diag})
    for (const Inference how : {Inference::plugin, Inference::map, Inference::bayes})
      EXPECT_THROW(estimate(statistics, {.covariance = covariance, .inference = how}),
                   SingularError);
  EXPECT_NO_THROW(estimate(statistics, {.shrinkage = Shrinkage::none()}));
}

}  // namespace
}  // namespace suffice::dominant_rows_test
