#pragma once

#include <cstddef>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// An index that is not negative, as the standard library's containers count.
inline std::size_t at(Index index) noexcept { return static_cast<std::size_t>(index); }

}  // namespace suffice
