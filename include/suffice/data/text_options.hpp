#pragma once
// How the text of a column is cut into words. Sums depend on it, so it belongs to the schema.

#include <string>
#include <string_view>

namespace suffice {

struct TextOptions {
  enum class Tokens {
    words,       ///< by Unicode's rules (UAX #29); segments without a letter or digit are left out
    alnum,       ///< runs of letters, digits and _, as scikit-learn's CountVectorizer cuts text
    whitespace,  ///< whatever stands between white space
    chars,       ///< sequences of characters; runs of white space are one space
    pairs,       ///< word:count pairs between white space: words that are counted already
  };
  /// How many words (of `chars`: characters) stand in a sequence that is counted as one word.
  struct Lengths {
    int from = 1, to = 1;
    friend bool operator==(const Lengths&, const Lengths&) = default;
  };

  Tokens tokens = Tokens::words;
  Lengths ngrams = {};    ///< sequences of words are joined by a space
  bool lowercase = true;  ///< Unicode's simple folding of case
  int min_length = 1;     ///< in characters; shorter words are left out
  bool presence = false;  ///< a word counts once per document
  /// Words are replaced by one of 2^hash_bits numbers, which bounds the memory of any table; 0:
  /// they are not. Words that share a number are counted as one.
  int hash_bits = 0;

  friend bool operator==(const TextOptions&, const TextOptions&) = default;
};

/// "words", "chars:3-5", "words ngrams:1-2 case min-length:2 presence": what differs from the
/// default, after the tokens.
std::string to_string(const TextOptions& options);
/// Reads what to_string writes. Throws InvalidArgument.
TextOptions text_options_from_string(std::string_view text);
/// The value of the option `tokens`, which sets `tokens` and, for "chars:A-B", `ngrams`. Throws
/// InvalidArgument.
void set_tokens(TextOptions& options, std::string_view text);
/// "2", "1-2". Throws InvalidArgument.
TextOptions::Lengths lengths_from_string(std::string_view text);
/// Throws InvalidArgument where a number is out of its range.
void check(const TextOptions& options);

}  // namespace suffice
