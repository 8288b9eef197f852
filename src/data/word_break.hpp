#pragma once
// Where words begin and end, by the rules of UAX #29 (Unicode Text Segmentation), and their case.

#include <string>
#include <string_view>

namespace suffice {

struct Segment {
  const char* end;
  bool is_word;  ///< it has a letter or a digit
};

/// The segment of UTF-8 text that begins at `begin`, which is the beginning of the text or the end
/// of another segment; requires begin < end. What is not UTF-8 is a segment of its own.
Segment next_segment(const char* begin, const char* end) noexcept;

/// Appends the text with its case folded, character by character. What is not UTF-8 becomes U+FFFD.
void append_folded(std::string_view text, std::string& to);

/// Unicode's white space.
bool is_white_space(char32_t point) noexcept;

}  // namespace suffice
