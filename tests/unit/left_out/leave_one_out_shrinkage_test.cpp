// The strength of shrinkage by leave-one-out: with a target that is held fixed, against sums of the
// other rows by Eigen.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/left_out/leave_one_out_shrinkage.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"

namespace suffice::leave_one_out_shrinkage_test {
namespace {

using namespace testing::left_out;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using Kind = Shrinkage::Kind;

/// S_c + v T of the other rows, with T of all rows; everything by Eigen.
Matrix with_fixed_target(const Table& table, const EstimateOptions& options) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const Index d = table.x.cols(), classes = std::ssize(table.classes);
  struct Class {
    double weight = 0;
    VectorXd mean;
    MatrixXd scatter;
  };
  const auto sums = [&](Index without) {
    std::vector<Class> result(static_cast<std::size_t>(classes),
                              {0, VectorXd::Zero(d), MatrixXd::Zero(d, d)});
    const auto each = [&](const auto& act) {
      for (Index i = 0; i < table.x.rows(); ++i)
        for (Index c = 0; c < classes; ++c)
          if (i != without && table.labels[i] == table.classes[c])
            act(result[c], table.weights[i], VectorXd(table.x.map().row(i).transpose()));
    };
    each([](Class& of, double w, const VectorXd& x) {
      of.weight += w;
      of.mean += w * x;
    });
    for (Class& of : result) of.mean /= of.weight;
    each([](Class& of, double w, const VectorXd& x) {
      of.scatter += w * (x - of.mean) * (x - of.mean).transpose();
    });
    return result;
  };
  const auto pooled = [&](const std::vector<Class>& of) {
    Class all{0, VectorXd::Zero(d), MatrixXd::Zero(d, d)};
    for (const Class& one : of) {
      all.weight += one.weight;
      all.scatter += one.scatter;
    }
    return all;
  };
  const bool tied = options.covariance == Covariance::tied;
  const bool diag = options.covariance == Covariance::diag;
  const Class everything = pooled(sums(-1));
  const double all_dof = everything.weight - static_cast<double>(classes);
  const MatrixXd diagonal = (everything.scatter.diagonal() / all_dof).asDiagonal();
  MatrixXd target = diagonal;
  if (!tied && !diag) {
    double u = 0;
    const Model model = estimate(table.statistics(), options);
    if (!model.parts().found.target_rows.empty()) u = model.parts().found.target_rows[0];
    if (std::isfinite(u)) target = (everything.scatter + u * diagonal) / (all_dof + u);
  }

  const double v = options.shrinkage->value();
  Matrix scores(table.x.rows(), classes);
  for (Index i = 0; i < table.x.rows(); ++i) {
    const std::vector<Class> others = sums(i);
    const Class all = pooled(others);
    for (Index c = 0; c < classes; ++c) {
      const double f = tied ? all.weight - static_cast<double>(classes) : others[c].weight - 1;
      // n features; p of them share a posterior.
      const auto score = [&](const VectorXd& delta, MatrixXd scatter, double n, double p) {
        const double worth = f + v;
        double log_p = 0;
        if (options.inference != Inference::bayes) {
          scatter /= options.inference == Inference::map ? worth + 2 * p + 2 : worth;
          const double q = delta.dot(scatter.ldlt().solve(delta));
          const double nu = options.tails ? options.tails->dof() : 0;
          log_p = -0.5 * std::log(scatter.determinant());
          if (nu == 0)
            log_p -= 0.5 * (n * std::log(2 * std::acos(-1.0)) + q);
          else
            log_p += std::lgamma((nu + n) / 2) - std::lgamma(nu / 2) -
                     0.5 * n * std::log((nu - 2) * std::acos(-1.0)) -
                     0.5 * (nu + n) * std::log1p(q / (nu - 2));
        } else {
          const double dof = worth + 2;
          scatter *= (1 + 1 / others[c].weight) / dof;
          const double q = delta.dot(scatter.ldlt().solve(delta));
          log_p = std::lgamma((dof + n) / 2) - std::lgamma(dof / 2) -
                  0.5 * (n * std::log(dof * std::acos(-1.0)) + std::log(scatter.determinant())) -
                  0.5 * (dof + n) * std::log1p(q / dof);
        }
        return log_p;
      };
      const VectorXd delta = table.x.map().row(i).transpose() - others[c].mean;
      const MatrixXd sum = (tied ? all.scatter : others[c].scatter) + v * target;
      if (!diag) {
        scores(i, c) = score(delta, sum, static_cast<double>(d), static_cast<double>(d));
        continue;
      }
      if (options.tails) {  // one t of all features
        scores(i, c) = score(delta, sum.diagonal().asDiagonal(), static_cast<double>(d), 1);
        continue;
      }
      for (Index j = 0; j < d; ++j)
        scores(i, c) += score(delta.segment(j, 1), sum.block(j, j, 1, 1), 1, 1);
    }
  }
  return scores;
}

TEST(LeaveOneOutShrinkage, ATargetOfSomeRowsIsHeldFixed) {
  for (const bool weighted : {false, true}) {
    const Table table =
        gaussian_table({.classes = 3, .rows = 30, .features = 4, .weighted = weighted}, 10);
    for (const Covariance covariance : {Covariance::full, Covariance::tied, Covariance::diag})
      for (const Inference estimate : {Inference::plugin, Inference::map, Inference::bayes})
        for (const double rows : {0.5, 3.0, 40.0}) {
          EstimateOptions options{
              .covariance = covariance, .shrinkage = Shrinkage::rows(rows), .inference = estimate};
          for (const bool heavy : {false, true}) {
            if (heavy && estimate == Inference::bayes) continue;
            if (heavy) options.tails = Tails::student(3.5);
            SCOPED_TRACE(describe(options));
            expect_close(LeaveOneOut(table.statistics(), options)(table.rows()).values,
                         with_fixed_target(table, options));
          }
        }
  }
}

/// Error rate and log-loss with the frequencies of the other rows.
LeaveOneOutShrinkage::Choice measured(const Table& table, const EstimateOptions& options) {
  const Matrix scores = with_fixed_target(table, options);
  LeaveOneOutShrinkage::Choice result{*options.shrinkage};
  double total = 0;
  for (Index i = 0; i < table.x.rows(); ++i) {
    std::vector<double> mass;
    Index truth = 0;
    for (Index c = 0; c < scores.cols(); ++c) {
      double weight = 0;
      for (Index k = 0; k < table.x.rows(); ++k)
        if (k != i && table.labels[k] == table.classes[c]) weight += table.weights[k];
      mass.push_back(weight * std::exp(scores(i, c)));
      if (table.labels[i] == table.classes[c]) truth = c;
    }
    double sum = 0;
    for (const double m : mass) sum += m;
    const auto best = std::ranges::max_element(mass) - mass.begin();
    result.error_rate += table.weights[i] * (best != truth);
    result.log_loss -= table.weights[i] * std::log(mass[truth] / sum);
    total += table.weights[i];
  }
  result.error_rate /= total;
  result.log_loss /= total;
  return result;
}

TEST(LeaveOneOutShrinkage, MeasuresEveryStrengthAsIfEachRowHadBeenLeftOut) {
  for (const bool weighted : {false, true}) {
    const Table table =
        gaussian_table({.classes = 3, .rows = 30, .features = 4, .weighted = weighted}, 11);
    for (const Covariance covariance : {Covariance::full, Covariance::tied})
      for (const Inference estimate : {Inference::plugin, Inference::map, Inference::bayes}) {
        EstimateOptions options{.covariance = covariance, .inference = estimate};
        LeaveOneOutShrinkage search(table.statistics(), options);
        // The rows in two cuts.
        search.score(table.some([](Index i) { return i < 17; }).rows());
        search.score(table.some([](Index i) { return i >= 17; }).rows());
        const auto grid = search.grid();
        ASSERT_GE(grid.size(), 10u);
        std::size_t best = 0;
        for (std::size_t g = 0; g < grid.size(); ++g) {
          EXPECT_EQ(grid[g].shrinkage.kind(), Kind::rows);
          EXPECT_EQ(grid[g].shrinkage.value(), std::ldexp(1, static_cast<int>(g)));
          options.shrinkage = grid[g].shrinkage;
          SCOPED_TRACE(describe(options));
          const auto expected = measured(table, options);
          EXPECT_NEAR(grid[g].error_rate, expected.error_rate, 1e-12);
          EXPECT_NEAR(grid[g].log_loss, expected.log_loss, 1e-9 * (1 + expected.log_loss));
          if (std::pair(grid[g].error_rate, grid[g].log_loss) <
              std::pair(grid[best].error_rate, grid[best].log_loss))
            best = g;
        }
        EXPECT_EQ(search.finish().shrinkage, grid[best].shrinkage);
      }
  }
}

TEST(LeaveOneOutShrinkage, OtherBlocksHaveTheirPartAndIncompleteRowsHaveNone) {
  Table table = gaussian_table({.classes = 2, .rows = 40, .features = 3}, 12);
  // A feature that is a category.
  table.schema = Schema({{.name = "x0", .family = Family::gaussian},
                         {.name = "x1", .family = Family::gaussian},
                         {.name = "colour", .family = Family::categorical, .levels = {"0", "1"}}});
  for (Index i = 0; i < 40; ++i) table.x(i, 2) = (i * 7 % 10 < (table.labels[i] == "a" ? 3 : 6));
  table.x(11, 0) = nan;
  LeaveOneOutShrinkage search(table.statistics(), {});
  search.score(table.rows());
  const auto chosen = search.finish();
  const LeaveOneOut best(table.statistics(), {.shrinkage = chosen.shrinkage});
  const Matrix scores = best(table.rows()).values;
  double log_loss = 0;
  for (Index i = 0; i < 40; ++i) {
    if (i == 11) continue;
    const Index truth = table.labels[i] == "a" ? 0 : 1;
    const double other = scores(i, 1 - truth) + std::log(20.0),
                 own = scores(i, truth) + std::log(19.0);
    log_loss += std::log1p(std::exp(other - own));
  }
  EXPECT_NEAR(chosen.log_loss, log_loss / 39, 1e-9);
}

TEST(LeaveOneOutShrinkage, ThreadsChangeNothing) {
  const Table table = gaussian_table({.classes = 3, .rows = 3000, .features = 12}, 60);
  std::vector<LeaveOneOutShrinkage::Choice> found;
  for (const int threads : {1, 4}) {
    LeaveOneOutShrinkage search(table.statistics(), {}, {.threads = threads});
    search.score(table.rows(), {.threads = threads});
    found.push_back(search.finish());
  }
  EXPECT_EQ(found[0].shrinkage, found[1].shrinkage);
  EXPECT_EQ(found[0].log_loss, found[1].log_loss);
}

TEST(LeaveOneOutShrinkage, RefusesWhatItHasNoFormFor) {
  const auto reason = [](const EstimateOptions& options) {
    return message_of<InvalidArgument>([&] { LeaveOneOutShrinkage::require_possible(options); });
  };
  EXPECT_THAT(reason({.covariance = Covariance::diag}),
              AllOf(HasSubstr("full and tied covariances, not for 'diag'"), HasSubstr("'auto'")));
  EXPECT_THAT(reason({.covariance = Covariance::tied_spherical}), HasSubstr("'tied-spherical'"));
  for (const EstimateOptions& projected :
       {EstimateOptions{.pca = Pca{.components = 2}}, EstimateOptions{.lda = 1}})
    EXPECT_THAT(reason(projected), AllOf(HasSubstr("projections change with every row"),
                                         HasSubstr("'auto', or no projection")));
  EXPECT_THAT(reason({.target = Target::spherical}), HasSubstr("a target of its own"));
  EXPECT_THAT(reason({.towards_tied = 0.5}), HasSubstr("leave towards_tied at 0"));
  for (const Covariance covariance : {Covariance::full, Covariance::tied})
    EXPECT_NO_THROW(LeaveOneOutShrinkage::require_possible({.covariance = covariance}));
  const Table table = gaussian_table({}, 70);
  EXPECT_THROW(LeaveOneOutShrinkage(table.statistics(), {.covariance = Covariance::diag}),
               InvalidArgument);
}

}  // namespace
}  // namespace suffice::leave_one_out_shrinkage_test
