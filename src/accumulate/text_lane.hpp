#pragma once
// What a lane has counted of one text column, in a vocabulary of its own.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/at.hpp"
#include "core/paged.hpp"
#include "data/document_reader.hpp"
#include "data/word_table.hpp"

namespace suffice {

class TextLane {
 public:
  struct Sums {
    double count = 0, rows = 0;
  };
  /// Whole: all rows have weight 1, and words are counted one by one.
  TextLane(const TextOptions& options, std::size_t classes, bool whole);

  /// Adds the document of a row; false where it is missing. Errors are about row `first_row` + row.
  bool add(const DocumentReader& reader, Index row, Index first_row, std::size_t label,
           double weight) {
    return whole_ ? add_whole(reader, row, first_row, label)
                  : add_weighted(reader, row, first_row, label, weight);
  }

  std::size_t size() const { return listed_ ? buckets_.size() : at(words_.size()); }
  /// Whether words are known by their buckets alone (few bits of a hash); otherwise by name.
  bool has_buckets() const { return listed_; }
  std::span<const std::uint32_t> buckets() const { return buckets_; }
  /// The names; where they are moved from, the lane has none until it is cleared.
  WordTable&& take_words() { return std::move(words_); }
  double weight(std::size_t label) const { return weight_[label]; }
  Sums sums(std::size_t word, std::size_t label) const {
    const std::size_t i = word * classes_ + label;
    if (!whole_) return cells_[i];
    return {whole_cells_[i].count, static_cast<double>(whole_cells_[i].rows)};
  }
  bool has_votes() const { return !votes_.empty(); }
  /// The word that leads among those of a hash, and by how much. Valid until the next call.
  std::string_view heaviest(std::size_t word);
  double lead(std::size_t word) const { return votes_[word].lead; }
  /// Keeps the memory for another lane.
  void clear();

 private:
  /// Sums of rows of weight 1. A document is of one class, so each class has its last one.
  struct WholeCell {
    double count = 0;
    std::uint32_t rows = 0, document = 0;
  };
  struct Vote {
    std::uint64_t first = 0, second = 0;  ///< as in WordTable::Key
    double lead = 0;
    std::uint32_t length = 0;
  };
  static constexpr int most_listed_bits = 20;

  bool add_whole(const DocumentReader& reader, Index row, Index first_row, std::size_t label);
  bool add_weighted(const DocumentReader& reader, Index row, Index first_row, std::size_t label,
                    double weight);
  void count_named(std::span<const Tokenizer::Token> tokens, std::size_t label);
  void count_hashed(std::span<const Tokenizer::Token> tokens, std::size_t label);
  void count_numbers(std::size_t count, std::size_t label);
  std::int32_t number_of(std::uint32_t bucket);
  void vote(std::size_t number, std::string_view word, const WordTable::Key& key, double weight);

  TextOptions options_;
  std::size_t classes_;
  bool whole_, hashed_, listed_;
  WordTable words_;
  PagedVector<Sums> cells_;              ///< words × classes: they are all over the memory
  PagedVector<WholeCell> whole_cells_;   ///< the same of rows of weight 1
  std::vector<double> weight_;           ///< per class
  std::vector<std::uint32_t> buckets_;   ///< by number
  std::vector<std::int32_t> number_of_;  ///< by bucket; −1: none
  std::vector<Vote> votes_;              ///< of hashed words, by number
  std::unordered_map<std::size_t, std::string> long_words_;  ///< of votes that have no room there
  std::array<char, WordTable::key_bytes> heaviest_{};
  WordCounts document_;
  Tokenizer tokenizer_;
  std::string memory_;
  std::array<WordTable::Key, Tokenizer::most_tokens> keys_;
  std::array<std::int32_t, Tokenizer::most_tokens> numbers_;
  std::uint32_t documents_ = 0;
};

}  // namespace suffice
