#pragma once

#include <fmt/format.h>

#include <utility>

#include "cli/line/error.hpp"

namespace suffice::cli {

/// Refuses the command with a sentence.
template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  throw UsageError(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace suffice::cli
