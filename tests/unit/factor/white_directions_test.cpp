#include "factor/white_directions.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "stats/pooled.hpp"
#include "suffice/core/error.hpp"
#include "support/message_of.hpp"

namespace suffice::white_directions_test {
namespace {

using ::suffice::testing::message_of;
using ::testing::HasSubstr;

/// Tᵀ C T, which must be the identity.
void expect_white(const Matrix& covariance, const Matrix& t) {
  for (Index a = 0; a < t.cols(); ++a)
    for (Index b = 0; b < t.cols(); ++b) {
      double product = 0;
      for (Index i = 0; i < t.rows(); ++i)
        for (Index j = 0; j < t.rows(); ++j) product += t(i, a) * covariance(i, j) * t(j, b);
      EXPECT_NEAR(product, a == b, 1e-9) << a << ", " << b;
    }
}

TEST(WhiteDirections, OfACovarianceWithAnInverseKeepsAllDirections) {
  const Matrix covariance{{4, 1e3}, {1e3, 1e6}};  // correlation ½, in different units
  const WhiteDirections found = white_directions(covariance);
  EXPECT_TRUE(found.complete);
  ASSERT_EQ(found.matrix.cols(), 2);
  expect_white(covariance, found.matrix);
}

TEST(WhiteDirections, LeavesOutWhatDoesNotVary) {
  // The third feature is the sum of the first two; the fourth is constant.
  const Matrix covariance{{1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 2, 0}, {0, 0, 0, 0}};
  const WhiteDirections found = white_directions(covariance);
  EXPECT_FALSE(found.complete);
  ASSERT_EQ(found.matrix.cols(), 2);
  expect_white(covariance, found.matrix);
  for (const double entry : found.matrix.row(3)) EXPECT_EQ(entry, 0);

  const WhiteDirections constant = white_directions(Matrix(2, 2));
  EXPECT_TRUE(constant.complete);
  EXPECT_EQ(constant.matrix.rows(), 2);
  EXPECT_EQ(constant.matrix.cols(), 0);
}

TEST(WhiteDirections, LeavesOutEigenvaluesOfTheCorrelationsUpToTheCutoff) {
  const Matrix covariance{{1, 0.9}, {0.9, 1}};  // eigenvalues 1.9 and 0.1
  EXPECT_EQ(white_directions(covariance, 0.05).matrix.cols(), 2);
  const WhiteDirections one = white_directions(covariance, 0.2);
  EXPECT_FALSE(one.complete);
  ASSERT_EQ(one.matrix.cols(), 1);
  const double expected = 1 / std::sqrt(2 * 1.9);
  EXPECT_NEAR(std::abs(one.matrix(0, 0)), expected, 1e-15);
  EXPECT_NEAR(one.matrix(1, 0), one.matrix(0, 0), 1e-15);
}

TEST(WhiteDirections, RefusesWhatIsNotSquare) {
  EXPECT_THAT(message_of([] { white_directions(Matrix(2, 3)); }), HasSubstr("2 × 3"));
}

/// Two classes far from the origin, and one without rows: means (1, 2) and (5, 4) beyond 1e9.
Statistics two_classes() {
  constexpr double far = 1e9;
  const Matrix x{{far + 0, far + 2}, {far + 2, far + 2}, {far + 5, far + 1}, {far + 5, far + 7}};
  const std::vector<std::string> labels = {"a", "a", "b", "b"};
  Statistics statistics(Schema::numbered(2), {.labels = {"a", "b", "unseen"}});
  statistics.update(RowBlock(x).labels(labels));
  return statistics;
}

TEST(Pooled, MeansKeepTheirDigitsFarFromTheOrigin) {
  const Statistics statistics = two_classes();
  const auto& block = std::get<GaussianStatistics>(statistics.blocks()[0]);
  const PooledMeans means = pooled_means(block, Vector{0.25, 0.75, 0});
  EXPECT_EQ(means.centre[0] - 1e9, 4);    // ¼ 1 + ¾ 5
  EXPECT_EQ(means.centre[1] - 1e9, 3.5);  // ¼ 2 + ¾ 4
  EXPECT_EQ(means.deviations, (Matrix{{-3, -1.5}, {1, 0.5}, {0, 0}}));
}

TEST(Pooled, CovarianceIsTheMeanOfTheClassesByTheirShares) {
  const Statistics statistics = two_classes();
  const auto& block = std::get<GaussianStatistics>(statistics.blocks()[0]);
  // The covariances are diag(1, 0) and diag(0, 9).
  EXPECT_EQ(pooled_covariance(block, Vector{0.25, 0.75, 0}), (Matrix{{0.25, 0}, {0, 6.75}}));
  EXPECT_EQ(pooled_covariance(block, Vector{0, 1, 0}), (Matrix{{0, 0}, {0, 9}}));
}

}  // namespace
}  // namespace suffice::white_directions_test
