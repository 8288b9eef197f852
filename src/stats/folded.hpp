#pragma once
// Names that differ only in case or Unicode normal form: 'Cat' and 'cat', 'é' as one character or
// as two.

#include <string>
#include <string_view>

namespace suffice {

/// Equal for such names: letters in lower case, accents taken apart (NFD). Knows Latin, Greek and
/// Cyrillic letters; all else stays as it is.
std::string folded(std::string_view name);

}  // namespace suffice
