#include "cli/line/error.hpp"

#include <algorithm>
#include <string_view>

namespace suffice::cli {

std::string flag_of(const Option& option) {
  std::string flag = "--" + option.name;
  std::ranges::replace(flag, '_', '-');
  if (option.value.empty()) return flag;
  const bool is_plain = std::ranges::all_of(option.value, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._%+-,").find(c) != std::string_view::npos;
  });
  return flag + " " + (is_plain ? option.value : "'" + option.value + "'");
}

}  // namespace suffice::cli
