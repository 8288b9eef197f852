#include "algebra/blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Core>

#include "core/kernels.hpp"
#include "suffice/core/error.hpp"

namespace suffice::blas {
namespace {

/// Small whole numbers: products and sums are exact, whatever their order.
Matrix whole(Index rows, Index cols, unsigned seed) {
  std::mt19937 random(seed);
  Matrix result(rows, cols);
  for (Index i = 0; i < result.size(); ++i)
    result.data()[i] = static_cast<double>(random() % 9) - 4;
  return result;
}

TEST(Blas, ProductsInsideLargerMatrices) {
  const Index m = 5, n = 7, k = 4, ld = 11;
  const Matrix a = whole(20, ld, 1), b = whole(20, ld, 2);
  for (const double beta : {0.0, 1.0, -2.0}) {
    Matrix plain = whole(20, ld, 3), right = plain, left = plain;
    const Matrix before = plain;
    gemm(m, n, k, 3, a.data(), ld, b.data(), ld, beta, plain.data(), ld);
    gemm_nt(m, n, k, 3, a.data(), ld, b.data(), ld, beta, right.data(), ld);
    gemm_tn(m, n, k, 3, a.data(), ld, b.data(), ld, beta, left.data(), ld);
    for (Index i = 0; i < 20; ++i) {
      for (Index j = 0; j < ld; ++j) {
        double ab = 0, abt = 0, atb = 0;
        for (Index l = 0; l < k; ++l) {
          if (i >= m || j >= n) break;
          ab += a(i, l) * b(l, j);
          abt += a(i, l) * b(j, l);
          atb += a(l, i) * b(l, j);
        }
        const bool inside = i < m && j < n;
        const double kept = inside ? beta * before(i, j) : before(i, j);
        EXPECT_EQ(plain(i, j), kept + 3 * ab);
        EXPECT_EQ(right(i, j), kept + 3 * abt);
        EXPECT_EQ(left(i, j), kept + 3 * atb);
      }
    }
  }
}

TEST(Blas, RankUpdateOfTheUpperTriangle) {
  const Index n = 6, k = 9, ld = 8;
  const Matrix a = whole(k, ld, 4), before = whole(n, ld, 5);
  Matrix c = before;
  syrk_tn(n, k, a.data(), ld, c.data(), ld);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < ld; ++j) {
      double sum = before(i, j);
      for (Index l = 0; l < k && j >= i && j < n; ++l) sum += a(l, i) * a(l, j);
      EXPECT_EQ(c(i, j), sum) << i << " " << j;
    }
  }
}

/// Sizes around those of tiles and blocks.
TEST(Blas, ProductsOfAnySize) {
  for (const Index m : {1, 4, 9, 130, 267})
    for (const Index n : {1, 5, 24, 49, 781})
      for (const Index k : {1, 7, 201, 300}) {
        const Matrix a = whole(m, k, 1), b = whole(k, n, 2);
        Matrix c(m, n);
        gemm(m, n, k, 2, a.data(), k, b.data(), n, 0, c.data(), n);
        const Eigen::MatrixXd expected = 2 * a.map() * b.map();
        EXPECT_EQ(c.map(), expected) << m << " × " << n << " × " << k;
      }
}

TEST(Blas, OnlyTheTriangleIsTouched) {
  for (const Index n : {3, 25, 150, 800})
    for (const Index k : {1, 90, 210}) {
      const Matrix a = whole(k, n, 3);
      Matrix upper(n, n), lower(n, n);
      std::fill_n(upper.data(), n * n, 7.0);
      std::fill_n(lower.data(), n * n, 7.0);
      const kernels::Factor columns{a.data(), 1, n};
      syrk_tn(n, k, a.data(), n, upper.data(), n);
      kernels::add_product(n, n, k, 1, columns, columns, lower.data(), n, kernels::Triangle::lower);
      const Eigen::MatrixXd product = a.map().transpose() * a.map();
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          ASSERT_EQ(upper(i, j), j >= i ? 7 + product(i, j) : 7) << i << ", " << j;
          ASSERT_EQ(lower(i, j), j <= i ? 7 + product(i, j) : 7) << i << ", " << j;
        }
    }
}

TEST(Blas, CholeskyAndInverseOfSeveralBlocks) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const Index n : {63, 64, 65, 200, 333}) {
    Eigen::MatrixXd x(2 * n, n);
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = normal(random);
    const Eigen::MatrixXd s = x.transpose() * x;
    Matrix factor(n, n);
    factor.map() = s;
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j < n; ++j) factor(i, j) = 99;  // is left alone
    ASSERT_EQ(cholesky(n, factor.data(), n), n);
    Matrix inverse = factor;
    invert_lower(n, inverse.data(), n);
    Eigen::MatrixXd l = Eigen::MatrixXd::Zero(n, n), w = l;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        if (j <= i) l(i, j) = factor(i, j), w(i, j) = inverse(i, j);
        ASSERT_TRUE(j <= i || (factor(i, j) == 99 && inverse(i, j) == 99));
      }
    EXPECT_LT((l * l.transpose() - s).norm(), 1e-13 * s.norm() * static_cast<double>(n));
    EXPECT_LT((w * l - Eigen::MatrixXd::Identity(n, n)).norm(), 1e-12 * static_cast<double>(n));
    // A column that depends on others.
    factor.map() = s;
    factor.map().row(70 % n) = s.row(3);
    factor.map().col(70 % n) = s.col(3);
    factor(70 % n, 70 % n) = s(3, 3) * (1 - 1e-10);
    EXPECT_EQ(cholesky(n, factor.data(), n), std::max<Index>(70 % n, 3));
  }
}

TEST(Blas, CholeskyAndInverse) {
  // L and its square, worked by hand; the upper triangle must be left alone.
  Matrix a = {{4, 99, 99}, {2, 10, 99}, {-6, 3, 19}};  // L = (2), (1, 3), (-3, 2, √6)
  EXPECT_EQ(cholesky(3, a.data(), 3), 3);
  EXPECT_DOUBLE_EQ(a(0, 0), 2);
  EXPECT_DOUBLE_EQ(a(1, 0), 1);
  EXPECT_DOUBLE_EQ(a(1, 1), 3);
  EXPECT_DOUBLE_EQ(a(2, 0), -3);
  EXPECT_DOUBLE_EQ(a(2, 1), 2);
  EXPECT_DOUBLE_EQ(a(2, 2), std::sqrt(6.0));
  EXPECT_EQ(a(0, 1), 99);
  EXPECT_EQ(a(1, 2), 99);
  invert_lower(3, a.data(), 3);
  EXPECT_DOUBLE_EQ(a(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(a(1, 0), -1.0 / 6);
  EXPECT_DOUBLE_EQ(a(1, 1), 1.0 / 3);
  EXPECT_DOUBLE_EQ(a(2, 0), (1.5 + 1.0 / 3) / std::sqrt(6.0));
  EXPECT_DOUBLE_EQ(a(2, 1), -2.0 / 3 / std::sqrt(6.0));
  EXPECT_DOUBLE_EQ(a(2, 2), 1 / std::sqrt(6.0));
  EXPECT_EQ(a(0, 2), 99);
}

TEST(Blas, CholeskyTellsTheFirstPivotThatIsNotPositive) {
  Matrix a = {{1, 0, 0}, {1, 1, 0}, {0, 0, 1}};  // features 0 and 1 are the same
  EXPECT_EQ(cholesky(3, a.data(), 3), 1);
}

TEST(Blas, EigenvaluesAndVectorsWorkedByHand) {
  // [[2, 1], [1, 2]] has 1 along (1, −1)/√2 and 3 along (1, 1)/√2; the 99 must not be read.
  Matrix a = {{2, 99, 7}, {1, 2, 7}};
  Vector values(2), alone(2);
  Matrix copy = a;
  eigh(2, a.data(), 3, values.data());
  eigenvalues(2, copy.data(), 3, alone.data());
  EXPECT_NEAR(values[0], 1, 1e-15);
  EXPECT_NEAR(values[1], 3, 1e-15);
  EXPECT_NEAR(alone[0], 1, 1e-15);
  EXPECT_NEAR(alone[1], 3, 1e-15);
  EXPECT_NEAR(a(0, 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(a(0, 1), -std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(a(1, 0), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(a(1, 1), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(a(0, 2), 7);
}

TEST(Blas, EigenvectorsAreOrthonormalAndGiveTheMatrixBack) {
  for (const Index n : {1, 2, 3, 17, 60}) {
    const Matrix x = whole(n, n, 6);
    Matrix a(n, n);
    gemm_tn(n, n, n, 1, x.data(), n, x.data(), n, 0, a.data(), n);
    Matrix v = a;
    Vector values(n), alone(n);
    eigh(n, v.data(), n, values.data());
    Matrix copy = a;
    eigenvalues(n, copy.data(), n, alone.data());
    const double size = values[n - 1];
    for (Index i = 0; i < n; ++i) {
      EXPECT_NEAR(values[i], alone[i], 1e-12 * size);
      EXPECT_LE(values[std::max<Index>(i - 1, 0)], values[i]);
      for (Index j = 0; j < n; ++j) {
        double dot = 0, back = 0;
        for (Index l = 0; l < n; ++l) {
          dot += v(i, l) * v(j, l);
          back += v(l, i) * values[l] * v(l, j);
        }
        EXPECT_NEAR(dot, i == j ? 1 : 0, 1e-13);
        EXPECT_NEAR(back, a(i, j), 1e-12 * size);
      }
    }
  }
}

TEST(Blas, EigenvaluesOfTheSecondDifferences) {
  // 2 on the diagonal and −1 beside it: 4 sin²(π k / (2 (n + 1))), k = 1 … n. Turned by a
  // reflection I − 2 u uᵀ, the matrix is full and has the same ones. Sizes about those of blocks
  // and vectors.
  for (const Index n : {1, 2, 3, 5, 31, 32, 33, 64, 65, 127, 200}) {
    const Matrix direction = whole(1, n, 8);
    double squares = 0;
    for (const double x : direction.row(0)) squares += x * x;
    const auto entry = [&](Index i, Index j) {
      return i == j ? 2.0 : std::abs(i - j) == 1 ? -1.0 : 0.0;
    };
    Matrix left(n, n), both(n, n);
    const auto reflection = [&](Index i, Index j) {
      return (i == j ? 1.0 : 0.0) - 2 * direction(0, i) * direction(0, j) / squares;
    };
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        for (Index k = 0; k < n; ++k) left(i, j) += reflection(i, k) * entry(k, j);
    for (const double size : {1.0, 1e-200, 1e200}) {  // whose squares are no doubles
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          double sum = 0;
          for (Index k = 0; k < n; ++k) sum += left(i, k) * reflection(k, j);
          both(i, j) = size * sum;
        }
      Vector values(n);
      eigenvalues(n, both.data(), n, values.data());
      for (Index k = 0; k < n; ++k) {
        const double root = 2 * std::sin(std::numbers::pi * static_cast<double>(k + 1) /
                                         (2 * static_cast<double>(n + 1)));
        EXPECT_NEAR(values[k] / size, root * root, 1e-13) << n << ' ' << k << ' ' << size;
      }
    }
  }
}

TEST(Blas, EigenvaluesOfDiagonalAndOfEqualEntries) {
  const Index n = 70;
  Matrix diagonal(n, n), equal(n, n), none(n, n);
  for (Index i = 0; i < n; ++i) {
    diagonal(i, i) = static_cast<double>((7 * i) % n);  // 0 … n − 1 in some order
    for (Index j = 0; j < n; ++j) equal(i, j) = 3;
  }
  Vector values(n);
  eigenvalues(n, diagonal.data(), n, values.data());
  for (Index k = 0; k < n; ++k)
    EXPECT_EQ(values[k], (k / 7) * 7) << "7 divides 70: each comes 7 times";
  eigenvalues(n, equal.data(), n, values.data());
  for (Index k = 0; k + 1 < n; ++k) EXPECT_NEAR(values[k], 0, 1e-12);
  EXPECT_NEAR(values[n - 1], 3 * n, 1e-12 * n);
  eigenvalues(n, none.data(), n, values.data());
  for (const double value : values) EXPECT_EQ(value, 0);
}

TEST(Blas, EigenvaluesBesideAColumnThatIsNearlyZero) {
  // Of {{1, ½}, {½, 1}} and 0: the squares of the first column have hardly a digit.
  for (const double tiny : {0.0, 1e-100, 2e-162, 1e-300}) {
    Matrix a = {{0, 0, 0}, {tiny, 1, 0}, {tiny, 0.5, 1}};
    Vector values(3);
    eigenvalues(3, a.data(), 3, values.data());
    EXPECT_NEAR(values[0], 0, 1e-15) << tiny;
    EXPECT_NEAR(values[1], 0.5, 1e-15) << tiny;
    EXPECT_NEAR(values[2], 1.5, 1e-15) << tiny;
  }
}

TEST(Blas, NoEigenvaluesOfWhatIsNotFinite) {
  Matrix a = {{1, 0}, {std::nan(""), 1}};
  Vector values(2);
  EXPECT_THROW(eigh(2, a.data(), 2, values.data()), InvalidArgument);
  EXPECT_THROW(eigenvalues(2, a.data(), 2, values.data()), InvalidArgument);
}

/// R of a matrix whose columns are Q R for the orthonormal columns of Q, cosines, in units of their
/// own: R again, up to the signs of its rows.
TEST(Blas, QrFindsTheTriangle) {
  for (const Index n : {1, 4, 31, 32, 33, 70})
    for (const Index m : {n, n + 1, 3 * n}) {
      Matrix q(m, n), r(n, n), a(m, n + 2);
      for (Index i = 0; i < m; ++i)
        for (Index k = 0; k < n; ++k)
          q(i, k) = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) *
                             static_cast<double>(k) / static_cast<double>(m)) *
                    std::sqrt((k ? 2.0 : 1.0) / static_cast<double>(m));
      const Matrix entries = whole(n, n, 9);
      const auto unit = [&](Index j) { return std::pow(10, j % 3 * 200 - 200); };
      for (Index i = 0; i < n; ++i)
        for (Index j = i; j < n; ++j) r(i, j) = i == j ? 6 : entries(i, j) / static_cast<double>(n);
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < n; ++j) {
          for (Index k = 0; k <= j; ++k) a(i, j) += q(i, k) * r(k, j);
          a(i, j) *= unit(j);
        }
      qr(m, n, a.data(), n + 2);
      for (Index i = 0; i < n; ++i)
        for (Index j = i; j < n; ++j)
          EXPECT_NEAR(std::copysign(1, a(i, i)) * a(i, j) / unit(j), r(i, j), 1e-13)
              << m << " × " << n << ": " << i << ", " << j;
      for (Index i = 0; i < m; ++i) EXPECT_EQ(a(i, n), 0) << "beside the matrix";
    }
}

TEST(Blas, QrOfColumnsThatDependOnOthers) {
  // The first column is 0, and the third twice the second: (3, 4) has the length 5.
  Matrix a = {{0, 3, 6}, {0, 4, 8}, {0, 0, 0}, {0, 0, 0}};
  qr(4, 3, a.data(), 3);
  double square = 0;
  for (Index i = 0; i < 2; ++i) square += a(i, 1) * a(i, 1);
  EXPECT_EQ(a(0, 0), 0);
  EXPECT_NEAR(square, 25, 1e-14);
  for (Index i = 0; i < 2; ++i) EXPECT_NEAR(a(i, 2), 2 * a(i, 1), 1e-15);
  EXPECT_NEAR(a(2, 2), 0, 1e-15);
}

}  // namespace
}  // namespace suffice::blas
