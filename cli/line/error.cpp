#include "cli/line/error.hpp"

#include <algorithm>

namespace suffice::cli {

std::string hyphenated(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string flag_of(const Option& option) {
  const std::string flag =
      "--" + (option.name == "transforms" ? "transform" : hyphenated(option.name));
  if (option.value.empty() || option.value == "yes") return flag;
  const bool is_plain = std::ranges::all_of(option.value, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._%+-,").find(c) != std::string_view::npos;
  });
  return flag + " " + (is_plain ? option.value : "'" + option.value + "'");
}

}  // namespace suffice::cli
