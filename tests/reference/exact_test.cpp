// Statistics of integers, against exact arithmetic. With integer x and y the scatter is the
// rational number (n Σxy − Σx Σy) / n, whose numerator and denominator are exact here.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "suffice/suffice.hpp"

namespace suffice::exact_test {
namespace {

__extension__ typedef __int128 Integer;

/// The exact quotient, rounded to 64 bits: far below an ulp of a double.
long double quotient(Integer numerator, Integer denominator) {
  const Integer whole = numerator / denominator, rest = numerator % denominator;
  return static_cast<long double>(whole) +
         static_cast<long double>(rest) / static_cast<long double>(denominator);
}

double ulp(long double value) {
  const double v = std::abs(static_cast<double>(value));
  return std::nextafter(v, INFINITY) - v;
}

struct ExactSums {
  Integer n = 0;
  std::vector<Integer> sum, product;  ///< d and d × d

  ExactSums(const std::vector<std::int64_t>& x, std::size_t d, const std::vector<int>& times)
      : sum(d), product(d * d) {
    for (std::size_t row = 0; row < times.size(); ++row) {
      n += times[row];
      for (std::size_t i = 0; i < d; ++i) {
        sum[i] += Integer(times[row]) * x[row * d + i];
        for (std::size_t j = 0; j < d; ++j)
          product[i * d + j] += Integer(times[row]) * x[row * d + i] * x[row * d + j];
      }
    }
  }
  long double mean(std::size_t i) const { return quotient(sum[i], n); }
  long double scatter(std::size_t i, std::size_t j, std::size_t d) const {
    return quotient(n * product[i * d + j] - sum[i] * sum[j], n);
  }
};

// Sums of so few integers, and their means over 2^k rows, are doubles: no bit may differ.
TEST(Exact, SixteenRowsToTheLastBit) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::size_t d = 3, n = 16;
    std::vector<std::int64_t> x(n * d);
    for (auto& v : x) v = static_cast<std::int64_t>(random() % 2001) - 1000;
    const ExactSums exact(x, d, std::vector<int>(n, 1));
    const std::vector<std::string> y(n, "c");
    for (const Scatter kind : {Scatter::dense, Scatter::diagonal}) {
      Statistics stats(Schema::numbered(d), {.scatter = kind});
      stats.update(RowBlock(MatrixView(x.data(), n, d), y));
      const auto& block = std::get<GaussianStatistics>(stats.blocks()[0]);
      const Moments moments = block.moments(0);
      for (std::size_t i = 0; i < d; ++i) {
        const auto at = static_cast<Index>(i);
        EXPECT_EQ(moments.weight[at], 16);
        EXPECT_EQ(moments.mean[at], static_cast<double>(exact.mean(i)));
        EXPECT_EQ(moments.squares[at], static_cast<double>(exact.scatter(i, i, d)));
        if (kind == Scatter::diagonal) continue;
        for (std::size_t j = 0; j < d; ++j) {
          EXPECT_EQ(block.classes[0].complete.scatter(at, static_cast<Index>(j)),
                    static_cast<double>(exact.scatter(i, j, d)));
        }
      }
    }
  }
}

// More rows, offsets that swallow the digits of raw power sums (x² ≈ 10²⁰ needs 67 bits), integer
// weights. The mean is right to the last bit but one; with its low-order word it has digits beyond
// a double. A scatter is a sum of n rounded terms, so it is right to n 2⁻⁵³ of √(S_ii S_jj),
// whatever the offset.
TEST(Exact, ManyRowsWithAnOffset) {
  for (const std::int64_t offset :
       {std::int64_t{0}, std::int64_t{1000003}, std::int64_t{10000000019}}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      SCOPED_TRACE("offset " + std::to_string(offset) + ", seed " + std::to_string(seed));
      std::mt19937_64 random(seed);
      const std::size_t d = 4, n = 5000;
      const long double rounding = n * 0x1p-53L;
      std::vector<std::int64_t> x(n * d);
      std::vector<int> times(n);
      for (std::size_t row = 0; row < n; ++row) {
        times[row] = static_cast<int>(random() % 4);
        const auto shared = static_cast<std::int64_t>(random() % 101);
        for (std::size_t i = 0; i < d; ++i)
          x[row * d + i] = offset + shared + static_cast<std::int64_t>(random() % 201);
      }
      const ExactSums exact(x, d, times);
      const std::vector<std::string> y(n, "c");
      RowBlock rows(MatrixView(x.data(), n, d), y);
      rows.weights(times);
      for (const Scatter kind : {Scatter::dense, Scatter::diagonal}) {
        Statistics stats(Schema::numbered(d), {.scatter = kind});
        stats.update(rows);
        const auto& block = std::get<GaussianStatistics>(stats.blocks()[0]);
        const Moments moments = block.moments(0);
        EXPECT_EQ(stats.weights()[0], static_cast<double>(exact.n));
        for (std::size_t i = 0; i < d; ++i) {
          const auto a = static_cast<Index>(i);
          const long double mean = static_cast<long double>(moments.mean[a]) + moments.mean_low[a];
          EXPECT_LE(std::abs(moments.mean[a] - static_cast<double>(exact.mean(i))),
                    ulp(exact.mean(i)));
          // Beyond a double: what is left is far below the spread of the values, about 65.
          EXPECT_LE(std::abs(mean - exact.mean(i)), 1e-13L + 1e-3L * ulp(exact.mean(i)));
          EXPECT_LE(std::abs(moments.squares[a] - exact.scatter(i, i, d)),
                    rounding * exact.scatter(i, i, d));
          if (kind == Scatter::diagonal) continue;
          for (std::size_t j = 0; j < d; ++j) {
            const long double scale = std::sqrt(exact.scatter(i, i, d) * exact.scatter(j, j, d));
            EXPECT_LE(std::abs(block.classes[0].complete.scatter(a, static_cast<Index>(j)) -
                               exact.scatter(i, j, d)),
                      rounding * scale);
          }
        }
      }
    }
  }
}

// Sums of counts below 2⁵³ are exact in any order: nothing may be lost.
TEST(Exact, CountsToTheLastBit) {
  std::mt19937_64 random(7);
  const std::size_t d = 5, n = 3000;
  std::vector<std::int64_t> x(n * d);
  std::vector<int> times(n);
  std::vector<std::string> y(n);
  const std::string names[3] = {"a", "b", "c"};
  std::int64_t sum[3][5] = {}, weight[3] = {};
  for (std::size_t row = 0; row < n; ++row) {
    const std::size_t c = random() % 3;
    y[row] = names[c];
    times[row] = 1 + static_cast<int>(random() % 3);
    weight[c] += times[row];
    for (std::size_t i = 0; i < d; ++i) {
      x[row * d + i] = static_cast<std::int64_t>(random() % 1000000);
      sum[c][i] += times[row] * x[row * d + i];
    }
  }
  RowBlock rows(MatrixView(x.data(), n, d), y);
  rows.weights(times);
  for (const Family family : {Family::poisson, Family::multinomial}) {
    Statistics stats(Schema::numbered(d, family));
    stats.update(rows);
    const auto& block = std::get<CountStatistics>(stats.blocks()[0]);
    for (Index c = 0; c < 3; ++c) {
      EXPECT_EQ(stats.weights()[c], static_cast<double>(weight[c]));
      for (Index i = 0; i < static_cast<Index>(d); ++i)
        EXPECT_EQ(block.sum(c, i), static_cast<double>(sum[c][i]));
    }
  }
}

// Log-likelihoods with parameters that are powers of two are sums of multiples of log 2.
TEST(Exact, PowersOfTwo) {
  const double log2 = std::log(2.0);
  const Model model({.schema = Schema::numbered(6, Family::bernoulli),
                     .labels = {"a", "b"},
                     .weights = {},
                     .densities = {BernoulliDensity{
                         {{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}}}});
  const Matrix x{{0, 1, 0, 1, 1, 0}};
  const LogLikelihoods L = log_likelihood(model, RowBlock(x));
  EXPECT_NEAR(L.values(0, 0), -6 * log2, 4e-16 * 6);
  EXPECT_EQ(L.values(0, 0), L.values(0, 1));
}

}  // namespace
}  // namespace suffice::exact_test
