#include "suffice/core/names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numeric>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// The value of a numeric name: a finite decimal number and nothing around it.
std::optional<double> value_of(std::string_view name) {
  double value = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, value);
  if (name.empty() || error != std::errc{} || stop != end || !std::isfinite(value))
    return std::nullopt;
  return value;
}

template <class Integer>
std::string digits(Integer value) {
  char text[24];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

Names::Names(std::vector<std::string> names) {
  std::vector<double> value(names.size());
  for (std::size_t i = 0; i < names.size() && numeric_; ++i) {
    const std::optional<double> v = value_of(names[i]);
    numeric_ = v.has_value();
    value[i] = v.value_or(0);
  }
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (numeric_ && value[a] != value[b]) return value[a] < value[b];
    return names[a] < names[b];
  });
  names_.reserve(names.size());
  for (const std::size_t i : order) {
    if (names_.empty() || names_.back() != names[i]) names_.push_back(std::move(names[i]));
  }
}

std::optional<Index> Names::find(std::string_view name) const {
  auto at = names_.end();
  if (numeric_) {
    const std::optional<double> value = value_of(name);
    if (!value) return std::nullopt;
    at = std::lower_bound(names_.begin(), names_.end(), name,
                          [&](const std::string& here, std::string_view) {
                            const double v = *value_of(here);
                            return v != *value ? v < *value : here < name;
                          });
  } else {
    at = std::lower_bound(names_.begin(), names_.end(), name);
  }
  if (at == names_.end() || *at != name) return std::nullopt;
  return at - names_.begin();
}

Index Names::at(std::string_view name, std::string_view what) const {
  if (const std::optional<Index> position = find(name)) return *position;
  throw InvalidArgument(
      "there is no " + std::string(what) + " '" + std::string(name) + "'",
      std::string(size() == 1 ? "there is " : "there are ") + list_for_message(names_));
}

std::vector<Index> Names::positions_of(const Names& others) const {
  std::vector<Index> positions;
  positions.reserve(others.names_.size());
  for (const std::string& name : others) positions.push_back(find(name).value_or(-1));
  return positions;
}

Names join(const Names& a, const Names& b) {
  if (a == b || b.empty()) return a;
  if (a.empty()) return b;
  std::vector<std::string> both = a.list();
  both.insert(both.end(), b.begin(), b.end());
  return Names(std::move(both));
}

std::string name_of(std::int64_t value) { return digits(value); }

std::string name_of(std::uint64_t value) { return digits(value); }

std::string name_of(double value) {
  constexpr double int64_end = 9223372036854775808.0;  // 2^63
  if (std::isfinite(value) && value == std::trunc(value)) {
    if (std::abs(value) < int64_end) return digits(static_cast<std::int64_t>(value));
    char text[320];  // the largest double has 309 digits
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 0).ptr};
  }
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string list_for_message(std::span<const std::string> names, std::size_t at_most) {
  if (names.empty()) return "none";
  std::string text;
  const std::size_t shown = std::min(names.size(), at_most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += "'" + names[i] + "'";
  }
  if (shown < names.size()) {
    if (shown > 0) text += " and ";
    text += std::to_string(names.size() - shown) + (shown > 0 ? " more" : "");
  }
  return text;
}

}  // namespace suffice
