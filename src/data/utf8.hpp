#pragma once
// Code points of UTF-8 text.

#include <cstdint>
#include <string>

namespace suffice::utf8 {

inline constexpr char32_t replacement = 0xFFFD;

/// The code point at `at`, which moves behind it. What is not UTF-8 is U+FFFD: a byte that begins
/// no character, or the beginning of one that is cut short.
inline char32_t decode(const char*& at, const char* end) noexcept {
  const auto byte = [&](const char* p) { return static_cast<unsigned char>(*p); };
  const unsigned first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4) return replacement;
  // What the second byte may be excludes long forms, surrogates and what lies beyond U+10FFFF.
  unsigned least = 0x80, most = 0xBF;
  if (first == 0xE0) least = 0xA0;
  if (first == 0xED) most = 0x9F;
  if (first == 0xF0) least = 0x90;
  if (first == 0xF4) most = 0x8F;
  char32_t point = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if (at == end || byte(at) < least || byte(at) > most) return replacement;
    point = point << 6 | (byte(at++) & 0x3F);
    least = 0x80;
    most = 0xBF;
  }
  return point;
}

inline void append(char32_t point, std::string& to) {
  const auto add = [&](char32_t byte) { to.push_back(static_cast<char>(byte)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      add(0xE0 | point >> 12);
    } else {
      add(0xF0 | point >> 18);
      add(0x80 | (point >> 12 & 0x3F));
    }
    add(0x80 | (point >> 6 & 0x3F));
  }
  add(0x80 | (point & 0x3F));
}

}  // namespace suffice::utf8
