// More features than rows: thin scatters and the models of them, against the dense ones, and
// against formulas with whole matrices by Eigen.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "stats/thin.hpp"
#include "suffice/suffice.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::thin_test {
namespace {

using namespace testing::left_out;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

Statistics statistics_of(const Table& table, Scatter scatter) {
  Statistics result(table.schema, {.scatter = scatter, .labels = table.classes});
  result.update(table.rows());
  return result;
}

const GaussianStatistics& gaussian_of(const Statistics& statistics) {
  return std::get<GaussianStatistics>(statistics.blocks()[0]);
}

void expect_same_scatter(const Statistics& thin, const Statistics& dense, double digits = 1e-12) {
  const auto& a = gaussian_of(thin).classes;
  const auto& b = gaussian_of(dense).classes;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    ASSERT_NEAR(a[c].complete.weight, b[c].complete.weight, 1e-12 * b[c].complete.weight);
    if (!(a[c].complete.weight > 0)) continue;
    const Matrix one = scatter_of(a[c].complete), other = scatter_of(b[c].complete);
    for (Index i = 0; i < one.rows(); ++i) {
      EXPECT_NEAR(a[c].complete.mean[i] + a[c].complete.mean_low[i],
                  b[c].complete.mean[i] + b[c].complete.mean_low[i],
                  digits * (1 + std::abs(b[c].complete.mean[i])));
      for (Index j = 0; j < one.cols(); ++j)
        ASSERT_NEAR(one(i, j), other(i, j), digits * std::sqrt(other(i, i) * other(j, j)) + 1e-300)
            << "class " << c << ", " << i << ", " << j;
    }
  }
}

TEST(Thin, FactorHasOneRowLessThanTheClass) {
  const Table table = gaussian_table({.rows = 12, .features = 30, .offset = 1e6}, 1);
  const Statistics thin = statistics_of(table, Scatter::thin);
  for (const auto& of : gaussian_of(thin).classes) {
    EXPECT_EQ(of.complete.factor.rows(), 3);
    EXPECT_TRUE(of.complete.scatter.empty());
  }
  expect_same_scatter(thin, statistics_of(table, Scatter::dense), 1e-10);
}

TEST(Thin, IsNeverLargerThanDense) {
  const Table table = gaussian_table({.rows = 600, .features = 7, .weighted = true}, 2);
  const Statistics thin = statistics_of(table, Scatter::thin);
  for (const auto& of : gaussian_of(thin).classes) EXPECT_EQ(of.complete.factor.rows(), 7);
  expect_same_scatter(thin, statistics_of(table, Scatter::dense));
}

TEST(Thin, MergesAndSubtracts) {
  const Table table = gaussian_table({.rows = 24, .features = 40, .weighted = true}, 3);
  const Table first = table.some([](Index i) { return i % 5 < 2; });
  const Table second = table.some([](Index i) { return i % 5 >= 2; });
  const Statistics all = statistics_of(table, Scatter::thin);
  const Statistics a = statistics_of(first, Scatter::thin);
  const Statistics b = statistics_of(second, Scatter::thin);
  expect_same_scatter(merge(a, b), all);
  expect_same_scatter(merge(a, statistics_of(second, Scatter::dense)), all);
  const SubtractResult rest = subtract(all, a);
  expect_same_scatter(rest.rest, b, 1e-10);
  EXPECT_TRUE(rest.warnings.empty());
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_EQ(gaussian_of(rest.rest).classes[c].complete.factor.rows(),
              gaussian_of(b).classes[c].complete.factor.rows());
}

TEST(Thin, SubtractRefusesRowsThatAreNotThere) {
  const Table table = gaussian_table({.rows = 24, .features = 40}, 3);
  Table other = gaussian_table({.rows = 9, .features = 40}, 4);
  EXPECT_THAT(message_of<DataError>([&] {
                subtract(statistics_of(table, Scatter::thin), statistics_of(other, Scatter::thin));
              }),
              HasSubstr("the rows of the part are not among those of the whole"));
}

TEST(Thin, WithScatterChangesWhatIsKept) {
  const Table table = gaussian_table({.rows = 12, .features = 30}, 5);
  const Statistics thin = statistics_of(table, Scatter::thin);
  const Statistics dense = with_scatter(thin, Scatter::dense);
  EXPECT_EQ(gaussian_of(dense).kind, Scatter::dense);
  expect_same_scatter(dense, thin);
  expect_same_scatter(with_scatter(dense, Scatter::thin), thin, 1e-10);
  const Statistics diagonal = with_scatter(thin, Scatter::diagonal);
  EXPECT_EQ(gaussian_of(diagonal).moments(0), gaussian_of(thin).moments(0));
  EXPECT_THROW(with_scatter(diagonal, Scatter::thin), InvalidArgument);
  EXPECT_THAT(message_of<InvalidArgument>([&] { with_scatter(thin, Scatter::dense, 1000); }),
              HasSubstr("more than the 0 MB of the memory limit"));
}

TEST(Thin, FilesKeepEveryBit) {
  const Table table = gaussian_table({.rows = 12, .features = 30, .missing = true}, 6);
  const Statistics thin = statistics_of(table, Scatter::thin);
  EXPECT_EQ(statistics_from_bytes(to_bytes(thin)), thin);
  const Model model = estimate(thin, {});
  EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
  EXPECT_FALSE(std::get<GaussianDensity>(model.densities()[0]).thin.empty());
}

/// A class of one row has no factor.
TEST(Thin, FilesKeepClassesOfOneRow) {
  Table table = gaussian_table({.rows = 10, .features = 30}, 6);
  table.labels[9] = "z";
  table.classes.push_back("z");
  const Statistics thin = statistics_of(table, Scatter::thin);
  EXPECT_EQ(gaussian_of(thin).classes[3].complete.factor.rows(), 0);
  EXPECT_EQ(statistics_from_bytes(to_bytes(thin)), thin);
  const Table rest = table.some([](Index i) { return i != 9; });
  const SubtractResult alone = subtract(thin, statistics_of(rest, Scatter::thin));
  EXPECT_EQ(statistics_from_bytes(to_bytes(alone.rest)), alone.rest);
}

TEST(Thin, ThreadsChangeNoBit) {
  const Table table = gaussian_table({.rows = 90, .features = 1300}, 7);
  Statistics one(table.schema, {.scatter = Scatter::thin}), four = one;
  one.update(table.rows(), Execution{.threads = 1});
  four.update(table.rows(), Execution{.threads = 4});
  EXPECT_EQ(one, four);
  const Model a = estimate(one, {}, {.threads = 1}), b = estimate(one, {}, {.threads = 3});
  EXPECT_EQ(a, b);
  const Matrix x = log_likelihood(a, table.x, {}, {.threads = 1}).values;
  EXPECT_EQ(x, log_likelihood(b, table.x, {}, {.threads = 4}).values);
}

/// All that makes covariances of a table with more features than rows.
std::vector<EstimateOptions> estimates() {
  std::vector<EstimateOptions> result;
  for (const Covariance covariance : {Covariance::full, Covariance::tied}) {
    result.push_back({.covariance = covariance});
    result.push_back({.covariance = covariance, .shrinkage = Shrinkage::rows(3)});
    result.push_back({.covariance = covariance, .shrinkage = Shrinkage::share(0.2)});
    result.push_back({.covariance = covariance,
                      .normalize = Normalize::unbiased,
                      .shrinkage = Shrinkage::share(0.3),
                      .target = Target::spherical});
    result.push_back({.covariance = covariance, .shrinkage = Shrinkage::oas()});
    result.push_back({.covariance = covariance, .inference = Inference::map});
    result.push_back({.covariance = covariance, .inference = Inference::bayes});
    result.push_back(
        {.covariance = covariance, .shrinkage = Shrinkage::rows(2), .tails = Tails::student(5)});
  }
  result.push_back({.shrinkage = Shrinkage::share(0.2), .towards_tied = 0.3});
  result.push_back({.shrinkage = Shrinkage::rows(2), .target_share = 0.5});
  result.push_back({.shrinkage = Shrinkage::automatic(), .target_share = 0.4});
  result.push_back(
      {.shrinkage = Shrinkage::rows(4), .target = Target::spherical, .target_share = 1.0});
  EstimateOptions pooled{.covariance = Covariance::tied, .shrinkage = Shrinkage::share(0.1)};
  pooled.pooling = {0.2, 0.5, 0.3};
  result.push_back(pooled);
  return result;
}

class ThinEstimates : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(All, ThinEstimates, ::testing::Range(std::size_t{0}, estimates().size()));

TEST_P(ThinEstimates, AreThoseOfWholeMatrices) {
  const EstimateOptions options = estimates()[GetParam()];
  SCOPED_TRACE(describe(options));
  Table table = gaussian_table({.rows = 21, .features = 60, .weighted = true}, 8);
  for (Index i = 0; i < 21; ++i) table.x(i, 17) = 4;  // constant
  const Model thin = estimate(statistics_of(table, Scatter::thin), options);
  const Model dense = estimate(statistics_of(table, Scatter::dense), options);
  const auto& density = std::get<GaussianDensity>(thin.densities()[0]);
  EXPECT_TRUE(density.covariance.empty());
  EXPECT_EQ(density.constant, std::vector<Index>{17});
  const auto& found = thin.parts().found;
  const auto& expected = dense.parts().found;
  ASSERT_EQ(found.shrinkage_rows.size(), expected.shrinkage_rows.size());
  for (std::size_t k = 0; k < found.shrinkage_rows.size(); ++k) {
    if (std::isinf(expected.shrinkage_rows[k])) continue;
    EXPECT_NEAR(found.shrinkage_rows[k], expected.shrinkage_rows[k],
                1e-6 * expected.shrinkage_rows[k]);
  }
  ASSERT_EQ(found.shrinkage_shares.size(), expected.shrinkage_shares.size());
  for (std::size_t k = 0; k < found.shrinkage_shares.size(); ++k)
    EXPECT_NEAR(found.shrinkage_shares[k], expected.shrinkage_shares[k], 1e-10);
  const Table fresh = gaussian_table({.rows = 40, .features = 60, .missing = true}, 9);
  // The best strength is found to fewer digits than it gives.
  const double digits = expected.shrinkage_rows.empty() ? 1e-10 : 1e-8;
  expect_close(log_likelihood(thin, fresh.x).values, log_likelihood(dense, fresh.x).values, digits);
  const auto differences = [&](const Model& model) {
    Matrix scores = log_likelihood(model, fresh.x, {.relative = true}).values;
    for (Index i = 0; i < scores.rows(); ++i)
      for (Index c = 2; c >= 0; --c) scores(i, c) -= scores(i, 0);
    return scores;
  };
  expect_close(differences(thin), differences(dense), 100 * digits);
  EXPECT_NEAR(thin.parts().weights[1], dense.parts().weights[1], 1e-12);
  const Vector a = separation(thin), b = separation(dense);
  for (Index j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-7 * (1 + std::abs(b[j])));
}

/// (S_c + v D) / (f + v), D the pooled variances.
TEST(Thin, LogLikelihoodIsThatOfTheFormula) {
  const Index n = 15, d = 40, classes = 3;
  const double v = 2.5;
  const Table table = gaussian_table({.rows = n, .features = d}, 10);
  const MatrixXd x = table.x.map();
  std::vector<VectorXd> mean(3, VectorXd::Zero(d));
  std::vector<MatrixXd> scatter(3, MatrixXd::Zero(d, d));
  for (Index i = 0; i < n; ++i) mean[i % 3] += x.row(i).transpose() / 5;
  for (Index i = 0; i < n; ++i) {
    const VectorXd apart = x.row(i).transpose() - mean[i % 3];
    scatter[i % 3] += apart * apart.transpose();
  }
  const MatrixXd pooled = scatter[0] + scatter[1] + scatter[2];
  const MatrixXd target = (pooled.diagonal() / static_cast<double>(n - classes)).asDiagonal();
  const Model model =
      estimate(statistics_of(table, Scatter::thin), {.shrinkage = Shrinkage::rows(v)});
  const Table fresh = gaussian_table({.rows = 6, .features = d}, 11);
  const Matrix found = log_likelihood(model, fresh.x).values;
  for (Index c = 0; c < classes; ++c) {
    const MatrixXd covariance = (scatter[c] + v * target) / (4 + v);
    const Eigen::LLT<MatrixXd> lower(covariance);
    const double log_det = 2 * MatrixXd(lower.matrixL()).diagonal().array().log().sum();
    for (Index i = 0; i < 6; ++i) {
      const VectorXd apart = fresh.x.map().row(i).transpose() - mean[c];
      const double expected = -0.5 * (static_cast<double>(d) * std::log(2 * std::numbers::pi) +
                                      log_det + apart.dot(lower.solve(apart)));
      EXPECT_NEAR(found(i, c), expected, 1e-10 * std::abs(expected));
    }
  }
}

/// One class: the tail of a χ² with as many degrees of freedom as features.
TEST(Thin, OutlierScoresOfOneClassAreThoseOfWholeMatrices) {
  const Table table = gaussian_table({.classes = 1, .rows = 9, .features = 12}, 12);
  const EstimateOptions options{.shrinkage = Shrinkage::rows(3)};
  const auto scores = [&](Scatter scatter) {
    const Model model = estimate(statistics_of(table, scatter), options);
    const std::vector<double> all{1};
    return outlier_score(model, table.x, log_likelihood(model, table.x), all);
  };
  const Vector a = scores(Scatter::thin), b = scores(Scatter::dense);
  for (Index i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10);
}

TEST(Thin, SamplesHaveTheCovariance) {
  const Table table = gaussian_table({.rows = 9, .features = 8}, 12);
  const EstimateOptions options{.shrinkage = Shrinkage::rows(3)};
  const Model thin = estimate(statistics_of(table, Scatter::thin), options);
  ASSERT_FALSE(std::get<GaussianDensity>(thin.densities()[0]).thin.empty());
  const Model dense = estimate(statistics_of(table, Scatter::dense), options);
  const auto& density = std::get<GaussianDensity>(dense.densities()[0]);
  const Index n = 40000;
  const MatrixXd x = sample(thin, n, "b", {.seed = 3}).values.map();
  const VectorXd mean = x.colwise().mean();
  const MatrixXd apart = x.rowwise() - mean.transpose();
  const MatrixXd covariance = apart.transpose() * apart / static_cast<double>(n);
  for (Index i = 0; i < 8; ++i) {
    const double vi = density.covariance[1](i, i);
    EXPECT_NEAR(mean[i], density.mean(1, i), 5 * std::sqrt(vi / static_cast<double>(n)));
    for (Index j = 0; j < 8; ++j)
      EXPECT_NEAR(covariance(i, j), density.covariance[1](i, j),
                  7 * std::sqrt(vi * density.covariance[1](j, j) / static_cast<double>(n)));
  }
}

TEST(Thin, ComponentsAreThoseOfWholeMatrices) {
  const Table table = gaussian_table({.rows = 21, .features = 50}, 13);
  const Statistics thin = statistics_of(table, Scatter::thin);
  const Statistics dense = statistics_of(table, Scatter::dense);
  for (const bool standardize : {false, true}) {
    const Pca pca{.components = 6, .standardize = standardize};
    const LinearMap a = principal_components(thin, 0, pca), b = principal_components(dense, 0, pca);
    expect_close(a.matrix, b.matrix, 1e-10);
    for (Index k = 0; k < 6; ++k) EXPECT_NEAR(a.explained[k], b.explained[k], 1e-12);
    EXPECT_EQ(principal_components(thin, 0, {.share = 1, .standardize = standardize}).matrix.cols(),
              20);
  }
  const EstimateOptions options{
      .covariance = Covariance::tied, .pca = Pca{.components = 8}, .lda = 2};
  expect_close(log_likelihood(estimate(thin, options), table.x).values,
               log_likelihood(estimate(dense, options), table.x).values, 1e-8);
  EXPECT_THAT(message_of<SingularError>([&] { discriminant_components(thin, 0, 2); }),
              HasSubstr("in which no class varies"));
}

TEST(Thin, LeaveOneOutShrinkageIsThatOfWholeMatrices) {
  for (const Covariance covariance : {Covariance::full, Covariance::tied}) {
    const Table table = gaussian_table({.rows = 24, .features = 60}, 14);
    LeaveOneOutShrinkage thin(statistics_of(table, Scatter::thin), {.covariance = covariance});
    LeaveOneOutShrinkage dense(statistics_of(table, Scatter::dense), {.covariance = covariance});
    thin.score(table.rows());
    dense.score(table.rows());
    const auto a = thin.grid(), b = dense.grid();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_NEAR(a[k].log_loss, b[k].log_loss, 1e-7 * (1 + b[k].log_loss));
  }
}

/// The choice is by folds: what a class of one row says of itself has no part in it.
TEST(Thin, ChoosesByFolds) {
  Table table = gaussian_table({.rows = 31, .features = 120}, 15);
  table.labels[30] = "z";
  table.classes.push_back("z");
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 10; ++j) table.x(i, j) += 4 * static_cast<double>(i % 3);
  Reservoir reservoir(table.schema);
  reservoir.update(table.rows());
  const Statistics thin = statistics_of(table, Scatter::thin);
  const Choice choice = choose(thin, reservoir.sample());
  ASSERT_TRUE(choice.best()) << choice.reason.text();
  EXPECT_EQ(choice.rows, 30);
  EXPECT_EQ(choice.sample_folds, 5);
  EXPECT_EQ(choice.folds, 0);
  EXPECT_LT(choice.best()->error_rate, 0.2);
  const Model model = choice.model(thin);
  ASSERT_TRUE(model.calibration());
  EXPECT_EQ(model.calibration()->offset.size(), 4);
}

TEST(Thin, FoldsAreExact) {
  const Table table = gaussian_table({.rows = 30, .features = 150}, 16);
  const EstimateOptions options{.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(4)};
  Selector selector(table.schema, {.candidates = {options}, .folds = 3});
  selector.learn(table.rows());
  selector.score(table.rows());
  const Selection selection = selector.finish();
  EXPECT_TRUE(selection.candidates[0].error.empty()) << selection.candidates[0].error.text();
  EXPECT_EQ(selection.candidates[0].score.rows, 30);
  EXPECT_TRUE(std::isfinite(selection.candidates[0].score.log_loss));
}

TEST(Thin, SaysWhatIsSingular) {
  Table table = gaussian_table({.rows = 12, .features = 30}, 17);
  EXPECT_THAT(message_of<SingularError>([&] {
                estimate(statistics_of(table, Scatter::thin), {.shrinkage = Shrinkage::none()});
              }),
              AllOf(HasSubstr("has the rank 3"), HasSubstr("fewer rows than features")));
  for (Index i = 0; i < 12; ++i) table.x(i, 4) = i % 3 == 0 ? 1 : table.x(i, 4);
  EXPECT_THAT(message_of<SingularError>([&] {
                estimate(statistics_of(table, Scatter::thin), {.shrinkage = Shrinkage::share(0.1)});
              }),
              AllOf(HasSubstr("class 'a'"), HasSubstr("x4"), HasSubstr("the variance is 0")));
}

TEST(Thin, OneRowPerClassHasNoPrior) {
  const Table table = gaussian_table({.rows = 3, .features = 30}, 18);
  EXPECT_THROW(estimate(statistics_of(table, Scatter::thin), {}), SingularError);
}

TEST(Thin, ScatterForRowsLooksAtTheShape) {
  EXPECT_EQ(scatter_for_rows(Scatter::dense, Schema::numbered(101), 101), Scatter::thin);
  EXPECT_EQ(scatter_for_rows(Scatter::dense, Schema::numbered(101), 102), Scatter::dense);
  EXPECT_EQ(scatter_for_rows(Scatter::diagonal, Schema::numbered(100), 5), Scatter::diagonal);
}

}  // namespace
}  // namespace suffice::thin_test
