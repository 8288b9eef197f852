#include "core/constants.hpp"
#include "core/special_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace suffice::numeric_test {
namespace {

/// More numbers than are remembered, each several times, and those that have no logarithm.
TEST(Numeric, ARememberedLogarithmIsThatOfTheNumber) {
  for (int turn = 0; turn < 3; ++turn)
    for (int n = 1; n < 5000; ++n)
      for (const double x : {n / 5000.0, 1.0 / n, static_cast<double>(n)})
        ASSERT_EQ(remembered_log(x), std::log(x)) << x;
  EXPECT_EQ(remembered_log(0.0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(remembered_log(-0.0), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(remembered_log(-1.0)));
}

TEST(LogSumExp, AddsWhereTheProbabilitiesUnderflow) {
  const std::vector<double> values = {-1000, -1000 + std::log(3.)};
  EXPECT_DOUBLE_EQ(log_sum_exp(values), -1000 + std::log(4.));
  const std::vector<double> large = {1000, 1000};
  EXPECT_DOUBLE_EQ(log_sum_exp(large), 1000 + std::log(2.));
}

TEST(LogSumExp, OfNothingIsTheLogOfZero) {
  EXPECT_EQ(log_sum_exp({}), -infinity);
  const std::vector<double> impossible = {-infinity, -infinity};
  EXPECT_EQ(log_sum_exp(impossible), -infinity);
  const std::vector<double> one = {-infinity, 2.5};
  EXPECT_EQ(log_sum_exp(one), 2.5);
}

TEST(LogPoisson, MatchesSmallCasesWorkedByHand) {
  EXPECT_DOUBLE_EQ(log_poisson(0, 2), -2);
  EXPECT_NEAR(std::exp(log_poisson(3, 2)), std::exp(-2.) * 8 / 6, 1e-16);
  // 20! = 2432902008176640000 and 4^20 = 2^40.
  EXPECT_NEAR(log_poisson(20, 4), -4 + 40 * std::log(2.) - std::log(2432902008176640000.), 1e-13);
}

TEST(LogPoisson, KeepsItsDigitsWhereTheTermsAreHuge) {
  // By Stirling's series, at k = λ: −½ log 2πλ − 1/(12 λ). The terms of the textbook formula are
  // near 2.7e13 and would leave two digits.
  const double rate = 1e12;
  EXPECT_NEAR(log_poisson(rate, rate), -0.5 * std::log(2 * M_PI * rate) - 1 / (12 * rate), 1e-14);
}

TEST(ChiSquaredTail, HasTheClosedFormOfTwoDegreesOfFreedom) {
  for (const double x : {1e-10, 0.5, 2.0, 5.0, 40.0, 700.0, 1370.0}) {
    EXPECT_NEAR(chi_squared_tail(x, 2) / std::exp(-x / 2), 1, 1e-14) << x;
  }
}

TEST(ChiSquaredTail, AtTheEdges) {
  EXPECT_EQ(chi_squared_tail(0, 3), 1);
  EXPECT_EQ(chi_squared_tail(-1, 3), 1);
  EXPECT_EQ(chi_squared_tail(infinity, 3), 0);
  EXPECT_EQ(chi_squared_tail(1e6, 3), 0);
  EXPECT_EQ(chi_squared_tail(0, 0), 1);
  EXPECT_EQ(chi_squared_tail(1, 0), 0);
  EXPECT_TRUE(std::isnan(chi_squared_tail(std::nan(""), 3)));
}

// Values and the scripts that made them lie in tests/reference.
TEST(FTail, MatchesSixtyDigitArithmetic) {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/f.json");
  const auto values = nlohmann::json::parse(file);
  ASSERT_GE(values["tails"].size(), 200u);
  for (const auto& value : values["tails"]) {
    const double x = value[0], dof1 = value[1], dof2 = value[2], tail = value[3];
    // The last bit of x changes the logarithm of the tail by about as much as that is large, and
    // the continued fraction loses digits to 1 − x, x near 1, where dof2 is large.
    const double tolerance = 1e-12 + 3e-17 * dof2 + 4 * std::abs(std::log(tail)) * 0x1p-53;
    EXPECT_NEAR(f_tail(x, dof1, dof2) / tail, 1, tolerance) << value;
    if (tail > 1e-13 && tail < 0.999) {
      EXPECT_NEAR(f_quantile(tail, dof1, dof2) / x, 1, 1e-10) << value;
    }
  }
  EXPECT_EQ(f_tail(0, 2, 3), 1);
  EXPECT_EQ(f_tail(infinity, 2, 3), 0);
  EXPECT_TRUE(std::isnan(f_tail(1, 2, 0)));
}

TEST(NoncentralF, MatchesSciPy) {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/f.json");
  const auto values = nlohmann::json::parse(file);
  ASSERT_GE(values["noncentral"].size(), 60u);
  for (const auto& value : values["noncentral"])
    EXPECT_NEAR(noncentral_f(value[0], value[1], value[2], value[3]) / value[4].get<double>(), 1,
                1e-9)
        << value;
}

// Values and the script that made them lie in tests/reference.
TEST(ChiSquaredTail, MatchesSixtyDigitArithmetic) {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/chi_squared.json");
  const auto values = nlohmann::json::parse(file);
  ASSERT_GE(values.size(), 100u);
  for (const auto& value : values) {
    const double x = value["x"], dof = value["dof"], tail = value["tail"];
    // Deep in the tail the last bit of x alone changes the result by x/2 · 2⁻⁵³ relative.
    const double tolerance = 1e-13 + 2 * std::abs(std::log(tail)) * 0x1p-53;
    EXPECT_NEAR(chi_squared_tail(x, dof) / tail, 1, tolerance) << "x " << x << ", dof " << dof;
  }
}

// tests/reference/make_shrinkage.py, fifty digits.
TEST(LogGamma, ExcessAndDifferencesMatchFiftyDigitArithmetic) {
  std::ifstream file(SUFFICE_SOURCE_DIR "/tests/reference/shrinkage.json");
  const auto values = nlohmann::json::parse(file)["gamma"];
  ASSERT_GE(values.size(), 100u);
  for (const auto& value : values) {
    const double a = value[0], h = value[1], excess = value[2], difference = value[3];
    EXPECT_NEAR(log_gamma_excess(a, h), excess, 1e-13 * std::abs(excess) + 1e-15)
        << "a " << a << ", h " << h;
    EXPECT_NEAR(digamma_difference(a, h), difference, 2e-14 * std::abs(difference))
        << "a " << a << ", h " << h;
  }
}

}  // namespace
}  // namespace suffice::numeric_test
