// Leave-one-out scores of sampled rows, against sums of the other rows by Eigen: what is held fixed
// is the target's own target, its degrees of freedom and the principal components.

#include "left_out/sampled_scores.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::sampled_scores_test {
namespace {

using namespace testing::left_out;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SampledRows sample_of(const Table& table) {
  Reservoir reservoir(table.schema);
  reservoir.update(table.rows());
  return reservoir.sample();
}

struct ClassSums {
  double weight = 0;
  VectorXd mean;
  MatrixXd scatter;
};

/// What is left out of the weight of a row: one, where all weights are numbers of rows.
double left_out_of(const Table& table, Index row) {
  const bool counts = std::ranges::all_of(
      table.weights, [](double weight) { return weight == std::floor(weight); });
  return counts ? std::min(table.weights[row], 1.0) : table.weights[row];
}

/// Of all rows without what is left out of a row, by two passes.
std::vector<ClassSums> sums_without(const Table& table, const MatrixXd& x, Index without) {
  std::vector<ClassSums> result(table.classes.size(),
                                {0, VectorXd::Zero(x.cols()), MatrixXd::Zero(x.cols(), x.cols())});
  const auto each = [&](const auto& act) {
    for (Index i = 0; i < x.rows(); ++i)
      for (std::size_t c = 0; c < table.classes.size(); ++c)
        if (table.labels[i] == table.classes[c])
          act(result[c], table.weights[i] - (i == without ? left_out_of(table, i) : 0),
              VectorXd(x.row(i).transpose()));
  };
  each([](ClassSums& of, double w, const VectorXd& row) {
    of.weight += w;
    of.mean += w * row;
  });
  for (ClassSums& of : result) of.mean /= of.weight;
  each([](ClassSums& of, double w, const VectorXd& row) {
    of.scatter += w * (row - of.mean) * (row - of.mean).transpose();
  });
  return result;
}

MatrixXd pooled(const std::vector<ClassSums>& sums) {
  MatrixXd all = MatrixXd::Zero(sums[0].scatter.rows(), sums[0].scatter.rows());
  for (const ClassSums& of : sums) all += of.scatter;
  return all;
}

/// Refits for every row: Σ_c = (S_c + v T) / (f_c + v), T = (1 − ρ) S / f + ρ T₀ with f and T₀ of
/// all rows; tied: (S + v D) / (f + v).
Matrix refitted(const Table& table, const MatrixXd& x, bool tied, double v, double share,
                bool spherical, double nu) {
  const auto d = static_cast<double>(x.cols()), classes = static_cast<double>(table.classes.size());
  const std::vector<ClassSums> all = sums_without(table, x, -1);
  const double dof = table.weights.map().sum() - classes;
  const MatrixXd within = pooled(all) / dof;
  MatrixXd fixed = within.diagonal().asDiagonal();
  if (spherical) fixed = MatrixXd::Identity(x.cols(), x.cols()) * within.trace() / d;
  Matrix scores(x.rows(), std::ssize(table.classes));
  for (Index i = 0; i < x.rows(); ++i) {
    const std::vector<ClassSums> sums = sums_without(table, x, i);
    const MatrixXd target = (1 - share) * pooled(sums) / dof + share * fixed;
    for (Index c = 0; c < scores.cols(); ++c) {
      const ClassSums& of = sums[c];
      const MatrixXd covariance =
          tied ? MatrixXd((pooled(sums) + v * fixed) / (dof - left_out_of(table, i) + v))
               : MatrixXd((of.scatter + v * target) / (of.weight - 1 + v));
      const VectorXd apart = x.row(i).transpose() - of.mean;
      const Eigen::LLT<MatrixXd> factor(covariance);
      const double distance = factor.matrixL().solve(apart).squaredNorm();
      const double log_det = 2 * factor.matrixLLT().diagonal().array().log().sum();
      scores(i, c) = -0.5 * log_det;
      if (nu == 0)
        scores(i, c) -= 0.5 * (distance + d * std::log(2 * M_PI));
      else
        scores(i, c) += std::lgamma((nu + d) / 2) - std::lgamma(nu / 2) -
                        d / 2 * std::log((nu - 2) * M_PI) -
                        (nu + d) / 2 * std::log1p(distance / (nu - 2));
    }
  }
  return scores;
}

const std::vector<Tails> tails{Tails::normal(), Tails::student(5)};

void expect_refitted(const Table& table, const MatrixXd& x, const EstimateOptions& shape, double v,
                     double share, double digits = 1e-10) {
  SCOPED_TRACE(to_string(*shape.shrinkage));
  const SampledRows sample = sample_of(table);
  SampledGaussian block(table.statistics(), 0, sample, {});
  const ScoresOfEstimates found = block.scores({resolve(shape)}, tails, true);
  ASSERT_EQ(found.size(), 2U);
  const bool tied = shape.covariance == Covariance::tied;
  const bool spherical = shape.target == Target::spherical;
  expect_close(found[0], refitted(table, x, tied, v, share, spherical, 0), digits);
  expect_close(found[1], refitted(table, x, tied, v, share, spherical, 5), digits);
}

TEST(SampledGaussian, AgreesWithRefits) {
  for (const int weights : {0, 1, 2}) {  // none, any, numbers of rows
    SCOPED_TRACE(weights);
    Table table = gaussian_table({.rows = 40, .features = 4, .weighted = weights > 0}, 1);
    if (weights == 2)
      for (double& weight : table.weights) weight = std::ceil(weight);
    const MatrixXd x = table.x.map();
    for (const double v : {0.03, 2.0, 500.0}) {
      for (const double share : {0.0, 0.3, 1.0})
        expect_refitted(table, x, {.shrinkage = Shrinkage::rows(v), .target_share = share}, v,
                        share);
      expect_refitted(
          table, x,
          {.shrinkage = Shrinkage::rows(v), .target = Target::spherical, .target_share = 0.4}, v,
          0.4);
      expect_refitted(table, x, {.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(v)},
                      v, 1);
    }
  }
}

TEST(SampledGaussian, HoldsTheEvidencesStrengthsFixed) {
  const Table table = gaussian_table({.rows = 60, .features = 3, .weighted = true}, 2);
  const auto found = estimate(table.statistics()).parts().found;
  const double v = found.shrinkage_rows[0], u = found.target_rows[0];
  const double dof = table.weights.map().sum() - 3;
  expect_refitted(table, table.x.map(), {.shrinkage = Shrinkage::automatic()}, v, u / (dof + u));
}

TEST(SampledGaussian, HoldsPrincipalComponentsFixed) {
  const Table table = gaussian_table({.rows = 50, .features = 5}, 3);
  const LinearMap map = principal_components(table.statistics(), 0, {.components = 2});
  MatrixXd z = table.x.map();
  for (Index j = 0; j < 5; ++j) z.col(j).array() -= map.offset[j];
  expect_refitted(
      table, z * MatrixXd(map.matrix.map()),
      {.pca = Pca{.components = 2}, .shrinkage = Shrinkage::rows(3), .target_share = 0.1}, 3, 0.1);
}

TEST(SampledGaussian, WorksWithMoreFeaturesThanRows) {
  const Table table = gaussian_table({.rows = 12, .features = 20}, 4);
  expect_refitted(table, table.x.map(), {.shrinkage = Shrinkage::rows(2), .target_share = 0.5}, 2,
                  0.5, 1e-8);
}

TEST(SampledGaussian, TakesOtherStructuresFromLeaveOneOut) {
  const Table table = gaussian_table({.rows = 40, .features = 3, .weighted = true}, 5);
  const SampledRows sample = sample_of(table);
  SampledGaussian block(table.statistics(), 0, sample, {});
  for (const EstimateOptions& shape :
       {EstimateOptions{.covariance = Covariance::diag, .shrinkage = Shrinkage::rows(4)},
        EstimateOptions{.covariance = Covariance::tied_diag},
        EstimateOptions{.shrinkage = Shrinkage::none()}})
    expect_close(block.scores({resolve(shape)}, {Tails::normal()}, true)[0],
                 LeaveOneOut(table.statistics(), shape)(table.rows()).values, 1e-12);
}

TEST(SampledGaussian, ScoresIncompleteRowsByTheirMarginals) {
  const Table table = gaussian_table({.rows = 60, .features = 3, .missing = true}, 6);
  const EstimateOptions shape =
      resolve({.shrinkage = Shrinkage::rows(3), .target_share = 0.5, .tails = Tails::student(5)});
  const SampledRows sample = sample_of(table);
  SampledGaussian block(table.statistics(), 0, sample, {});
  const Matrix found = block.scores({shape}, {Tails::student(5)}, true)[0];
  const Matrix all = log_likelihood(estimate(table.statistics(), shape), table.rows()).values;
  Index incomplete = 0;
  for (Index i = 0; i < found.rows(); ++i) {
    EXPECT_EQ(block.incomplete()[i], !table.x.map().row(i).array().isFinite().all());
    if (!block.incomplete()[i]) continue;
    ++incomplete;
    for (Index c = 0; c < found.cols(); ++c) EXPECT_EQ(found(i, c), all(i, c));
  }
  EXPECT_GT(incomplete, 3);
}

}  // namespace
}  // namespace suffice::sampled_scores_test
