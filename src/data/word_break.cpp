#include "data/word_break.hpp"

#include <algorithm>

#include "data/unicode_tables.hpp"
#include "data/utf8.hpp"

namespace suffice {
namespace {

using unicode::Properties;
using unicode::WordClass;

bool is_end_of_line(WordClass c) {
  return c == WordClass::cr || c == WordClass::lf || c == WordClass::newline;
}
bool is_letter_class(WordClass c) {
  return c == WordClass::letter || c == WordClass::hebrew_letter;
}
/// WB4: what belongs to the character before it.
bool is_attached(WordClass c) {
  return c == WordClass::extend || c == WordClass::format || c == WordClass::zwj;
}
/// MidNumLetQ of the rules.
bool is_mid_num_let(WordClass c) {
  return c == WordClass::mid_num_let || c == WordClass::single_quote;
}

/// Two classes with no break between them, whatever follows: WB5, WB8 to WB10, WB13 to WB13b.
bool are_joined(WordClass a, WordClass b) {
  using enum WordClass;
  const bool letter_or_number = is_letter_class(a) || a == numeric;
  if (letter_or_number && (is_letter_class(b) || b == numeric)) return true;
  if (a == katakana && b == katakana) return true;
  if (b == extend_num_let) return letter_or_number || a == katakana || a == extend_num_let;
  return a == extend_num_let && (is_letter_class(b) || b == numeric || b == katakana);
}

/// The class of the next character that is attached to no other; `other` at the end.
WordClass next_class(const char* at, const char* end) {
  while (at < end) {
    const WordClass c = unicode::properties_of(utf8::decode(at, end)).word_class();
    if (!is_attached(c)) return c;
  }
  return WordClass::other;
}

/// A character between two of the same kind belongs to them: WB6, WB7, WB7b, WB7c, WB11, WB12.
bool stands_within(WordClass before, WordClass c, WordClass after) {
  using enum WordClass;
  if (c == mid_letter || is_mid_num_let(c))
    if (is_letter_class(before) && is_letter_class(after)) return true;
  if (c == mid_num || is_mid_num_let(c))
    if (before == numeric && after == numeric) return true;
  return c == double_quote && before == hebrew_letter && after == hebrew_letter;
}

}  // namespace

Segment next_segment(const char* begin, const char* end) noexcept {
  using enum WordClass;
  const char* at = begin;
  Properties now = unicode::properties_of(utf8::decode(at, end));
  bool is_word = now.is_letter_or_digit();
  WordClass adjacent = now.word_class();  // of the character before
  WordClass before = adjacent;            // of the last one that is attached to no other
  WordClass joins = other;                // a letter or number that must follow, of WB7 and WB12
  if (adjacent == cr && at < end && *at == '\n') return {at + 1, false};  // WB3
  if (is_end_of_line(adjacent)) return {at, false};                       // WB3a
  bool odd_indicators = before == regional_indicator;
  while (at < end) {
    const char* behind = at;
    now = unicode::properties_of(utf8::decode(behind, end));
    const WordClass c = now.word_class();
    if (is_end_of_line(c)) break;  // WB3b
    if (adjacent == zwj && now.is_pictograph()) {
      before = c;  // WB3c
    } else if (adjacent == space && c == space) {
      before = c;  // WB3d
    } else if (is_attached(c)) {
      // WB4
    } else if (joins != other || are_joined(before, c)) {
      joins = other;
      before = c;
    } else if (const WordClass after = next_class(behind, end); stands_within(before, c, after)) {
      joins = after;
      before = c;
    } else if (before == hebrew_letter && c == single_quote) {
      before = c;  // WB7a
    } else if (c == regional_indicator && odd_indicators) {
      odd_indicators = false;  // WB15, WB16
      before = c;
    } else {
      break;
    }
    is_word = is_word || now.is_letter_or_digit();
    adjacent = c;
    at = behind;
  }
  return {at, is_word};
}

void append_folded(std::string_view text, std::string& to) {
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    if (static_cast<unsigned char>(*at) < 0x80) {
      const char byte = *at++;
      to.push_back(byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte);
      continue;
    }
    char32_t point = utf8::decode(at, end);
    if (unicode::properties_of(point).folds()) {
      const unicode::Folding* last = unicode::foldings + unicode::folding_count;
      point = std::lower_bound(
                  unicode::foldings, last, point,
                  [](const unicode::Folding& folding, char32_t p) { return folding.from < p; })
                  ->to;
    }
    utf8::append(point, to);
  }
}

bool is_white_space(char32_t point) noexcept {
  if (point <= 0x20) return (point >= 9 && point <= 13) || point == 0x20;
  if (point < 0x1680) return point == 0x85 || point == 0xA0;
  return point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 ||
         point == 0x2029 || point == 0x202F || point == 0x205F || point == 0x3000;
}

}  // namespace suffice
