#pragma once

#include <string>
#include <string_view>

namespace suffice {

/// A name as messages show it: 'name'.
inline std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace suffice
