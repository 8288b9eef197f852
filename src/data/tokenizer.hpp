#pragma once
// Cuts documents into words, as TextOptions say.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/data/text_options.hpp"

namespace suffice {

/// It has memory of its own: one for each worker.
class Tokenizer {
 public:
  /// A word of a document, which is valid during the call, and how often it is counted.
  using Use = std::function<void(std::string_view word, double count)>;

  explicit Tokenizer(const TextOptions& options) : options_(options) {}

  /// use(word, count) for the words of a document, in order; a word that occurs twice is used
  /// twice, `presence` or not. Bytes that are not UTF-8 end words, or are U+FFFD between white
  /// space. Throws DataError, without a place, for pairs that are none.
  void read(std::string_view document, const Use& use);
  /// During a call of `use`: the word as it was before it was replaced by a number.
  std::string_view original() const { return original_; }

 private:
  void read_words(std::string_view document, const Use& use);
  void read_runs(std::string_view document, const Use& use);
  void read_between_spaces(std::string_view document, const Use& use);
  void read_characters(std::string_view document, const Use& use);
  /// A word as it stands in the document. `plain`: it is ASCII without capital letters.
  void add(std::string_view word, bool plain, const Use& use);
  void add_pair(std::string_view pair, const Use& use);
  std::string_view folded(std::string_view word);
  void add_sequences(std::string_view word, const Use& use);
  void finish(std::string_view word, double count, const Use& use);

  TextOptions options_;
  std::string folded_, joined_;
  std::string_view original_;
  std::vector<std::string> last_;  ///< a ring of words for sequences
  std::size_t words_ = 0;          ///< of the document so far
};

}  // namespace suffice
