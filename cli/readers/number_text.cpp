#include "cli/readers/number_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace suffice::cli {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

std::optional<double> parse_number(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-' && text[1] != '+')
    text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end || error == std::errc::invalid_argument || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say at which end; the digits' weight against the exponent's does.
    const std::string copy(text);
    return std::strtod(copy.c_str(), nullptr);
  }
  if (std::isnan(value)) return std::nullopt;
  return value;
}

}  // namespace suffice::cli
