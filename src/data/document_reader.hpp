#pragma once
// A text column as documents, and their words as counts.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/name_reader.hpp"
#include "data/tokenizer.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// The documents of a text feature. Keeps views of what it is given.
class DocumentReader {
 public:
  DocumentReader(const RowBlock& rows, const Schema& schema, Index feature);

  const TextOptions& options() const { return feature_->text; }
  /// The document of a row; nothing where it is missing. Numbers are named by name_of, in `memory`.
  std::optional<std::string_view> document(Index row, std::string& memory) const;
  /// use(word, count) for the words of a row, in order, as Tokenizer has it; false where the
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

  /// The words of a row; false where the document is missing. number_of(word, count) is its number,
  /// or negative: the word is unknown.
  template <class NumberOf>
  bool read(const DocumentReader& reader, Index row, const NumberOf& number_of,
            Index first_row = 0) {
    words_.clear();
    unknown_ = 0;
    ++document_;
    return reader.read(
        row, tokenizer_, memory_,
        [&](std::string_view word, double count) { add(number_of(word, count), count); },
        first_row);
  }
  const std::vector<Word>& words() const { return words_; }
  double unknown() const { return unknown_; }  ///< words that have no number
  const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  struct Place {
    std::int64_t document = 0;  ///< the last one that had the word
    std::int32_t position = 0;  ///< in words_
  };
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
  std::string memory_;
  std::vector<Word> words_;
  std::vector<Place> places_;  ///< by number
  double unknown_ = 0;
  std::int64_t document_ = 0;
};

}  // namespace suffice
