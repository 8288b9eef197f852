#include "cli/readers/cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cli/readers/number_text.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

bool is_word(std::string_view cell, std::string_view word) {
  return std::equal(cell.begin(), cell.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

std::optional<double> number_in(std::string_view cell, const MissingTokens& missing, bool words) {
  if (missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  if (const std::optional<double> number = parse_number(cell)) return number;
  if (words && is_word(cell, "true")) return 1;
  if (words && is_word(cell, "false")) return 0;
  return std::nullopt;
}

void refuse_word(const std::string& path, std::int64_t row, const std::string& column,
                 std::string_view cell) {
  constexpr std::size_t most = 60;
  std::string shown(cell.substr(0, most));
  if (cell.size() > most) shown += "…";
  throw FileError(path + ", row " + std::to_string(row) + ": column '" + column + "': '" + shown +
                      "' is not a number. If the column holds names, say --family '" + column +
                      "=categorical'; if this stands for a missing value, say --na '" + shown + "'",
                  path);
}

float half_to_float(std::uint16_t bits) noexcept {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  float magnitude;
  if (exponent == 31)
    magnitude =
        fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  else
    magnitude =
        std::bit_cast<float>(static_cast<std::uint32_t>((exponent + 112) << 23 | fraction << 13));
  return bits >> 15 ? -magnitude : magnitude;
}

}  // namespace suffice::cli
