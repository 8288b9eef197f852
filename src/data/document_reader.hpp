#pragma once
// A text column as documents, and their words as counts.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "data/name_reader.hpp"
#include "data/tokenizer.hpp"
#include "data/word_table.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// The documents of a text feature. Keeps views of what it is given.
class DocumentReader {
 public:
  DocumentReader(const RowBlock& rows, const Schema& schema, Index feature);

  const TextOptions& options() const { return feature_->text; }
  /// The document of a row; nothing where it is missing. Numbers are named by name_of, in `memory`.
  std::optional<std::string_view> document(Index row, std::string& memory) const;
  /// use(tokens) for the words of a row, some at a time, as Tokenizer has it; false where the
  /// document is missing. Throws DataError with the row (`first_row` + row) and the feature.
  bool read(Index row, Tokenizer& tokenizer, std::string& memory, const Tokenizer::Use& use,
            Index first_row = 0) const;

 private:
  std::string_view of_code(Index row) const;

  const Feature* feature_;
  Column column_;
  Names none_;
  std::optional<NameReader> names_;  ///< of a column that has no strings
};

/// The words of one document with their counts, each of them once, in the order in which they first
/// come. It has memory of its own: one for each worker and vocabulary.
class WordCounts {
 public:
  struct Word {
    std::int32_t number;  ///< in the vocabulary
    double count;
  };

  explicit WordCounts(const TextOptions& options) : options_(options), tokenizer_(options) {}

  /// The words of a row; false where the document is missing. They are looked up in `words`; those
  /// that are not there join it, unless it is const.
  template <class Table>
  bool read(const DocumentReader& reader, Index row, Table& words) {
    return read(
        reader, row, words, [](std::int32_t, std::string_view, double) {}, 0);
  }
  /// The same, with seen(number, word, count) for each hashed word; errors are about row
  /// `first_row` + row.
  template <class Table, class Seen>
  bool read(const DocumentReader& reader, Index row, Table& words, const Seen& seen,
            Index first_row) {
    words_.clear();
    unknown_ = 0;
    if (++document_ == 0) {  // four thousand million documents later
      std::ranges::fill(places_, Place());
      document_ = 1;
    }
    struct {
      Table& words;
      const Seen& seen;
    } with{words, seen};
    // Two pointers fit a std::function, which would need memory for more.
    return reader.read(
        row, tokenizer_, memory_,
        [this, &with](std::span<const Tokenizer::Token> tokens) {
          if (options_.hash_bits > 0)
            add_hashed(tokens, with.words, with.seen);
          else
            add(tokens, with.words);
        },
        first_row);
  }
  const std::vector<Word>& words() const { return words_; }
  double unknown() const { return unknown_; }  ///< words that have no number
  /// The vocabulary has changed in another way than by reading.
  void forget_vocabulary() { number_of_.clear(); }

 private:
  struct Place {
    std::uint32_t document = 0;  ///< the last one that had the word
    std::int32_t position = 0;   ///< in words_
  };
  static constexpr std::int32_t not_looked_up = -2;
  static constexpr int most_listed_bits = 20;  ///< more numbers than that are looked up by name

  template <class Table>
  static std::int32_t number_in(Table& words, std::string_view word, const WordTable::Key& key) {
    if constexpr (std::is_const_v<Table>)
      return words.find(word, key);
    else
      return words.add(word, key);
  }

  /// Tables are all over the memory: what is needed is asked for some words earlier.
  template <class Table>
  void add(std::span<const Tokenizer::Token> tokens, Table& words) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      keys_[i] = WordTable::key_of_padded(tokens[i].word);
      words.prefetch(keys_[i]);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      numbers_[i] = number_in(words, tokens[i].word, keys_[i]);
      if (static_cast<std::size_t>(numbers_[i]) < places_.size())
        __builtin_prefetch(&places_[static_cast<std::size_t>(numbers_[i])], 1);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) add(numbers_[i], tokens[i].count);
  }

  template <class Table, class Seen>
  void add_hashed(std::span<const Tokenizer::Token> tokens, Table& words, const Seen& seen) {
    const bool listed = options_.hash_bits <= most_listed_bits;
    if (listed && number_of_.empty())
      number_of_.assign(std::size_t{1} << options_.hash_bits, not_looked_up);
    for (const Tokenizer::Token& token : tokens) {
      std::int32_t number = listed ? number_of_[token.bucket] : not_looked_up;
      if (number == not_looked_up) {
        const std::string_view name = tokenizer_.bucket_name(token.bucket);
        number = number_in(words, name, WordTable::key_of(name));
        if (listed) number_of_[token.bucket] = number;
      }
      seen(number, token.word, token.count);
      add(number, token.count);
    }
  }

  void add(std::int32_t number, double count) {
    if (number < 0) {
      unknown_ += count;
      return;
    }
    if (static_cast<std::size_t>(number) >= places_.size())
      places_.resize(
          std::max<std::size_t>(2 * places_.size(), static_cast<std::size_t>(number) + 1));
    Place& place = places_[static_cast<std::size_t>(number)];
    if (place.document != document_) {
      place = {document_, static_cast<std::int32_t>(words_.size())};
      words_.push_back({number, options_.presence ? 1 : count});
    } else if (!options_.presence) {
      words_[static_cast<std::size_t>(place.position)].count += count;
    }
  }

  TextOptions options_;
  Tokenizer tokenizer_;
  static_assert(Tokenizer::padding >= WordTable::key_bytes);
  std::string memory_;
  std::vector<Word> words_;
  std::vector<Place> places_;            ///< by number
  std::vector<std::int32_t> number_of_;  ///< of hashed words, by bucket; empty: none is known
  std::array<WordTable::Key, Tokenizer::most_tokens> keys_;
  std::array<std::int32_t, Tokenizer::most_tokens> numbers_;
  double unknown_ = 0;
  std::uint32_t document_ = 0;
};

}  // namespace suffice
