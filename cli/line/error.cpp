#include "cli/line/error.hpp"

#include <algorithm>

namespace suffice::cli {

std::string flag_of(const Option& option) {
  std::string flag = "--" + option.name;
  std::ranges::replace(flag, '_', '-');
  return option.value.empty() ? flag : flag + " " + option.value;
}

}  // namespace suffice::cli
