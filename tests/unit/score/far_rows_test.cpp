// Rows whose squares and products are beyond a double: scores are numbers or −inf, and what can be
// told is told. A table's "no data" is often -1.797e308.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "suffice/decide/decide.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/predict/predictor.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/score/linear.hpp"
#include "suffice/train/logistic.hpp"

namespace suffice::far_rows_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double most = std::numeric_limits<double>::max();
constexpr std::array far = {most, 1e307, 1e200, 1e160, 1e154, 1e100, 1e20};

/// Two classes of 60 rows of three features, the second 3 deviations to the right in the first one.
struct Rows {
  explicit Rows(double scale) : x(120, 3) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < 3; ++j) x(i, j) = scale * normal(random);
      if (i % 2 == 1) x(i, 0) += 3 * scale;
      labels.push_back(i % 2 == 0 ? "left" : "right");
    }
  }
  Matrix x;
  std::vector<std::string> labels;
};

Statistics sums_of(const Rows& rows, Scatter scatter = Scatter::dense) {
  Statistics sums(Schema::numbered(3), {.scatter = scatter});
  sums.update(RowBlock(rows.x, rows.labels));
  return sums;
}

/// Rows that are far in one or two features, some of which lack another.
Matrix far_rows() {
  std::vector<std::array<double, 3>> rows;
  for (const double x : far)
    for (const double sign : {1.0, -1.0}) {
      rows.push_back({sign * x, 0, 0});
      rows.push_back({sign * x, nan, 0});
      rows.push_back({0, sign * x, -sign * x});
      rows.push_back({sign * x, -sign * x, x});
    }
  Matrix result(std::ssize(rows), 3);
  for (Index i = 0; i < result.rows(); ++i) std::ranges::copy(rows[i], result.row(i).begin());
  return result;
}

void expect_answers(const Model& model, const Matrix& rows) {
  for (const bool relative : {false, true}) {
    const LogLikelihoods scores = log_likelihood(model, rows, {.relative = relative});
    for (const double score : scores.values.map().reshaped())
      EXPECT_TRUE(score < std::numeric_limits<double>::infinity()) << score;
  }
  PredictorOptions alone{.wanted = {.posteriors = true}}, beside = alone;
  beside.wanted.log_likelihoods = !model.logistic();
  beside.wanted.ratios = beside.wanted.log_posteriors = true;
  const Predictions first = predict(model, rows, alone), second = predict(model, rows, beside);
  const std::vector<Index> best = best_class(model, rows, Priors::from_counts(model).log());
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto p = first.posteriors.row(i);
    EXPECT_NEAR(p[0] + p[1], 1, 1e-12) << i;
    EXPECT_EQ(p[0], second.posteriors(i, 0)) << "row " << i;
    EXPECT_EQ(first.decisions.classes[i], second.decisions.classes[i]);
    EXPECT_GE(p[first.decisions.classes[i]], 0.5);
    EXPECT_EQ(std::max<Index>(best[i], 0), first.decisions.classes[i]);
    for (Index c = 0; c < 2; ++c) EXPECT_FALSE(std::isnan(second.log_posteriors(i, c)));
  }
}

TEST(FarRows, HaveAnswersInEveryStructure) {
  const Matrix rows = far_rows();
  for (const double scale : {1.0, 1e-100, 1e100})
    for (const Covariance structure :
         {Covariance::full, Covariance::tied, Covariance::diag, Covariance::tied_diag,
          Covariance::spherical, Covariance::tied_spherical})
      for (const Inference kind : {Inference::plugin, Inference::bayes}) {
        SCOPED_TRACE(std::string(to_string(structure)) + " " + std::to_string(scale));
        const Model model =
            estimate(sums_of(Rows(scale)), {.covariance = structure, .inference = kind});
        expect_answers(model, rows);
        expect_answers(model.with_calibration(Calibration{{0.5}, {0, 0.1}}), rows);
      }
}

/// With one covariance the log-odds are w (x − ½), so the sign of x decides however large it is.
TEST(FarRows, AreDecidedByLinearScores) {
  const Matrix rows = far_rows();
  for (const Covariance structure :
       {Covariance::tied, Covariance::tied_diag, Covariance::tied_spherical}) {
    const Model model = estimate(sums_of(Rows(1)), {.covariance = structure});
    const Matrix p =
        predict(model, rows, {.wanted = {.posteriors = true, .log_likelihoods = true}}).posteriors;
    for (Index i = 0; i < rows.rows(); i += 4)
      EXPECT_EQ(p(i, rows(i, 0) > 0 ? 1 : 0), 1) << to_string(structure) << " " << rows(i, 0);
  }
}

/// The same where another feature is missing: 1e154 is beyond the digits of any square.
TEST(FarRows, WithAGapAreDecidedByLinearScoresToo) {
  for (const Covariance structure :
       {Covariance::tied, Covariance::tied_diag, Covariance::tied_spherical}) {
    const Model model = estimate(sums_of(Rows(1)), {.covariance = structure});
    for (const double x : {30.0, 1e15, -1e20, 1e100, -1e154, 1e300, -most}) {
      Matrix row(1, model.schema().size());
      std::fill_n(row.data(), row.size(), nan);
      row(0, 0) = x;
      const Predictions found =
          predict(model, row, {.wanted = {.posteriors = true, .log_likelihoods = true}});
      EXPECT_EQ(found.posteriors(0, x > 0 ? 1 : 0), 1) << to_string(structure) << " " << x;
    }
    // Near rows: as the marginal densities say.
    Matrix row(1, model.schema().size());
    std::fill_n(row.data(), row.size(), nan);
    row(0, 0) = 0.75;
    const LogLikelihoods full = log_likelihood(model, row),
                         relative = log_likelihood(model, row, {.relative = true});
    EXPECT_NEAR(relative.values(0, 1) - relative.values(0, 0),
                full.values(0, 1) - full.values(0, 0), 1e-12);
  }
}

TEST(FarRows, OfThinStatisticsToo) {
  Statistics sums(Schema::numbered(3), {.scatter = Scatter::thin});
  const Rows few(1);
  sums.update(RowBlock(few.x, few.labels).slice(0, 6));
  for (const Covariance structure : {Covariance::full, Covariance::tied})
    expect_answers(estimate(sums, {.covariance = structure}), far_rows());
}

TEST(FarRows, OfLogisticRegressionWithSquares) {
  const Rows train(1);
  const RowPass pass = [&](const auto& use) { use(RowBlock(train.x, train.labels)); };
  for (const Covariance structure : {Covariance::tied, Covariance::full, Covariance::diag})
    expect_answers(
        fit_logistic(estimate(sums_of(train), {.covariance = structure}), pass, {.penalty = 1.0})
            .model,
        far_rows());
}

TEST(FarRows, OfLinearFunctions) {
  const LinearFunctions functions{.w = {{2, -1}, {1.5, 2}}, .c = {0, 1}};
  const Matrix rows = {{most, most}, {-most, most}, {-most, -most}};
  const Matrix p = linear_posteriors(functions, rows, false);
  // The first less the second: ½ x₁ − 3 x₂.
  EXPECT_EQ(p(0, 0), 0);
  EXPECT_EQ(p(1, 0), 0);
  EXPECT_EQ(p(2, 0), 1);
  EXPECT_EQ(best_linear(functions, rows), (std::vector<Index>{1, 1, 0}));
  const Matrix scores = linear_scores(functions, rows);
  EXPECT_EQ(scores(0, 0), most);
  EXPECT_EQ(scores(1, 1), 0.5 * most);
}

}  // namespace
}  // namespace suffice::far_rows_test
