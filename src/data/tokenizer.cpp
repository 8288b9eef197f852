#include "data/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "core/quoted.hpp"
#include "data/unicode_tables.hpp"
#include "data/utf8.hpp"
#include "data/word_break.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// What a byte is to the rules of word breaks, where it and its neighbours are ASCII.
enum Ascii : std::uint8_t {
  ascii_letter = 1,
  ascii_digit = 2,
  ascii_underscore = 4,
  in_word = 7,
  ascii_capital = 8,
  within_word = 16,    ///< between letters
  within_number = 32,  ///< between digits
  beyond_ascii = 64,
};

std::array<std::uint8_t, 256> make_ascii_table() {
  using enum unicode::WordClass;
  std::array<std::uint8_t, 256> table{};
  table.fill(beyond_ascii);
  for (char32_t point = 0; point < 128; ++point) {
    std::uint8_t& bits = table[point];
    bits = 0;
    const unicode::WordClass c = unicode::properties_of(point).word_class();
    if (c == letter) bits = ascii_letter;
    if (c == numeric) bits = ascii_digit;
    if (c == extend_num_let) bits = ascii_underscore;
    if (point >= 'A' && point <= 'Z') bits |= ascii_capital;
    if (c == mid_letter || c == mid_num_let || c == single_quote) bits |= within_word;
    if (c == mid_num || c == mid_num_let || c == single_quote) bits |= within_number;
  }
  return table;
}

const std::array<std::uint8_t, 256>& ascii_table() {
  static const std::array<std::uint8_t, 256> table = make_ascii_table();
  return table;
}

bool is_longer_than(std::string_view word, int characters) {
  if (static_cast<int>(std::min<std::size_t>(word.size(), 1000)) < characters) return false;
  std::ptrdiff_t count = 0;
  for (const char byte : word) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count >= characters;
}

/// FNV-1a and a final mix: the same on every machine.
std::uint64_t stable_hash(std::string_view word) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : word) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  hash ^= hash >> 32;
  hash *= 0x9E3779B97F4A7C15;
  return hash ^ hash >> 29;
}

}  // namespace

void Tokenizer::read(std::string_view document, const Use& use) {
  words_ = 0;
  switch (options_.tokens) {
    case TextOptions::Tokens::words:
      return read_words(document, use);
    case TextOptions::Tokens::alnum:
      return read_runs(document, use);
    case TextOptions::Tokens::whitespace:
    case TextOptions::Tokens::pairs:
      return read_between_spaces(document, use);
    case TextOptions::Tokens::chars:
      return read_characters(document, use);
  }
}

void Tokenizer::read_words(std::string_view document, const Use& use) {
  const std::array<std::uint8_t, 256>& table = ascii_table();
  const auto kind = [&](const char* p) { return table[static_cast<unsigned char>(*p)]; };
  const char* at = document.data();
  const char* const end = at + document.size();
  while (at < end) {
    const char* behind = at;
    unsigned seen = 0, next = 0;
    while (behind < end) {  // a word of ASCII
      next = kind(behind);
      if (next & in_word) {
        seen |= next;
        ++behind;
        continue;
      }
      if (behind == at || !(next & (within_word | within_number))) break;
      const unsigned before = kind(behind - 1), after = behind + 1 < end ? kind(behind + 1) : 0;
      if (after & beyond_ascii) {
        next = beyond_ascii;
        break;
      }
      const bool joins = ((next & within_word) && (before & after & ascii_letter)) ||
                         ((next & within_number) && (before & after & ascii_digit));
      if (!joins) break;
      ++behind;
    }
    if (behind == at && !(next & beyond_ascii) && at + 1 < end && !(kind(at + 1) & beyond_ascii)) {
      ++at;  // neither a word, nor can it begin one
      continue;
    }
    if (behind == at || (behind < end && (next & beyond_ascii))) {
      const Segment segment = next_segment(at, end);
      if (segment.is_word) add({at, static_cast<std::size_t>(segment.end - at)}, false, use);
      at = segment.end;
      continue;
    }
    if (seen & (ascii_letter | ascii_digit))
      add({at, static_cast<std::size_t>(behind - at)}, !(seen & ascii_capital), use);
    at = behind;
  }
}

void Tokenizer::read_runs(std::string_view document, const Use& use) {
  const char* at = document.data();
  const char* const end = at + document.size();
  const char* word = at;
  while (true) {
    const char* behind = at;
    bool inside = false;
    if (at < end) {
      const char32_t point = utf8::decode(behind, end);
      inside = point == '_' || unicode::properties_of(point).is_letter_or_digit();
    }
    if (!inside) {
      if (word < at) add({word, static_cast<std::size_t>(at - word)}, false, use);
      word = behind;
    }
    if (at == end) return;
    at = behind;
  }
}

void Tokenizer::read_between_spaces(std::string_view document, const Use& use) {
  const char* at = document.data();
  const char* const end = at + document.size();
  const char* word = at;
  const bool pairs = options_.tokens == TextOptions::Tokens::pairs;
  while (true) {
    const char* behind = at;
    if (at == end || is_white_space(utf8::decode(behind, end))) {
      const std::string_view found(word, static_cast<std::size_t>(at - word));
      if (!found.empty()) pairs ? add_pair(found, use) : add(found, false, use);
      word = behind;
    }
    if (at == end) return;
    at = behind;
  }
}

void Tokenizer::read_characters(std::string_view document, const Use& use) {
  std::string text;
  const char* at = document.data();
  const char* const end = at + document.size();
  bool after_space = false;
  while (at < end) {  // as it is, with single spaces
    const char* begin = at;
    const bool space = is_white_space(utf8::decode(at, end));
    if (!space)
      text.append(begin, at);
    else if (!after_space)
      text.push_back(' ');
    after_space = space;
  }
  const std::string characters(folded(text));
  std::vector<const char*> start;  // of the last characters, and behind them
  const auto longest = static_cast<std::size_t>(options_.ngrams.to);
  const char* last = characters.data() + characters.size();
  for (const char* p = characters.data(); p < last;) {
    start.push_back(p);
    utf8::decode(p, last);
    if (start.size() > longest) start.erase(start.begin());
    for (int n = options_.ngrams.from; n <= std::min(options_.ngrams.to, int(start.size())); ++n) {
      const char* from = start[start.size() - static_cast<std::size_t>(n)];
      finish({from, static_cast<std::size_t>(p - from)}, 1, use);
    }
  }
}

std::string_view Tokenizer::folded(std::string_view word) {
  folded_.clear();
  if (options_.lowercase) {
    append_folded(word, folded_);
  } else {  // only what is not UTF-8 changes
    const char* at = word.data();
    const char* const end = at + word.size();
    while (at < end) utf8::append(utf8::decode(at, end), folded_);
  }
  return folded_;
}

void Tokenizer::add(std::string_view word, bool plain, const Use& use) {
  if (!plain) word = folded(word);
  if (options_.min_length > 1 && !is_longer_than(word, options_.min_length)) return;
  if (options_.ngrams.to > 1)
    add_sequences(word, use);
  else
    finish(word, 1, use);
}

void Tokenizer::add_pair(std::string_view pair, const Use& use) {
  const std::size_t colon = pair.rfind(':');
  double count = 0;
  if (colon != std::string_view::npos && colon > 0) {
    const std::string_view text = pair.substr(colon + 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size()) count = -1;
  } else {
    count = -1;
  }
  if (!(count >= 0) || !std::isfinite(count))
    throw DataError(quoted(pair.substr(0, 60)) + " is no word with its count",
                    "write word:count with a finite count from 0 on, pairs separated by spaces");
  const std::string_view word = folded(pair.substr(0, colon));
  if (count > 0 && is_longer_than(word, options_.min_length)) finish(word, count, use);
}

void Tokenizer::add_sequences(std::string_view word, const Use& use) {
  const auto longest = static_cast<std::size_t>(options_.ngrams.to);
  last_.resize(longest);
  last_[words_ % longest] = word;
  ++words_;
  for (auto n = static_cast<std::size_t>(options_.ngrams.from); n <= std::min(longest, words_);
       ++n) {
    joined_.clear();
    for (std::size_t k = words_ - n; k < words_; ++k) {
      if (!joined_.empty()) joined_.push_back(' ');
      joined_ += last_[k % longest];
    }
    finish(joined_, 1, use);
  }
}

void Tokenizer::finish(std::string_view word, double count, const Use& use) {
  original_ = word;
  if (options_.hash_bits == 0) return use(word, count);
  std::array<char, 16> name{'#'};
  const std::uint64_t number = stable_hash(word) & ((std::uint64_t{1} << options_.hash_bits) - 1);
  const auto result = std::to_chars(name.data() + 1, name.data() + name.size(), number, 16);
  use({name.data(), static_cast<std::size_t>(result.ptr - name.data())}, count);
}

}  // namespace suffice
