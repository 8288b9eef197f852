#pragma once
// A set of words with numbers, for looking up millions of them quickly.

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/paged.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

/// Words have the numbers 0, 1, … in the order in which they came.
class WordTable {
 public:
  /// The first 16 bytes and the length tell shorter words apart, without a look elsewhere.
  struct Key {
    std::uint64_t first = 0, second = 0;  ///< eight bytes each; those behind the word are 0
    std::uint64_t hash = 0;
    std::uint32_t length = 0;
  };
  static constexpr std::size_t key_bytes = 16;
  static Key key_of(std::string_view word) noexcept;
  /// The same for a word of which key_bytes bytes can be read, however short it is: no branches.
  static Key key_of_padded(std::string_view word) noexcept;

  std::int32_t size() const noexcept { return static_cast<std::int32_t>(start_.size()); }
  /// The number of a word, or -1.
  std::int32_t find(std::string_view word) const noexcept { return find(word, key_of(word)); }
  std::int32_t find(std::string_view word, const Key& key) const noexcept {
    return slots_.empty() ? -1 : slots_[slot_of(word, key)].number;
  }
  /// The number of a word, which joins the set if it is new.
  std::int32_t add(std::string_view word) { return add(word, key_of(word)); }
  std::int32_t add(std::string_view word, const Key& key) {
    if (!slots_.empty())
      if (const std::int32_t known = slots_[slot_of(word, key)].number; known >= 0) return known;
    return add_new(word, key);
  }
  /// The word of this key will be looked up soon.
  void prefetch(const Key& key) const noexcept {
    if (!slots_.empty()) __builtin_prefetch(&slots_[key.hash & (slots_.size() - 1)]);
  }
  /// add for a word of another table, whose hash is known.
  std::int32_t add_from(const WordTable& other, std::int32_t number);
  /// numbers[i] = find(others[i]) for all words of `others`, or add(others[i]).
  void find_all(const WordTable& others, std::vector<Index>& numbers) const noexcept;
  void add_all(const WordTable& others, std::vector<Index>& numbers);
  std::string_view operator[](std::int32_t number) const noexcept;
  /// Takes all words out, and keeps the memory for others.
  void clear() noexcept;

  /// The same words with the same numbers.
  friend bool operator==(const WordTable& a, const WordTable& b) {
    return a.start_ == b.start_ && a.bytes_ == b.bytes_;
  }

 private:
  struct Slot {
    std::uint64_t first = 0, second = 0;
    std::uint32_t length = 0;
    std::int32_t number = -1;  ///< -1: empty

    bool has(const Key& key) const noexcept {
      return first == key.first && second == key.second && length == key.length;
    }
  };

  /// Where the word is, or belongs.
  std::size_t slot_of(std::string_view word, const Key& key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(key.hash) & mask;
    while (slots_[at].number >= 0 && (!slots_[at].has(key) || (word.size() > key_bytes &&
                                                               (*this)[slots_[at].number] != word)))
      at = (at + 1) & mask;
    return at;
  }
  /// Another table's word i will be looked up soon.
  void prefetch_from(const WordTable& others, std::size_t i) const noexcept {
    if (i < others.hashes_.size() && !slots_.empty())
      __builtin_prefetch(&slots_[others.hashes_[i] & (slots_.size() - 1)]);
  }
  /// The key of a word of this table.
  Key key_at(std::int32_t number) const noexcept;
  std::int32_t add_new(std::string_view word, const Key& key);
  void grow();

  PagedVector<Slot> slots_;  ///< a power of two of them, at least three of eight empty
  std::vector<char> bytes_;  ///< of all words
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> start_;  ///< by number: where its bytes begin
};

/// Hashes never leave the process.
inline WordTable::Key WordTable::key_of_padded(std::string_view word) noexcept {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15, other = 0xD1B54A32D192ED03;
  // The bytes of a word within eight: those of the first `length`.
  static constexpr std::array<std::uint64_t, key_bytes + 9> inside = [] {
    std::array<std::uint64_t, key_bytes + 9> masks{};
    for (std::size_t i = 0; i < masks.size(); ++i)
      masks[i] = i <= 8 ? 0 : i >= 16 ? ~std::uint64_t{0} : ~std::uint64_t{0} >> (8 * (16 - i));
    return masks;
  }();
  const std::size_t length = word.size(), within = length < key_bytes ? length : key_bytes;
  Key key;
  std::memcpy(&key.first, word.data(), 8);
  std::memcpy(&key.second, word.data() + 8, 8);
  key.first &= inside[within + 8];
  key.second &= inside[within];
  key.length = static_cast<std::uint32_t>(length);
  key.hash = (key.first ^ length * other) * odd;
  key.hash = (key.hash ^ key.hash >> 32 ^ key.second) * other;
  key.hash ^= key.hash >> 29;
  for (std::size_t i = key_bytes; i < length; ++i)
    key.hash = (key.hash ^ static_cast<unsigned char>(word[i])) * odd;
  if (length > key_bytes) key.hash ^= key.hash >> 32;
  return key;
}

inline WordTable::Key WordTable::key_of(std::string_view word) noexcept {
  if (word.size() >= key_bytes) return key_of_padded(word);
  std::array<char, key_bytes> padded{};
  if (!word.empty()) std::memcpy(padded.data(), word.data(), word.size());
  return key_of_padded({padded.data(), word.size()});
}

}  // namespace suffice
