#include "core/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace suffice {
namespace {

// On every instruction set, and wherever in the lanes it stands, a NaN passes no check.
TEST(AllPass, SeesWhatIsWrongInEveryColumn) {
  using kernels::Check;
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  // How often a block of ones passes with one value in it, of all the places it can have.
  const auto passing_share = [](Check check, double value) {
    double passed = 0, all = 0;
    for (Index d = 1; d <= 19; ++d)
      for (Index j = 0; j < d; ++j) {
        std::vector<double> rows(static_cast<std::size_t>(2 * d), 1.0);
        rows[static_cast<std::size_t>(d + j)] = value;
        passed += kernels::all_pass(check, rows.data(), d, 2, d);
        ++all;
      }
    return passed / all;
  };
  for (const Check check : {Check::finite, Check::zero_or_one, Check::count}) {
    EXPECT_EQ(passing_share(check, nan), 0);
    EXPECT_EQ(passing_share(check, inf), 0);
    EXPECT_EQ(passing_share(check, -inf), 0);
    EXPECT_EQ(passing_share(check, 0.0), 1);
  }
  EXPECT_EQ(passing_share(Check::finite, -2.5), 1);
  EXPECT_EQ(passing_share(Check::count, 7), 1);
  EXPECT_EQ(passing_share(Check::count, 0.5), 0);
  EXPECT_EQ(passing_share(Check::count, -1), 0);
  EXPECT_EQ(passing_share(Check::zero_or_one, 0.5), 0);
  EXPECT_EQ(passing_share(Check::zero_or_one, 2), 0);
}

}  // namespace
}  // namespace suffice
