#include "algebra/eigenvectors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <Eigen/Core>

#include "algebra/blas.hpp"
#include "suffice/core/error.hpp"

namespace suffice::eigenvectors_test {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Matrix normal_rows(Index rows, Index cols, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Matrix result(rows, cols);
  for (Index i = 0; i < result.size(); ++i) result.data()[i] = normal(random);
  return result;
}

Matrix gram_of(const Matrix& x) {
  Matrix result(x.cols(), x.cols());
  result.map() = x.map().transpose() * x.map();
  return result;
}

Matrix tridiagonal(Index n, const std::function<double(Index)>& diagonal,
                   const std::function<double(Index)>& beside) {
  Matrix result(n, n);
  for (Index i = 0; i < n; ++i) result(i, i) = diagonal(i);
  for (Index i = 0; i + 1 < n; ++i) result(i, i + 1) = result(i + 1, i) = beside(i);
  return result;
}

struct Decomposed {
  Vector values;
  Matrix vectors;
};
Decomposed eigen_of(const Matrix& a) {
  Decomposed result{Vector(a.rows()), a};
  blas::eigh(a.rows(), result.vectors.data(), a.rows(), result.values.data());
  return result;
}

/// What defines them, as well as the errors that LAPACK promises allow: of some n epsilon |A|.
void expect_eigenvectors(const Matrix& a, const std::string& name) {
  const Index n = a.rows();
  const auto [values, vectors] = eigen_of(a);
  const double size = std::max(std::abs(values[0]), std::abs(values[n - 1]));
  const double error = static_cast<double>(n + 40) * epsilon;
  const auto v = vectors.map();
  EXPECT_LE((v * a.map() - values.map().asDiagonal() * v).cwiseAbs().maxCoeff(), error * size)
      << name << ", n = " << n;
  EXPECT_LE((v * v.transpose() - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(), error)
      << name << ", n = " << n;
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end())) << name << ", n = " << n;
  Vector alone(n);
  Matrix copy = a;
  blas::eigenvalues(n, copy.data(), n, alone.data());
  EXPECT_LE((values.map() - alone.map()).cwiseAbs().maxCoeff(), 5 * error * size)
      << name << ", n = " << n;
}

// Sizes around those of blocks, and those that are divided once, twice, ….
TEST(Eigenvectors, OfMatricesThatAreHard) {
  for (const Index n : {1, 2, 3, 31, 32, 33, 34, 65, 66, 100, 131, 260}) {
    expect_eigenvectors(gram_of(normal_rows(2 * n, n, 1)), "of full rank");
    expect_eigenvectors(gram_of(normal_rows(n / 3 + 1, n, 2)), "of a third of the rank");
    Matrix shifted = gram_of(normal_rows(3, n, 3)), near_one = gram_of(normal_rows(n, n, 4));
    shifted.map().diagonal().array() += 1e-3;
    expect_eigenvectors(shifted, "three large values and one that comes many times");
    near_one.map() *= 1e-11;
    near_one.map().diagonal().array() += 1;
    expect_eigenvectors(near_one, "a cluster about 1");
    for (const double digits : {-10.0, 10.0, -140.0, 140.0}) {
      Matrix graded = normal_rows(2 * n, n, 5);
      for (Index j = 0; j < n; ++j)
        graded.map().col(j) *=
            std::pow(10, digits * static_cast<double>(j) / static_cast<double>(n));
      expect_eigenvectors(gram_of(graded), "graded by " + std::to_string(digits) + " digits");
    }
    Matrix equal(n, n), one(n, n), none(n, n);
    equal.map().setConstant(3);
    one.map().setIdentity();
    expect_eigenvectors(equal, "equal entries");
    expect_eigenvectors(one, "identity");
    expect_eigenvectors(none, "zero");
    // Pairs of values that differ by less than any double (Wilkinson 1965), once and in a chain.
    const auto distance = [](Index i, double from) {
      return std::abs(static_cast<double>(i) - from);
    };
    expect_eigenvectors(tridiagonal(
                            n, [&](Index i) { return distance(i, static_cast<double>(n - 1) / 2); },
                            [](Index) { return 1; }),
                        "Wilkinson");
    for (const double glue : {1e-4, 1e-8, 1e-14, 0.0})
      expect_eigenvectors(tridiagonal(
                              n, [&](Index i) { return distance(i % 21, 10); },
                              [&](Index i) { return i % 21 == 20 ? glue : 1; }),
                          "glued by " + std::to_string(glue));
  }
}

TEST(Eigenvectors, OfRandomTridiagonalMatrices) {
  const unsigned first = std::random_device()();
  const std::vector<double> sizes = {0,     1,     1,     1,     1e-3,   1e-8,   1e-12,
                                     1e-15, 1e-16, 1e-17, 1e-80, 1e-145, 1e-160, 1e-300};
  for (unsigned seed = first; seed != first + 100; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto any = [&](Index) { return sizes[random() % sizes.size()]; };
    const auto times = [&](Index i) { return any(i) * normal(random); };
    const auto whole = [&](Index) { return std::round(2 * normal(random)); };
    const Index n = 1 + static_cast<Index>(random() % 150);
    const std::vector<std::function<double(Index)>> kinds = {any, times, whole};
    const auto &diagonal = kinds[random() % 3], &beside = kinds[random() % 3];
    expect_eigenvectors(tridiagonal(n, diagonal, beside), "seed " + std::to_string(seed));
  }
}

// The second differences, 2 on the diagonal and −1 beside it: value k has the vector
// √(2 / (n + 1)) sin(π i k / (n + 1)), and the gap to its neighbours says how well it is known.
TEST(Eigenvectors, OfTheSecondDifferences) {
  for (const Index n : {2, 5, 33, 64, 129, 300})
    for (const double size : {1.0, 1e-200, 1e200}) {  // whose squares are no doubles
      const auto [values, vectors] = eigen_of(tridiagonal(
          n, [&](Index) { return 2 * size; }, [&](Index) { return -size; }));
      const auto angle = [&](Index k) {
        return std::numbers::pi * static_cast<double>(k) / static_cast<double>(n + 1);
      };
      const auto value = [&](Index k) { return 2 - 2 * std::cos(angle(k)); };
      for (Index k = 1; k <= n; ++k) {
        EXPECT_NEAR(values[k - 1] / size, value(k), 1e-14 * static_cast<double>(n));
        const double gap = std::min(value(k) - value(k - 1), value(k + 1) - value(k));
        Vector expected(n);
        for (Index i = 0; i < n; ++i)
          expected[i] = std::sqrt(2 / static_cast<double>(n + 1)) * std::sin(angle(k * (i + 1)));
        // An entry of exactly half the size of the largest leaves the sign to rounding.
        const double along = expected.map().dot(vectors.map().row(k - 1));
        for (Index i = 0; i < n; ++i)
          ASSERT_NEAR(std::copysign(1, along) * vectors(k - 1, i), expected[i], 1e-14 / gap)
              << n << ' ' << k << ' ' << i;
      }
    }
}

// I + u uᵀ: 1 comes n − 1 times, and the largest value 1 + uᵀu has the vector u.
TEST(Eigenvectors, OfTheIdentityAndOneDirection) {
  const Index n = 90;
  Matrix a(n, n);
  Vector u(n);
  for (Index i = 0; i < n; ++i) u[i] = static_cast<double>(i % 7 + 1);
  a.map() = u.map() * u.map().transpose();
  a.map().diagonal().array() += 1;
  const double square = u.map().squaredNorm();
  const auto [values, vectors] = eigen_of(a);
  for (Index k = 0; k + 1 < n; ++k) EXPECT_NEAR(values[k], 1, 1e-14 * square);
  EXPECT_NEAR(values[n - 1], 1 + square, 1e-14 * square);
  for (Index i = 0; i < n; ++i) EXPECT_NEAR(vectors(n - 1, i), u[i] / std::sqrt(square), 1e-14);
}

TEST(Eigenvectors, TheLargestAloneAreTheSameBits) {
  for (const Index n : {5, 32, 33, 70, 200, 300}) {
    for (const Matrix& a : {gram_of(normal_rows(2 * n, n, 6)), gram_of(normal_rows(n / 2, n, 7))}) {
      const auto [values, vectors] = eigen_of(a);
      for (const Index count : {Index{1}, Index{4}, Index{5}, n / 6 + 1, n}) {
        Matrix some = a;
        Vector same(n);
        blas::largest_eigenvectors(n, some.data(), n, same.data(), count);
        EXPECT_EQ(same, values);
        for (Index i = n - count; i < n; ++i)
          for (Index j = 0; j < n; ++j) ASSERT_EQ(some(i, j), vectors(i, j)) << n << ' ' << count;
      }
    }
  }
}

TEST(Eigenvectors, OnManyThreadsAreTheSameBits) {
  const Matrix a = gram_of(normal_rows(300, 150, 8));
  const auto [values, vectors] = eigen_of(a);
  std::vector<Decomposed> found(6);
  {
    std::vector<std::jthread> threads;
    for (Decomposed& one : found) threads.emplace_back([&] { one = eigen_of(a); });
  }
  for (const Decomposed& one : found) {
    EXPECT_EQ(one.values, values);
    EXPECT_EQ(one.vectors, vectors);
  }
}

TEST(Eigenvectors, SignsDoNotDependOnRounding) {
  Vector equal = {-0.7, 0.7, 0.1}, small = {0.1, -0.8, 0.6};
  blas::choose_sign(3, equal.data());
  blas::choose_sign(3, small.data());
  EXPECT_EQ(equal, (Vector{0.7, -0.7, -0.1}));
  EXPECT_EQ(small, (Vector{-0.1, 0.8, -0.6}));
}

}  // namespace
}  // namespace suffice::eigenvectors_test
