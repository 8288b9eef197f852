#include "cli/output/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace suffice::cli {
namespace {

std::string not_finite(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// The decimals with which `value` has this many significant digits; 0 has none.
int decimals_for(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  return std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
}

/// Beyond this, zeros in front of the digits are harder to read than an exponent.
constexpr int most_decimals = 7;

}  // namespace

std::string exact(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : not_finite(value);
}

std::string rounded(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0) return "0";  // not -0
  const double size = std::abs(value);
  if (size >= std::pow(10, digits) && size < 1e9) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string figure(double value, int digits) {
  const int decimals = decimals_for(value, digits);
  if (decimals == 0 || decimals > most_decimals) return rounded(value, digits);
  return fmt::format("{:.{}f}", value, decimals);
}

std::vector<std::string> figures(std::span<const double> values, int digits) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const int decimals = decimals_for(largest, digits);
  std::vector<std::string> texts;
  for (const double value : values) {
    const bool is_small = value != 0 && std::abs(value) < std::pow(10, -decimals) / 2;
    if (std::isnan(value))
      texts.emplace_back("–");
    else if (!std::isfinite(value) || decimals > most_decimals || is_small)
      texts.push_back(rounded(value, digits));
    else
      texts.push_back(fmt::format("{:.{}f}", value, decimals));
  }
  return texts;
}

std::string with_deviation(double value, double deviation, int digits) {
  const int decimals = decimals_for(deviation, digits);
  const bool is_plain = std::isfinite(value) && std::isfinite(deviation) && deviation > 0 &&
                        decimals <= most_decimals && std::abs(value) < 1e9;
  if (!is_plain) return rounded(value) + " ± " + rounded(deviation, digits);
  return fmt::format("{0:.{2}f} ± {1:.{2}f}", value == 0 ? 0 : value, deviation, decimals);
}

std::string counted(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  if (std::abs(value) >= 1e15) return exact(value);
  std::string text =
      value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.10g}", value);
  if (text.find('e') != std::string::npos) return text;
  const std::size_t first = text.starts_with('-');
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string counted(double value, std::string_view singular, std::string_view plural) {
  std::string text = counted(value) + ' ';
  if (value == 1) return text + std::string(singular);
  return text + (plural.empty() ? std::string(singular) + "s" : std::string(plural));
}

std::string counted_rows(double weight, std::string_view singular) {
  return weight == std::floor(weight) ? counted(weight, singular) : "weight " + counted(weight);
}

std::string_view rows_or_weight(std::span<const double> weights) {
  return std::ranges::all_of(weights, [](double w) { return w == std::floor(w); }) ? "rows"
                                                                                   : "weight";
}

std::string run_time(double seconds) {
  const bool is_short = seconds < 1;
  const double value = is_short ? 1000 * seconds : seconds;
  const int decimals = value >= 10 ? 0 : is_short ? 2 : 1;
  return fmt::format("{:.{}f} {}", value, decimals, is_short ? "ms" : "s");
}

std::string bytes_for_people(double bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  constexpr std::string_view units[] = {"kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  bytes /= 1000;
  while (bytes >= 999.5 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 ? 1 : 0, units[unit]);
}

}  // namespace suffice::cli
