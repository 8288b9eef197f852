#include "algebra/secular.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace suffice::secular_test {
namespace {

struct Changed {
  Vector roots;
  Matrix vectors;
};
Changed change(const Vector& d, const Vector& z, double rho) {
  Changed result{Vector(d.size()), Matrix(d.size(), d.size())};
  blas::diagonal_and_one(d, z, rho, result.roots, result.vectors);
  return result;
}

TEST(Secular, OneNumber) {
  const auto [roots, vectors] = change({3}, {0.5}, 8);
  EXPECT_DOUBLE_EQ(roots[0], 5);
  EXPECT_DOUBLE_EQ(std::abs(vectors(0, 0)), 1);
}

// diag(0, 3) + 2 (1, 1)ᵀ(1, 1) = {{2, 2}, {2, 5}}: 1 along (2, −1) and 6 along (1, 2).
TEST(Secular, TwoNumbersWorkedByHand) {
  const auto [roots, vectors] = change({0, 3}, {1, 1}, 2);
  EXPECT_DOUBLE_EQ(roots[0], 1);
  EXPECT_DOUBLE_EQ(roots[1], 6);
  EXPECT_NEAR(vectors(0, 1) / vectors(0, 0), -0.5, 1e-15);
  EXPECT_NEAR(vectors(1, 1) / vectors(1, 0), 2, 1e-15);
}

// Two of D that are a few units in the last place apart, and a z that is small: the roots lie
// between their neighbours, and vectors are orthogonal all the same.
TEST(Secular, NeighboursThatAreNearlyEqual) {
  const double unit = 0x1p-52;
  for (const double small : {0.6, 1e-3, 1e-7, 1e-12}) {
    const Vector d = {-1, 1, 1 + 4 * unit, 1 + 9 * unit, 2}, z = {0.5, small, 0.6, 0.4, small};
    const auto [roots, vectors] = change(d, z, 0.1);
    for (Index j = 0; j < 5; ++j) {
      EXPECT_GE(roots[j], d[j]);
      EXPECT_LE(roots[j], j < 4 ? d[j + 1] : 3);
      for (Index i = 0; i < 5; ++i) {
        double dot = 0;
        for (Index k = 0; k < 5; ++k) dot += vectors(i, k) * vectors(j, k);
        EXPECT_NEAR(dot, i == j ? 1 : 0, 1e-15) << small;
      }
    }
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 5; ++j) {
        double entry = 0;
        for (Index k = 0; k < 5; ++k) entry += vectors(k, i) * roots[k] * vectors(k, j);
        EXPECT_NEAR(entry, (i == j ? d[i] : 0) + 0.1 * z[i] * z[j], 3e-15) << small;
      }
  }
}

}  // namespace
}  // namespace suffice::secular_test
