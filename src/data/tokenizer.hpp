#pragma once
// Cuts documents into words, as TextOptions say.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/data/text_options.hpp"

namespace suffice {

/// It has memory of its own: one for each worker.
class Tokenizer {
 public:
  struct Token {
    std::string_view word;  ///< at least `padding` bytes can be read from its beginning on
    double count;
    /// Of hashed words (TextOptions::hash_bits): the number that stands for the word.
    std::uint32_t bucket;
  };
  /// Some words of a document, in order. They are valid during the call.
  using Use = std::function<void(std::span<const Token>)>;
  static constexpr std::size_t most_tokens = 256;  ///< of a call
  static constexpr std::size_t padding = 16;

  explicit Tokenizer(const TextOptions& options);

  /// use(tokens) for the words of a document, some at a time; a word that occurs twice is used
  /// twice, `presence` or not. Bytes that are not UTF-8 end words, or are U+FFFD between white
  /// space. Throws DataError, without a place, for pairs that are none.
  void read_some(std::string_view document, const Use& use);
  /// use(word, count) for each of them; where words are hashed, with the name of their number.
  template <class UseWord>
  void read(std::string_view document, const UseWord& use) {
    read_some(document, [&](std::span<const Token> tokens) {
      for (const Token& token : tokens)
        use(options_.hash_bits > 0 ? bucket_name(token.bucket) : token.word, token.count);
    });
  }
  /// "#1f", which stands for a hashed word; valid until the next call.
  std::string_view bucket_name(std::uint32_t bucket);

 private:
  /// What is known of a word: whether it is as options want it, with bytes that stay.
  enum class Bytes { plain, any };

  void read_words(std::string_view document);
  /// The words of the ASCII text that a document begins with, up to white space; returns what is
  /// left.
  const char* read_ascii(const char* at, const char* end);
  /// The words up to white space behind which ASCII follows; returns what is left.
  const char* read_unicode(const char* at, const char* end);
  void read_runs(std::string_view document);
  void read_between_spaces(std::string_view document);
  void read_characters(std::string_view document);
  /// A word as it stands in the document.
  void add(std::string_view word, Bytes bytes);
  void add_pair(std::string_view pair);
  /// Appends the word as options say to `to`.
  void append_folded_to(std::string& to, std::string_view word) const;
  std::string_view folded(std::string_view word);
  void add_sequences(std::string_view word);
  /// A word whose bytes stay until the tokens are used.
  void finish(std::string_view word, double count) {
    Token& token = tokens_[count_];
    token.word = word;
    token.count = count;
    if (++count_ == most_tokens) use_tokens();
  }
  void use_tokens();
  /// Memory that stays until the tokens are used, padded; it may use those that there are.
  char* room(std::size_t size);
  std::string_view copied(std::string_view word);

  TextOptions options_;
  const Use* use_ = nullptr;
  std::vector<Token> tokens_;  ///< most_tokens
  std::size_t count_ = 0;      ///< of tokens that were not used yet
  std::vector<char> text_;     ///< ASCII that is being read, as options want it
  std::vector<char> memory_;   ///< of words that do not stand there
  std::size_t used_ = 0;       ///< of the memory
  std::string folded_, characters_;
  std::array<char, 16> name_{};
  std::vector<std::string> last_;  ///< a ring of words for sequences
  std::size_t words_ = 0;          ///< of the document so far
};

}  // namespace suffice
