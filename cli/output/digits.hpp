#pragma once
// Numbers with a few significant digits, as text.

#include <cstddef>

namespace suffice::cli {

inline constexpr int most_quick_digits = 8;
inline constexpr std::size_t digits_room = 32;  ///< characters that may be written, and more

/// What printf writes for %.{digits}g, 1 ≤ digits ≤ most_quick_digits; returns its length. 0: the
/// number is not finite, too large or too small for this, or so near the middle of two results that
/// only exact arithmetic tells them apart.
std::size_t write_digits(double value, int digits, char* to) noexcept;

}  // namespace suffice::cli
