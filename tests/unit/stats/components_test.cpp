#include "suffice/stats/components.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "suffice/core/error.hpp"
#include "support/message_of.hpp"
#include "unit/make_statistics.hpp"

namespace suffice::components_test {
namespace {

using ::testing::AllOf;
using testing::ClassRows;
using testing::gaussian_block;
using testing::gaussian_statistics;
using ::testing::HasSubstr;
using testing::message_of;
using testing::nan;
using testing::thrown_by;

/// Rows of `classes` classes around means that differ in all directions; row = (…) · mix.
std::vector<ClassRows> random_classes(int classes, int rows, int d, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<ClassRows> result;
  for (int c = 0; c < classes; ++c) {
    ClassRows of{"class " + std::to_string(c), {}};
    std::vector<double> mean;
    for (int j = 0; j < d; ++j) mean.push_back(3 * normal(random));
    for (int i = 0; i < rows + c; ++i) {
      const double shared = normal(random);
      std::vector<double> row;
      for (int j = 0; j < d; ++j) row.push_back(mean[j] + (1 + j) * (normal(random) + shared));
      of.rows.push_back(row);
    }
    result.push_back(of);
  }
  return result;
}

/// Mᵀ A M.
Matrix between(const Matrix& m, const Matrix& a) {
  Matrix result(m.cols(), m.cols());
  for (Index i = 0; i < m.cols(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      for (Index k = 0; k < m.rows(); ++k)
        for (Index l = 0; l < m.rows(); ++l) result(i, j) += m(k, i) * a(k, l) * m(l, j);
  return result;
}

Matrix pooled_covariance(const Statistics& statistics) {
  const GaussianStatistics& block = gaussian_block(statistics);
  const Index d = block.classes[0].complete.mean.size();
  Matrix result(d, d);
  double weight = 0;
  for (const auto& of : block.classes) weight += of.complete.weight;
  for (const auto& of : block.classes)
    for (Index i = 0; i < result.size() && of.complete.weight > 0; ++i)
      result.data()[i] += of.complete.scatter.data()[i] / weight;
  return result;
}

// Rows (±3, ±3) and (±1, ∓1) about (10, 20), whatever their class: variance 9 along (1, 1)/√2 and
// 1 along (1, −1)/√2.
TEST(PrincipalComponents, WorkedByHand) {
  const Statistics statistics =
      gaussian_statistics({{"a", {{13, 23}, {11, 19}}}, {"b", {{7, 17}, {9, 21}}}}, 2);
  const LinearMap map = principal_components(statistics, 0, {.components = 2});
  EXPECT_NEAR(map.offset[0], 10, 1e-14);
  EXPECT_NEAR(map.offset[1], 20, 1e-14);
  EXPECT_NEAR(map.explained[0], 0.9, 1e-14);
  EXPECT_NEAR(map.explained[1], 0.1, 1e-14);
  const double h = std::sqrt(0.5);
  EXPECT_NEAR(map.matrix(0, 0), h, 1e-14);
  EXPECT_NEAR(map.matrix(1, 0), h, 1e-14);
  EXPECT_NEAR(map.matrix(0, 1), h, 1e-14);
  EXPECT_NEAR(map.matrix(1, 1), -h, 1e-14);
  EXPECT_EQ(principal_components(statistics, 0, {.share = 0.89}).matrix.cols(), 1);
  EXPECT_EQ(principal_components(statistics, 0, {.share = 0.91}).matrix.cols(), 2);
  EXPECT_EQ(principal_components(statistics, 0, {.share = 1}).matrix.cols(), 2);
}

TEST(PrincipalComponents, FewerAreTheFirstOfMoreToTheLastBit) {
  const Statistics statistics = gaussian_statistics(random_classes(3, 20, 7, 1), 7);
  const LinearMap all = principal_components(statistics, 0, {.components = 7});
  for (const Index k : {1, 3, 6})
    EXPECT_EQ(principal_components(statistics, 0, {.components = k}), first_components(all, k));
}

TEST(PrincipalComponents, ConstantFeaturesHaveNoPart) {
  std::vector<ClassRows> classes = random_classes(2, 9, 3, 2);
  for (auto& of : classes)
    for (auto& row : of.rows) row = {7, row[0], row[1], 0, row[2]};
  const LinearMap map = principal_components(gaussian_statistics(classes, 5), 0, {.components = 3});
  for (const Index j : {0, 3})
    for (Index k = 0; k < 3; ++k) EXPECT_EQ(map.matrix(j, k), 0);
  double sum = 0;
  for (const double share : map.explained) sum += share;
  EXPECT_NEAR(sum, 1, 1e-14);
}

TEST(PrincipalComponents, RefusesMoreThanThereAre) {
  std::vector<ClassRows> classes = random_classes(2, 20, 3, 3);
  for (auto& of : classes)
    for (auto& row : of.rows) row.push_back(row[0] - 2 * row[1]);
  const Statistics statistics = gaussian_statistics(classes, 4);
  const auto asked = [&](Pca pca) {
    return message_of([&] { principal_components(statistics, 0, pca); });
  };
  EXPECT_THAT(asked({.components = 5}), HasSubstr("at most 4 components, not 5"));
  EXPECT_THAT(asked({.components = 4}),
              AllOf(HasSubstr("vary in 3 directions"), HasSubstr("ask for 3 or fewer")));
  EXPECT_EQ(principal_components(statistics, 0, {.share = 1}).matrix.cols(), 3);
  EXPECT_THAT(asked({.components = 0}), HasSubstr("at least 1 component, not 0"));
  EXPECT_THAT(asked({.components = -2}), HasSubstr("at least 1 component, not -2"));
  for (const double share : {-0.1, 1.1, std::nan("")})
    EXPECT_THAT(asked({.share = share}), HasSubstr("above 0 and at most 1"));
  EXPECT_THAT(message_of([&] { principal_components(statistics, 1, {.components = 1}); }),
              HasSubstr("no block 1"));
}

TEST(PrincipalComponents, NeedsTheWholeScatterOfCompleteRowsThatDiffer) {
  const auto refused = [](const Statistics& statistics) {
    return message_of([&] { principal_components(statistics, 0, {.components = 1}); });
  };
  EXPECT_THAT(refused(gaussian_statistics({{"a", {{1, 2}, {3, 5}}}}, 2, Scatter::diagonal)),
              HasSubstr("kept its diagonal only"));
  EXPECT_THAT(refused(gaussian_statistics({{"a", {{1, nan}, {nan, 5}}}}, 2)),
              HasSubstr("no row in which all Gaussian features are present"));
  EXPECT_THAT(refused(gaussian_statistics({{"a", {{1, 2}}}, {"b", {{1, 2}}}}, 2)),
              HasSubstr("constant"));
}

TEST(PrincipalComponents, HaveTextsBothWays) {
  EXPECT_EQ(pca_from_string("50"), (Pca{.components = 50}));
  EXPECT_EQ(pca_from_string("90%"), (Pca{.share = 0.9}));
  EXPECT_EQ(pca_from_string("100%"), (Pca{.share = 1}));
  EXPECT_EQ(to_string(Pca{.components = 50}), "50");
  EXPECT_EQ(to_string(Pca{.share = 0.9}), "90%");
  for (const char* text : {"", "%", "x", "5x", "1.5", "nan", "1e30", "5 %"})
    EXPECT_THAT(message_of([&] { pca_from_string(text); }),
                AllOf(HasSubstr("number of components (50)"), HasSubstr("'" + std::string(text))));
  for (const char* text : {"0", "-3", "0%", "101%", "-5%"})
    EXPECT_THROW(pca_from_string(text), InvalidArgument) << text;
  EXPECT_THAT(message_of([] { require_possible(Pca{.components = 3, .share = 0.5}); }),
              HasSubstr("not both"));
}

// Two classes about (∓2, 0): within classes the variances are 1 and 4, without correlation. The
// one direction is x0 with the deviation 1; between over within is 4.
TEST(DiscriminantComponents, WorkedByHand) {
  const Statistics statistics = gaussian_statistics(
      {{"a", {{-3, 2}, {-3, -2}, {-1, 2}, {-1, -2}}}, {"b", {{3, 2}, {3, -2}, {1, 2}, {1, -2}}}},
      2);
  const LinearMap map = discriminant_components(statistics, 0, 1);
  EXPECT_NEAR(std::abs(map.matrix(0, 0)), 1, 1e-14);
  EXPECT_NEAR(map.matrix(1, 0), 0, 1e-14);
  EXPECT_NEAR(map.explained[0], 4, 1e-13);
  EXPECT_EQ(map.offset, (Vector{0, 0}));
}

TEST(DiscriminantComponents, MakeTheCovarianceWithinClassesTheIdentity) {
  for (const double unit : {1.0, 1e-8, 1e7}) {
    std::vector<ClassRows> classes = random_classes(4, 15, 6, 4);
    for (auto& of : classes)
      for (auto& row : of.rows) row[1] *= unit;
    const Statistics statistics = gaussian_statistics(classes, 6);
    const LinearMap map = discriminant_components(statistics, 0, 3);
    const Matrix within = between(map.matrix, pooled_covariance(statistics));
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) EXPECT_NEAR(within(i, j), i == j ? 1 : 0, 1e-12);
    EXPECT_GT(map.explained[0], map.explained[1]);
    EXPECT_GT(map.explained[1], map.explained[2]);
    // The explained numbers are the variances of z between classes.
    const Statistics z =
        project(statistics, {.block = 0, .matrix = map.matrix, .offset = map.offset});
    for (Index k = 0; k < 3; ++k) {
      double sum = 0, weight = 0;
      for (const auto& of : gaussian_block(z).classes) {
        sum += of.complete.weight * of.complete.mean[k] * of.complete.mean[k];
        weight += of.complete.weight;
      }
      EXPECT_NEAR(sum / weight / map.explained[k], 1, 1e-12);
    }
  }
}

// Two directions that are nearly the same, and means that are a millionth apart in one of them:
// what is small must not take a part of what is large.
TEST(DiscriminantComponents, SmallDifferencesBesideLargeOnes) {
  std::vector<ClassRows> classes = random_classes(3, 30, 3, 5);
  for (std::size_t c = 0; c < 3; ++c)
    for (auto& row : classes[c].rows) {
      row[0] += 1e5 * static_cast<double>(c);
      row[1] += c == 1 ? 1e-2 : 0;
    }
  const Statistics statistics = gaussian_statistics(classes, 3);
  const LinearMap map = discriminant_components(statistics, 0, 2);
  const Matrix within = between(map.matrix, pooled_covariance(statistics));
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 2; ++j) EXPECT_NEAR(within(i, j), i == j ? 1 : 0, 1e-10);
}

TEST(DiscriminantComponents, WorkInTheRangeOfASingularScatter) {
  const std::vector<ClassRows> plain = random_classes(3, 12, 3, 6);
  std::vector<ClassRows> copied = plain;
  for (auto& of : copied)
    for (auto& row : of.rows) row = {row[0], row[1], row[0] + row[1], 5, row[2]};
  const Statistics few = gaussian_statistics(plain, 3), more = gaussian_statistics(copied, 5);
  const LinearMap a = discriminant_components(few, 0, 2), b = discriminant_components(more, 0, 2);
  for (Index k = 0; k < 2; ++k) {
    EXPECT_NEAR(a.explained[k] / b.explained[k], 1, 1e-11);
    for (std::size_t c = 0; c < plain.size(); ++c)
      for (std::size_t i = 0; i < plain[c].rows.size(); ++i) {
        double za = 0, zb = 0;
        for (Index j = 0; j < 3; ++j)
          za += (plain[c].rows[i][static_cast<std::size_t>(j)] - a.offset[j]) * a.matrix(j, k);
        for (Index j = 0; j < 5; ++j)
          zb += (copied[c].rows[i][static_cast<std::size_t>(j)] - b.offset[j]) * b.matrix(j, k);
        EXPECT_NEAR(za, zb, 1e-10);
      }
  }
  for (Index k = 0; k < 2; ++k) EXPECT_EQ(b.matrix(3, k), 0);
}

TEST(DiscriminantComponents, RefuseWhatHasNoAnswer) {
  const Statistics statistics = gaussian_statistics(random_classes(3, 9, 4, 7), 4);
  const auto asked = [](const Statistics& from, Index k) {
    return message_of([&] { discriminant_components(from, 0, k); });
  };
  EXPECT_THAT(asked(statistics, 3), HasSubstr("means of 3 classes span 2 dimensions, so lda has at "
                                              "most 2, not 3"));
  EXPECT_THAT(asked(statistics, 0), HasSubstr("1 dimension or more"));
  EXPECT_THAT(asked(gaussian_statistics(random_classes(5, 9, 2, 8), 2), 3),
              HasSubstr("features or principal components, 2 here, not 3"));
  EXPECT_THAT(asked(gaussian_statistics({{"a", {{1, 2}, {2, 5}}}}, 2), 1), HasSubstr("at most 0"));
  // Three means on a line.
  EXPECT_THAT(asked(gaussian_statistics({{"a", {{0, 1}, {0, -1}, {1, 0}, {-1, 0}}},
                                         {"b", {{5, 1}, {5, -1}, {6, 0}, {4, 0}}},
                                         {"c", {{9, 1}, {9, -1}, {10, 0}, {8, 0}}}},
                                        2),
                    2),
              HasSubstr("differ in 1 direction only"));
}

TEST(DiscriminantComponents, ClassesThatDifferWhereNoneVaries) {
  const SingularError flat = thrown_by<SingularError>([] {
    discriminant_components(
        gaussian_statistics({{"a", {{1, 2}, {1, 5}}}, {"b", {{2, 3}, {2, 1}}}}, 2), 0, 1);
  });
  EXPECT_THAT(flat.what(), AllOf(HasSubstr("feature 'x0': "), HasSubstr("no class varies"),
                                 HasSubstr("principal components first"),
                                 HasSubstr("the rank within classes is 1 of 2"),
                                 HasSubstr("leave this feature out")));
  EXPECT_EQ(flat.rank(), 1);
  EXPECT_EQ(flat.dimension(), 2);
  EXPECT_EQ(flat.features(), std::vector<std::string>{"x0"});
  // x1 − x0 is 0 in one class and 1 in the other.
  const SingularError line = thrown_by<SingularError>([] {
    discriminant_components(
        gaussian_statistics({{"a", {{1, 1}, {2, 2}, {5, 5}}}, {"b", {{1, 2}, {2, 3}, {4, 5}}}}, 2),
        0, 1);
  });
  EXPECT_THAT(line.what(), HasSubstr("in 1 direction in which no class varies"));
  EXPECT_EQ(line.rank(), 1);
}

TEST(Components, ComposedMapsAreOneAfterTheOther) {
  const LinearMap first{{{1, 2}, {3, 4}, {5, 6}}, {1, 1, 1}, {}};
  const LinearMap second{{{1}, {-1}}, {7, 7}, {0.5}};
  const LinearMap both = compose(first, second);
  EXPECT_EQ(both.matrix, (Matrix{{-1}, {-1}, {-1}}));
  EXPECT_EQ(both.offset, first.offset);
  EXPECT_EQ(both.explained, second.explained);
  EXPECT_THAT(message_of([&] { compose(second, second); }), HasSubstr("cannot follow"));
  EXPECT_THAT(message_of([&] { first_components(first, 3); }), HasSubstr("no first 3"));
}

// Deviations 1 and 100, correlation ½: the correlations have the eigenvectors (1, 1) and (1, −1)
// over √2, with 3/4 and 1/4 of the variance.
TEST(PrincipalComponents, OfStandardisedFeaturesAreThoseOfTheCorrelations) {
  const double h = std::sqrt(3) / 2;  // x = u, y = 100 (u/2 + h v) of u, v = ±1
  std::vector<std::vector<double>> rows;
  for (const double u : {-1.0, 1.0})
    for (const double v : {-1.0, 1.0}) rows.push_back({5 + u, 100 * (u / 2 + h * v)});
  const Statistics statistics = gaussian_statistics({{"a", rows}}, 2);
  const LinearMap map = principal_components(statistics, 0, {.components = 2, .standardize = true});
  EXPECT_NEAR(map.explained[0], 0.75, 1e-14);
  EXPECT_NEAR(map.explained[1], 0.25, 1e-14);
  EXPECT_NEAR(std::abs(map.matrix(0, 0)), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(map.matrix(1, 0) * 100, map.matrix(0, 0), 1e-14);
  EXPECT_NEAR(map.matrix(1, 1) * 100, -map.matrix(0, 1), 1e-14);
  EXPECT_NEAR(map.offset[0], 5, 1e-14);
}

}  // namespace
}  // namespace suffice::components_test
