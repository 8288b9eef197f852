#include "cli/readers/packed_entries.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace suffice::cli::testing {
namespace {

/// Rows of such values, at every second index, and the bytes of a row.
std::size_t bytes_of_row(const std::vector<double>& values) {
  std::vector<Entry> entries;
  for (const double value : values)
    entries.push_back({2 * static_cast<std::int64_t>(entries.size()) + 1, value});
  PackedEntries rows;
  for (const std::int64_t line : {3, 4}) rows.add(line, "a", entries);
  const std::size_t bytes = rows.bytes();
  for (const std::int64_t line : {3, 4}) {
    PackedEntries::Row row;
    EXPECT_TRUE(rows.next(row));
    EXPECT_EQ(row.line, line);
    EXPECT_EQ(row.label, "a");
    EXPECT_EQ(row.entries.size(), entries.size());
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      EXPECT_EQ(row.entries[i].index, entries[i].index);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(row.entries[i].value),
                std::bit_cast<std::uint64_t>(entries[i].value))
          << entries[i].value;
    }
  }
  PackedEntries::Row row;
  EXPECT_FALSE(rows.next(row));
  return bytes / 2;
}

// Text has a blank, an index, a colon and the digits.
TEST(PackedEntries, ShortFractionsTakeLessThanTheirText) {
  EXPECT_LT(bytes_of_row({0.1, 0.2, 0.3, 0.7, 0.9}),
            std::string("a 1:.1 3:.2 5:.3 7:.7 9:.9").size());
  EXPECT_LT(bytes_of_row({-0.25, 12.5, 0.01, 3, -7.75}),
            std::string("a 1:-.25 3:12.5 5:.01 7:3 9:-7.75").size());
  EXPECT_LT(bytes_of_row({0.123456, -0.5, 99.000001}),
            std::string("a 1:.123456 3:-.5 5:99.000001").size());
}

TEST(PackedEntries, ValuesAreKeptBitForBit) {
  using limits = std::numeric_limits<double>;
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{},
                                        {0},
                                        {0, 255, 7},
                                        {0, 256},
                                        {0.5, -0.25},
                                        {-0.0, 0.1},
                                        {0.1, 1e300},
                                        {0.1, 1e7},
                                        {0.1, 134.217727, 134.217728, 134.217729},
                                        {0.1, 13421772.7, 13421772.8},
                                        {1e-7, 0.1},
                                        {0.1, 1.0 / 3},
                                        {0.1 + 0.2, 0.3},
                                        {std::nextafter(0.7, 1), 0.7},
                                        {limits::infinity(), 0.1},
                                        {limits::quiet_NaN(), 0.1},
                                        {-limits::infinity(), limits::denorm_min(), limits::max()}})
    bytes_of_row(values);
  std::vector<double> all;
  for (int k = -3000; k <= 3000; ++k) all.push_back(k / 1000.0);
  EXPECT_LT(bytes_of_row(all), all.size() * 4);
}

}  // namespace
}  // namespace suffice::cli::testing
