#include "core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace suffice::random_test {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// The known answers that Random123 publishes for philox4x32 with ten rounds (tests/kat_vectors).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Values and the script that made them lie in tests/reference.
nlohmann::json reference() {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/random.json");
  return nlohmann::json::parse(file);
}

TEST(RowRandom, HasTheSameBitsAsTheSecondImplementation) {
  const auto variates = reference().at("variates");
  ASSERT_EQ(variates.size(), 40u);
  for (const auto& variate : variates) {
    RowRandom uniforms(variate["seed"], variate["row"]);
    RowRandom normals(variate["seed"], variate["row"]);
    for (int k = variate["k"]; k > 0; --k) {
      uniforms.uniform();
      normals.normal();
    }
    EXPECT_EQ(uniforms.uniform(), variate["uniform"].get<double>()) << variate;
    EXPECT_EQ(normals.normal(), variate["normal"].get<double>()) << variate;
  }
}

TEST(NormalQuantile, MatchesFiftyDigitArithmetic) {
  const auto values = reference().at("quantiles");
  ASSERT_EQ(values.size(), 26u);
  for (const auto& value : values) {
    const double expected = value["quantile"];
    EXPECT_NEAR(normal_quantile(value["p"]), expected, 1e-15 * std::max(1., std::abs(expected)))
        << value;
  }
}

TEST(RowRandom, UniformsFillTheOpenUnitInterval) {
  // Over n variates the share below each tenth is binomial: five deviations around its mean.
  constexpr int n = 200000;
  std::array<int, 10> count{};
  double product_sum = 0, last = 0.5;
  for (int i = 0; i < n / 100; ++i) {
    RowRandom random(7, static_cast<std::uint64_t>(i));
    for (int k = 0; k < 100; ++k) {
      const double u = random.uniform();
      ASSERT_GT(u, 0);
      ASSERT_LT(u, 1);
      ++count[static_cast<std::size_t>(u * 10)];
      product_sum += (u - 0.5) * (last - 0.5);
      last = u;
    }
  }
  for (const int c : count) EXPECT_NEAR(c, n / 10, 5 * std::sqrt(n * 0.09));
  // Neighbours are uncorrelated: each product has variance 1/144.
  EXPECT_NEAR(product_sum, 0, 5 * std::sqrt(n / 144.));
}

TEST(RowRandom, NormalsHaveTheMomentsOfTheNormalDistribution) {
  constexpr int n = 200000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  for (int i = 0; i < n; ++i) {
    RowRandom random(11, static_cast<std::uint64_t>(i));
    random.uniform();
    const double z = random.normal();
    sum += z;
    squares += z * z;
    cubes += z * z * z;
    fourths += z * z * z * z;
  }
  // Var z^k = E z^2k − (E z^k)²: 1, 2, 15, 96; five deviations of the mean.
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1. / n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2. / n));
  EXPECT_NEAR(cubes / n, 0, 5 * std::sqrt(15. / n));
  EXPECT_NEAR(fourths / n, 3, 5 * std::sqrt(96. / n));
}

}  // namespace
}  // namespace suffice::random_test
