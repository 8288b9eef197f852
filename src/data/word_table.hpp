#pragma once
// A set of words with numbers, for looking up millions of them quickly.

#include <cstdint>
#include <string_view>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

/// Words have the numbers 0, 1, … in the order in which they came.
class WordTable {
 public:
  std::int32_t size() const noexcept { return static_cast<std::int32_t>(start_.size()); }
  /// The number of a word, or -1.
  std::int32_t find(std::string_view word) const noexcept;
  /// The number of a word, which joins the set if it is new.
  std::int32_t add(std::string_view word);
  /// The same for a word of another table, whose hash is known.
  std::int32_t add_from(const WordTable& other, std::int32_t number);
  /// numbers[i] = find(others[i]) for all words of `others`.
  void find_all(const WordTable& others, std::vector<Index>& numbers) const noexcept;
  std::string_view operator[](std::int32_t number) const noexcept;

  /// The same words with the same numbers.
  friend bool operator==(const WordTable& a, const WordTable& b) {
    return a.start_ == b.start_ && a.bytes_ == b.bytes_;
  }

 private:
  /// The first and the last bytes tell words of up to 16 bytes apart, without a look elsewhere.
  struct Key {
    std::uint64_t first = 0, last = 0;
    std::uint32_t length = 0;
  };
  struct Slot {
    std::uint64_t first = 0, last = 0;
    std::uint32_t length = 0;
    std::int32_t number = -1;  ///< -1: empty

    bool has(const Key& key) const {
      return first == key.first && last == key.last && length == key.length;
    }
  };
  static Key key_of(std::string_view word) noexcept;
  static std::uint64_t hash_of(std::string_view word, const Key& key) noexcept;
  std::int32_t add(std::string_view word, const Key& key, std::uint64_t hash);
  void grow();
  std::size_t slot_of(std::string_view word, const Key& key, std::uint64_t hash) const noexcept;

  std::vector<Slot> slots_;  ///< a power of two of them, half of them empty
  std::vector<char> bytes_;  ///< of all words
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> start_;  ///< by number: where its bytes begin
};

}  // namespace suffice
