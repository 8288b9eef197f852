#pragma once
// Whether two statistics can be combined.

#include <string_view>

#include "suffice/stats/statistics.hpp"

namespace suffice {

/// Compatible schemas, and the same kind of scatter in each Gaussian block. Throws InvalidArgument;
/// `verb` says what was tried.
void require_compatible(const Statistics::Parts& a, const Statistics::Parts& b,
                        std::string_view verb);

}  // namespace suffice
