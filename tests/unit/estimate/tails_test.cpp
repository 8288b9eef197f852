// The option `tails`: Student's t with the covariances that the other options estimate. Densities
// are compared with those by elimination in long double.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"
#include "support/message_of.hpp"
#include "unit/leave_one_out_table.hpp"
#include "unit/slow_student.hpp"

namespace suffice::tails_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::Real;
using testing::Reals;
using testing::left_out::describe;
using testing::left_out::gaussian_table;
using testing::left_out::Table;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Covariance structures[]{Covariance::full,      Covariance::tied,
                                  Covariance::diag,      Covariance::tied_diag,
                                  Covariance::spherical, Covariance::tied_spherical};

const GaussianDensity& gaussian(const Model& model) {
  return std::get<GaussianDensity>(model.densities()[0]);
}

double covariance_entry(const GaussianDensity& density, Index c, Index i, Index j) {
  const Index row = is_tied(density.structure) ? 0 : c;
  if (is_dense(density.structure)) return density.covariance[static_cast<std::size_t>(row)](i, j);
  if (i != j) return 0;
  return density.covariance[0](row, is_spherical(density.structure) ? 0 : i);
}

/// Of the features that a row has, by the covariance of the model with normal densities.
double expected_score(const GaussianDensity& normal, double dof, Index c,
                      std::span<const double> x) {
  Reals delta;
  std::vector<Reals> scale;
  for (Index i = 0; i < std::ssize(x); ++i) {
    if (std::isnan(x[static_cast<std::size_t>(i)])) continue;
    delta.push_back(Real(x[static_cast<std::size_t>(i)]) - normal.mean(c, i));
    scale.emplace_back();
    for (Index j = 0; j < std::ssize(x); ++j)
      if (!std::isnan(x[static_cast<std::size_t>(j)]))
        scale.back().push_back(Real(covariance_entry(normal, c, i, j)) * (Real(dof) - 2) / dof);
  }
  return delta.empty() ? 0 : static_cast<double>(testing::log_student(delta, scale, dof));
}

std::vector<EstimateOptions> normal_options() {
  std::vector<EstimateOptions> result;
  for (const Covariance covariance : structures) {
    for (const Inference estimate : {Inference::plugin, Inference::map})
      result.push_back({.covariance = covariance, .inference = estimate});
    result.push_back({.covariance = covariance,
                      .normalize = Normalize::unbiased,
                      .shrinkage = Shrinkage::share(0.3),
                      .target = Target::spherical});
  }
  result.push_back({.towards_tied = 0.4});
  result.push_back({.covariance = Covariance::tied, .pooling = {0.5, 0.3, 0.2}});
  return result;
}

TEST(Tails, ScoresHaveTheCovariancesOfNormalDensities) {
  const Table table = gaussian_table({.classes = 3, .rows = 40, .features = 4, .missing = true}, 3);
  for (EstimateOptions options : normal_options())
    for (const double dof : {2.001, 3.0, 8.5, 1e4}) {
      SCOPED_TRACE(describe(options) + ", ν " + std::to_string(dof));
      const Model normal = estimate(table.statistics(), options);
      options.tails = Tails::student(dof);
      const Model model = estimate(table.statistics(), options);
      EXPECT_EQ(gaussian(model).mean, gaussian(normal).mean);
      EXPECT_EQ(gaussian(model).covariance, gaussian(normal).covariance);
      EXPECT_EQ(gaussian(model).dof, (Matrix{{dof}, {dof}, {dof}}));
      const Matrix got = log_likelihood(model, table.x).values;
      for (Index i = 0; i < got.rows(); ++i)
        for (Index c = 0; c < got.cols(); ++c) {
          const double expected = expected_score(gaussian(normal), dof, c, table.x.row(i));
          EXPECT_NEAR(got(i, c), expected, 1e-11 * (1 + std::abs(expected)))
              << "row " << i << ", class " << c;
        }
    }
}

TEST(Tails, OfManyDegreesOfFreedomAreNormal) {
  const Table table = gaussian_table({.classes = 3, .rows = 40, .features = 4}, 3);
  for (EstimateOptions options : normal_options()) {
    const Matrix normal = log_likelihood(estimate(table.statistics(), options), table.x).values;
    for (const double dof : {1e6, 1e12, 1e15, 1e300}) {
      options.tails = Tails::student(dof);
      SCOPED_TRACE(describe(options));
      const Matrix got = log_likelihood(estimate(table.statistics(), options), table.x).values;
      // The first term of what is left: ¼ (M² − 2 (d + 2) M + d (d + 2)) / ν, M up to 400 here.
      const double more = 1e5 / dof;
      for (Index k = 0; k < got.size(); ++k)
        EXPECT_NEAR(got.data()[k], normal.data()[k],
                    more + 1e-12 * (1 + std::abs(normal.data()[k])));
    }
  }
}

TEST(Tails, FarAwayAndMissingValues) {
  const Table table = gaussian_table({.classes = 2, .rows = 40, .features = 3}, 5);
  const Matrix x{{1e200, 0, 0}, {0, 1e9, -1e9}, {nan, 1e5, nan}, {nan, nan, nan}};
  for (const Covariance covariance : structures) {
    SCOPED_TRACE(to_string(covariance));
    EstimateOptions options{.covariance = covariance, .tails = Tails::student(4)};
    const Model model = estimate(table.statistics(), options);
    const Matrix got = log_likelihood(model, x).values;
    for (Index c = 0; c < 2; ++c) {
      EXPECT_EQ(got(0, c), -std::numeric_limits<double>::infinity());  // squares overflow
      EXPECT_EQ(got(3, c), 0);
      for (const Index i : {1, 2}) {
        const double expected = expected_score(gaussian(model), 4, c, x.row(i));
        EXPECT_NEAR(got(i, c), expected, 1e-11 * std::abs(expected)) << i;
      }
    }
    EXPECT_THROW(log_likelihood(model, Matrix{{1, HUGE_VAL, 0}}), DataError);
  }
}

TEST(Tails, WeightsAreRowsAndThreadsDoNotMatter) {
  const Table table = gaussian_table({.classes = 2, .rows = 400, .features = 5}, 7);
  Table twice = table.some([](Index i) { return i % 3 == 0; });
  Table weighted = table;
  for (Index i = 0; i < table.x.rows(); ++i) weighted.weights[i] = i % 3 == 0 ? 2 : 1;
  for (const Covariance covariance : structures) {
    SCOPED_TRACE(to_string(covariance));
    const EstimateOptions options{.covariance = covariance, .tails = Tails::student(5)};
    Statistics sums = table.statistics();
    sums.update(twice.rows());
    const Model model = estimate(weighted.statistics(), options);
    const Matrix got = log_likelihood(model, table.x, {}, {.threads = 1}).values;
    EXPECT_EQ(got, log_likelihood(model, table.x, {}, {.threads = 4}).values);
    testing::left_out::expect_close(got, log_likelihood(estimate(sums, options), table.x).values);
  }
}

// Var = Σ and, for ν > 4, kurtosis 3 (ν − 2)/(ν − 4). Joint: squares of uncorrelated features are
// correlated, E z₁² z₂² = (ν − 2)/(ν − 4).
TEST(Tails, SamplesHaveTheCovarianceAndTheKurtosis) {
  const double dof = 12;
  const Index n = 200000;
  const Table table = gaussian_table({.classes = 2, .rows = 60, .features = 3}, 11);
  for (const Covariance covariance : structures) {
    SCOPED_TRACE(to_string(covariance));
    const Model model =
        estimate(table.statistics(), {.covariance = covariance, .tails = Tails::student(dof)});
    const GaussianDensity& density = gaussian(model);
    const Sample rows = sample(model, n, "b", {.seed = 3});
    double fourth = 0, mixed = 0;
    Matrix product(3, 3);
    // The last two features, made uncorrelated.
    const double slope = covariance_entry(density, 1, 2, 1) / covariance_entry(density, 1, 1, 1);
    const double left =
        covariance_entry(density, 1, 2, 2) - slope * covariance_entry(density, 1, 2, 1);
    for (Index i = 0; i < n; ++i) {
      double z[3];
      for (Index j = 0; j < 3; ++j) z[j] = rows.values(i, j) - density.mean(1, j);
      for (Index j = 0; j < 3; ++j)
        for (Index k = 0; k < 3; ++k) product(j, k) += z[j] * z[k] / static_cast<double>(n);
      const double first = z[1] * z[1] / covariance_entry(density, 1, 1, 1);
      const double second = (z[2] - slope * z[1]) * (z[2] - slope * z[1]) / left;
      fourth += first * first / static_cast<double>(n);
      mixed += first * second / static_cast<double>(n);
    }
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 3; ++k)
        EXPECT_NEAR(product(j, k), covariance_entry(density, 1, j, k),
                    0.02 * std::sqrt(covariance_entry(density, 1, j, j) *
                                     covariance_entry(density, 1, k, k)));
    EXPECT_NEAR(fourth, 3 * (dof - 2) / (dof - 4), 0.15);
    EXPECT_NEAR(mixed, (dof - 2) / (dof - 4), 0.05);
  }
}

TEST(Tails, SamplesHaveUniformOutlierScores) {
  const Table table = gaussian_table({.classes = 2, .rows = 60, .features = 3}, 11);
  const Index n = 20000;
  for (const Covariance covariance : structures) {
    const Model model =
        estimate(table.statistics(), {.covariance = covariance, .tails = Tails::student(2.5)});
    const Sample rows = sample(model, n, "a", {.seed = 4});
    Vector score =
        outlier_score(model, rows.rows(), log_likelihood(model, rows.rows()), Vector{1, 0});
    std::ranges::sort(score);
    double distance = 0;  // Kolmogorov's
    for (Index i = 0; i < n; ++i)
      distance = std::max(
          distance, std::abs(score[i] - (static_cast<double>(i) + 0.5) / static_cast<double>(n)));
    EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(n))) << to_string(covariance);
  }
}

TEST(Tails, ProjectionsAndConstantFeatures) {
  Table table = gaussian_table({.classes = 2, .rows = 40, .features = 4}, 13);
  for (Index i = 0; i < table.x.rows(); ++i) table.x(i, 2) = 7;
  for (const Covariance covariance : structures) {
    SCOPED_TRACE(to_string(covariance));
    for (const bool pca : {false, true}) {
      EstimateOptions options{.covariance = covariance};
      if (pca) options.pca = Pca{.components = 2};
      const Model normal = estimate(table.statistics(), options);
      options.tails = Tails::student(6);
      const Model model = estimate(table.statistics(), options);
      // Of normal densities the score is log p at the mean less half of the distance.
      Matrix means(2, 4);
      for (Index c = 0; c < 2; ++c) {
        const Table own = table.some([&](Index i) {
          return table.labels[static_cast<std::size_t>(i)] ==
                 table.classes[static_cast<std::size_t>(c)];
        });
        for (Index i = 0; i < own.x.rows(); ++i)
          for (Index j = 0; j < 4; ++j)
            means(c, j) += own.x(i, j) / static_cast<double>(own.x.rows());
      }
      const double n = pca ? 2 : 3;
      const Matrix got = log_likelihood(model, table.x).values;
      const Matrix plain = log_likelihood(normal, table.x).values;
      const Matrix peak = log_likelihood(model, means).values;
      const Matrix plain_peak = log_likelihood(normal, means).values;
      for (Index i = 0; i < got.rows(); ++i)
        for (Index c = 0; c < 2; ++c) {
          const double distance = 2 * (plain_peak(c, c) - plain(i, c));
          EXPECT_NEAR(got(i, c), peak(c, c) - 0.5 * (6 + n) * std::log1p(distance / 4), 1e-9);
        }
    }
  }
}

TEST(Tails, FilesAndSeparation) {
  const Table table = gaussian_table({.classes = 2, .rows = 40, .features = 3}, 17);
  for (const Covariance covariance : structures) {
    const EstimateOptions options{.covariance = covariance, .tails = Tails::student(4.5)};
    const Model model = estimate(table.statistics(), options);
    EXPECT_EQ(model.parts().options->tails, Tails::student(4.5));
    EXPECT_EQ(model_from_bytes(to_bytes(model)), model);
    const Vector apart = separation(model);
    const Vector normal = separation(estimate(table.statistics(), {.covariance = covariance}));
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(apart[j], normal[j], 1e-12 * normal[j]);
    EXPECT_THAT(message_of([&] { discriminant(model, "a"); }),
                AllOf(HasSubstr("no discriminant"), HasSubstr("tails 'normal'")));
  }
}

TEST(Tails, AreReadAndWritten) {
  const EstimateOption& option = estimate_option("tails");
  EstimateOptions options;
  EXPECT_EQ(option.text(options), "normal");
  EXPECT_EQ(resolve(options).tails, Tails::normal());
  for (const char* text : {"30", "2.5", "1000000", "normal"}) {
    option.set(options, text);
    EXPECT_EQ(option.text(options), text);
    EXPECT_EQ(resolve(resolve(options)), resolve(options));
  }
}

TEST(Tails, AreRefused) {
  const auto says = [](const char* text) {
    return message_of([&] {
      EstimateOptions options;
      estimate_option("tails").set(options, text);
    });
  };
  for (const char* text : {"2", "1", "0", "-3", "inf"})
    EXPECT_THAT(says(text), AllOf(HasSubstr("must be more than 2"), HasSubstr("tails 'normal'")))
        << text;
  EXPECT_THAT(says("heavy"), AllOf(HasSubstr("'heavy'"), HasSubstr("normal, NUMBER")));
  EXPECT_THAT(says("nan"), HasSubstr("'nan'"));
  EXPECT_THAT(says("auto"), HasSubstr("normal,30,8,3"));
  EXPECT_THAT(message_of([] { resolve({.tails = Tails::student(nan)}); }),
              HasSubstr("must be more than 2"));
  EXPECT_THAT(
      message_of([] { resolve({.inference = Inference::bayes, .tails = Tails::student(8)}); }),
      AllOf(HasSubstr("Student's t already"), HasSubstr("estimate 'plugin'")));
}

}  // namespace
}  // namespace suffice::tails_test
