#include "data/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/quoted.hpp"
#include "data/unicode_tables.hpp"
#include "data/utf8.hpp"
#include "data/word_break.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest one");
constexpr std::uint64_t ones = 0x0101010101010101, high = 0x80 * ones;

#if defined(__SSE2__)

/// Some bytes of ASCII at a time.
class AsciiBytes {
 public:
  static constexpr unsigned count = 16;
  using Mask = __m128i;  // bytes that are 0 or all ones

  explicit AsciiBytes(const char* at)
      : bytes_(_mm_loadu_si128(reinterpret_cast<const Mask*>(at))) {}
  void store(char* to) const { _mm_storeu_si128(reinterpret_cast<Mask*>(to), bytes_); }

  Mask between(char from, char to) const {
    return _mm_and_si128(_mm_cmpgt_epi8(bytes_, _mm_set1_epi8(static_cast<char>(from - 1))),
                         _mm_cmplt_epi8(bytes_, _mm_set1_epi8(static_cast<char>(to + 1))));
  }
  Mask equal(char to) const { return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(to)); }
  void lower() {
    bytes_ = _mm_or_si128(bytes_, _mm_and_si128(between('A', 'Z'), _mm_set1_epi8(0x20)));
  }
  static Mask either(Mask a, Mask b) { return _mm_or_si128(a, b); }
  /// A bit for each byte.
  static std::uint64_t bits(Mask mask) { return static_cast<unsigned>(_mm_movemask_epi8(mask)); }

 private:
  __m128i bytes_;
};

#else

/// Some bytes of ASCII at a time.
class AsciiBytes {
 public:
  static constexpr unsigned count = 8;
  using Mask = std::uint64_t;  // the high bits of bytes

  explicit AsciiBytes(const char* at) { std::memcpy(&bytes_, at, sizeof bytes_); }
  void store(char* to) const { std::memcpy(to, &bytes_, sizeof bytes_); }

  Mask between(unsigned char from, unsigned char to) const {
    return (bytes_ + ones * (0x80u - from)) & ~(bytes_ + ones * (0x7Fu - to)) & high;
  }
  Mask equal(unsigned char to) const { return between(to, to); }
  void lower() { bytes_ |= between('A', 'Z') >> 2; }
  static Mask either(Mask a, Mask b) { return a | b; }
  /// A bit for each byte.
  static std::uint64_t bits(Mask mask) { return (mask >> 7) * 0x0102040810204080 >> 56; }

 private:
  std::uint64_t bytes_ = 0;
};

#endif

/// What 64 bytes are, a bit for each.
struct AsciiBits {
  std::uint64_t letters, digits, underscores;
  std::uint64_t within_words, within_numbers;  // between letters, between digits

  void add(const AsciiBytes& bytes, unsigned position) {
    const auto put = [&](std::uint64_t& into, AsciiBytes::Mask mask) {
      into |= AsciiBytes::bits(mask) << position;
    };
    constexpr auto either = AsciiBytes::either;
    const AsciiBytes::Mask both = either(bytes.equal('.'), bytes.equal('\''));
    put(letters, either(bytes.between('a', 'z'), bytes.between('A', 'Z')));
    put(digits, bytes.between('0', '9'));
    put(underscores, bytes.equal('_'));
    put(within_words, either(both, bytes.equal(':')));
    put(within_numbers, either(both, either(bytes.equal(','), bytes.equal(';'))));
  }
};

/// The bytes of words; `before` and `after` are the bits of the neighbours.
std::uint64_t words_in(const AsciiBits& bits, const AsciiBits& before, const AsciiBits& after) {
  const auto between = [](std::uint64_t left, std::uint64_t own, std::uint64_t right) {
    return (own << 1 | left >> 63) & (own >> 1 | right << 63);
  };
  return bits.letters | bits.digits | bits.underscores |
         (bits.within_words & between(before.letters, bits.letters, after.letters)) |
         (bits.within_numbers & between(before.digits, bits.digits, after.digits));
}

/// How many bytes of ASCII the text begins with.
std::size_t ascii_length(const char* at, std::size_t size) {
  std::size_t n = 0;
  for (std::uint64_t eight = 0; n + 8 <= size; n += 8) {
    std::memcpy(&eight, at + n, 8);
    if (const std::uint64_t beyond = eight & high; beyond != 0)
      return n + static_cast<std::size_t>(std::countr_zero(beyond)) / 8;
  }
  while (n < size && static_cast<unsigned char>(at[n]) < 0x80) ++n;
  return n;
}

bool is_space_or_control(char byte) { return static_cast<unsigned char>(byte) <= ' '; }

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

Tokenizer::Tokenizer(const TextOptions& options)
    : options_(options), tokens_(most_tokens), memory_(16384) {}

void Tokenizer::read_some(std::string_view document, const Use& use) {
  words_ = count_ = used_ = 0;
  use_ = &use;
  switch (options_.tokens) {
    case TextOptions::Tokens::words:
      read_words(document);
      break;
    case TextOptions::Tokens::alnum:
      read_runs(document);
      break;
    case TextOptions::Tokens::whitespace:
    case TextOptions::Tokens::pairs:
      read_between_spaces(document);
      break;
    case TextOptions::Tokens::chars:
      read_characters(document);
      break;
  }
  use_tokens();
}

void Tokenizer::use_tokens() {
  if (options_.hash_bits > 0) {
    const std::uint64_t mask = (std::uint64_t{1} << options_.hash_bits) - 1;
    for (Token& token : std::span(tokens_).first(count_))
      token.bucket = static_cast<std::uint32_t>(stable_hash(token.word) & mask);
  }
  if (count_ > 0) (*use_)(std::span<const Token>(tokens_).first(count_));
  count_ = used_ = 0;
}

char* Tokenizer::room(std::size_t size) {
  if (memory_.size() - used_ < size + padding) {
    use_tokens();
    if (memory_.size() < size + padding) memory_.resize(size + padding);
  }
  char* const at = memory_.data() + used_;
  used_ += size;
  return at;
}

std::string_view Tokenizer::copied(std::string_view word) {
  char* const to = room(word.size());
  std::memcpy(to, word.data(), word.size());
  return {to, word.size()};
}

void Tokenizer::read_words(std::string_view document) {
  const char* at = document.data();
  const char* const end = at + document.size();
  while (at < end) {
    at = read_ascii(at, end);
    if (at < end) at = read_unicode(at, end);
  }
}

const char* Tokenizer::read_ascii(const char* at, const char* const end) {
  constexpr std::size_t most = 4096, block = 64;
  const std::size_t left = static_cast<std::size_t>(end - at);
  std::size_t size = ascii_length(at, std::min(left, most));
  if (size < left) {  // what stands before may depend on what follows, except for white space
    while (size > 0 && !is_space_or_control(at[size - 1])) --size;
    if (size > 0) --size;
  }
  if (size == 0) return at;
  const std::size_t blocks = (size + block - 1) / block;
  use_tokens();  // those of the text before
  text_.resize(std::max(text_.size(), blocks * block + padding));
  char* const text = text_.data();
  std::array<char, AsciiBytes::count> rest{};
  const std::size_t whole = size - size % AsciiBytes::count;
  std::memcpy(rest.data(), at + whole, size - whole);
  std::array<AsciiBits, most / block + 2> bits;  // with empty ones on both sides
  bits[0] = bits[blocks + 1] = {};
  std::uint64_t underscores = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    AsciiBits& own = bits[b + 1] = {};
    for (unsigned i = 0; i < block && b * block + i < size; i += AsciiBytes::count) {
      const std::size_t place = b * block + i;
      AsciiBytes bytes(place < whole ? at + place : rest.data());
      if (options_.lowercase) bytes.lower();
      bytes.store(text + place);
      own.add(bytes, i);
    }
    underscores |= own.underscores;
  }
  const bool plain = options_.min_length <= 1 && options_.ngrams.to <= 1 && underscores == 0;
  const auto use = [&](std::size_t first, std::size_t last) {
    const std::string_view word(text + first, last - first);
    if (plain) return finish(word, 1);
    if (word.find_first_not_of('_') != word.npos) add(word, Bytes::plain);
  };
  std::uint64_t last_bit = 0;
  bool inside = false;
  std::size_t first = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint64_t words = words_in(bits[b + 1], bits[b], bits[b + 2]);
    for (std::uint64_t edges = words ^ (words << 1 | last_bit); edges != 0; edges &= edges - 1) {
      const std::size_t edge = b * block + static_cast<std::size_t>(std::countr_zero(edges));
      if (inside)
        use(first, edge);
      else
        first = edge;
      inside = !inside;
    }
    last_bit = words >> 63;
  }
  if (inside) use(first, size);
  return at + size;
}

const char* Tokenizer::read_unicode(const char* at, const char* const end) {
  const auto is_ascii = [](const char* p) { return static_cast<unsigned char>(*p) < 0x80; };
  do {
    const Segment segment = next_segment(at, end);
    if (segment.is_word) add({at, static_cast<std::size_t>(segment.end - at)}, Bytes::any);
    at = segment.end;
  } while (at < end && !(is_space_or_control(*at) && (at + 1 == end || is_ascii(at + 1))));
  return at;
}

void Tokenizer::read_runs(std::string_view document) {
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
      if (word < at) add({word, static_cast<std::size_t>(at - word)}, Bytes::any);
      word = behind;
    }
    if (at == end) return;
    at = behind;
  }
}

void Tokenizer::read_between_spaces(std::string_view document) {
  const char* at = document.data();
  const char* const end = at + document.size();
  const char* word = at;
  const bool pairs = options_.tokens == TextOptions::Tokens::pairs;
  while (true) {
    const char* behind = at;
    if (at == end || is_white_space(utf8::decode(behind, end))) {
      const std::string_view found(word, static_cast<std::size_t>(at - word));
      if (!found.empty()) pairs ? add_pair(found) : add(found, Bytes::any);
      word = behind;
    }
    if (at == end) return;
    at = behind;
  }
}

void Tokenizer::read_characters(std::string_view document) {
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
  characters_.clear();
  append_folded_to(characters_, text);
  characters_.append(padding, '\0');
  std::vector<const char*> start;  // of the last characters, and behind them
  const auto longest = static_cast<std::size_t>(options_.ngrams.to);
  const char* last = characters_.data() + characters_.size() - padding;
  for (const char* p = characters_.data(); p < last;) {
    start.push_back(p);
    utf8::decode(p, last);
    if (start.size() > longest) start.erase(start.begin());
    for (int n = options_.ngrams.from; n <= std::min(options_.ngrams.to, int(start.size())); ++n) {
      const char* from = start[start.size() - static_cast<std::size_t>(n)];
      finish({from, static_cast<std::size_t>(p - from)}, 1);
    }
  }
}

void Tokenizer::append_folded_to(std::string& to, std::string_view word) const {
  if (options_.lowercase) return append_folded(word, to);
  const char* at = word.data();  // only what is not UTF-8 changes
  const char* const end = at + word.size();
  while (at < end) utf8::append(utf8::decode(at, end), to);
}

std::string_view Tokenizer::folded(std::string_view word) {
  folded_.clear();
  append_folded_to(folded_, word);
  return copied(folded_);
}

void Tokenizer::add(std::string_view word, Bytes bytes) {
  if (bytes == Bytes::any) word = folded(word);
  if (options_.min_length > 1 && !is_longer_than(word, options_.min_length)) return;
  if (options_.ngrams.to > 1)
    add_sequences(word);
  else
    finish(word, 1);
}

void Tokenizer::add_pair(std::string_view pair) {
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
  if (count > 0 && is_longer_than(word, options_.min_length)) finish(word, count);
}

void Tokenizer::add_sequences(std::string_view word) {
  const auto longest = static_cast<std::size_t>(options_.ngrams.to);
  last_.resize(longest);
  last_[words_ % longest] = word;
  ++words_;
  for (auto n = static_cast<std::size_t>(options_.ngrams.from); n <= std::min(longest, words_);
       ++n) {
    std::size_t size = n - 1;
    for (std::size_t k = words_ - n; k < words_; ++k) size += last_[k % longest].size();
    char* const to = room(size);
    char* at = to;
    for (std::size_t k = words_ - n; k < words_; ++k) {
      if (at != to) *at++ = ' ';
      const std::string& part = last_[k % longest];
      at = std::copy(part.begin(), part.end(), at);
    }
    finish({to, size}, 1);
  }
}

std::string_view Tokenizer::bucket_name(std::uint32_t bucket) {
  name_[0] = '#';
  const auto result = std::to_chars(name_.data() + 1, name_.data() + name_.size(), bucket, 16);
  return {name_.data(), static_cast<std::size_t>(result.ptr - name_.data())};
}

}  // namespace suffice
