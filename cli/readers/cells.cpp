#include "cli/readers/cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cli/readers/number_text.hpp"

namespace suffice::cli {
namespace {

bool is_word(std::string_view cell, std::string_view word) {
  return std::equal(cell.begin(), cell.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

MissingTokens::MissingTokens(const std::vector<std::string>& more)
    : tokens_{"NA", "NaN", "nan", "null", "NULL", "?"} {
  tokens_.insert(tokens_.end(), more.begin(), more.end());
  for (const std::string& token : tokens_) {
    longest_ = std::max(longest_, token.size());
    if (const std::optional<double> number = parse_number(token)) numbers_.push_back(*number);
    if (!token.empty()) begins_[static_cast<unsigned char>(token.front())] = true;
  }
}

bool MissingTokens::operator()(std::string_view cell) const noexcept {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  if (cell.empty()) return true;
  if (cell.size() > longest_ || !begins_[static_cast<unsigned char>(cell.front())]) return false;
  return std::find(tokens_.begin(), tokens_.end(), cell) != tokens_.end();
}

std::optional<double> number_in(std::string_view cell, const MissingTokens& missing, bool words) {
  if (missing(cell)) return std::numeric_limits<double>::quiet_NaN();
  if (const std::optional<double> number = parse_number(cell)) return number;
  if (words && is_word(cell, "true")) return 1;
  if (words && is_word(cell, "false")) return 0;
  return std::nullopt;
}

std::string_view level_of(std::string_view cell) noexcept {
  if (cell == "True" || cell == "TRUE") return "true";
  if (cell == "False" || cell == "FALSE") return "false";
  return cell;
}

std::string shown(std::string_view cell) {
  constexpr std::size_t most = 40;
  std::string text(cell.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  return cell.size() > most ? text + "…" : text;
}

std::string not_a_number(std::string_view cell) { return "'" + shown(cell) + "' is not a number"; }

Sentence numbers_advice(const std::string& column, const Target& target, std::string_view cell) {
  const Sentence correct = target.is_fixed ? "correct the cell"
                                           : "if the column holds names, use " +
                                                 Option{"family", column + "=categorical"};
  return correct + "; if this stands for a missing value, use " + Option{"na", shown(cell)};
}

void refuse_word(const std::string& path, std::int64_t row, const std::string& column,
                 const Target& target, std::string_view cell) {
  throw FileError({.path = path, .row = static_cast<Index>(row), .features = {column}},
                  not_a_number(cell), numbers_advice(column, target, cell));
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
