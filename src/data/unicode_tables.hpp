#pragma once
// Properties of Unicode's characters that cutting text into words needs. The tables are written by
// script/unicode_tables.

#include <cstddef>
#include <cstdint>

namespace suffice::unicode {

/// The classes of UAX #29 for word breaks.
enum class WordClass : std::uint8_t {
  other,
  cr,
  lf,
  newline,
  extend,
  zwj,  ///< zero width joiner
  format,
  regional_indicator,
  katakana,
  hebrew_letter,
  letter,
  single_quote,
  double_quote,
  mid_num_let,  ///< within numbers and within words
  mid_letter,   ///< within words
  mid_num,      ///< within numbers
  numeric,
  extend_num_let,  ///< as _
  space,
};

/// What a code point is.
struct Properties {
  std::uint8_t bits = 0;

  WordClass word_class() const noexcept { return static_cast<WordClass>(bits & 31); }
  bool is_pictograph() const noexcept { return bits & 32; }
  /// The general category is one of letters or of numbers.
  bool is_letter_or_digit() const noexcept { return bits & 64; }
  /// Folding its case changes it.
  bool folds() const noexcept { return bits & 128; }
};

struct Folding {
  std::uint32_t from, to;
};

extern const std::uint8_t block_of[];
extern const std::uint8_t properties[];
extern const Folding foldings[];  ///< simple ones, by `from`
extern const std::size_t folding_count;

/// Of a code point up to U+10FFFF.
inline Properties properties_of(char32_t point) noexcept {
  return {properties[block_of[point >> 7] * 128u + (point & 127)]};
}

}  // namespace suffice::unicode
