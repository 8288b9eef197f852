#pragma once
// The vocabulary of a text column: words with numbers, in the order in which they first came. It
// grows and never shrinks; looking a word up takes the same time however many there are.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

class WordTable;  // src/data/word_table.hpp

/// Copies share their memory until one of them grows.
class Words {
 public:
  Words();
  /// Throws InvalidArgument where a word comes twice.
  explicit Words(std::span<const std::string> words);
  explicit Words(WordTable words);

  Index size() const noexcept;
  bool empty() const noexcept { return size() == 0; }
  std::string_view operator[](Index number) const noexcept;
  /// The number of a word, or -1.
  Index find(std::string_view word) const noexcept;
  /// All words, in order.
  std::vector<std::string> list() const;

  /// The words of `others` that are new join, in their order. For each word of `others` its number
  /// here.
  std::vector<Index> join(const Words& others);
  std::vector<Index> join(const WordTable& others);
  /// For each word of `others` its number here, or -1.
  std::vector<Index> positions_of(const Words& others) const;

  const WordTable& table() const noexcept { return *table_; }

  /// The same words with the same numbers.
  friend bool operator==(const Words& a, const Words& b);

 private:
  std::shared_ptr<WordTable> table_;
};

}  // namespace suffice
