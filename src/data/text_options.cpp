#include "suffice/data/text_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/quoted.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using Tokens = TextOptions::Tokens;
constexpr int longest_sequence = 20;
constexpr int most_hash_bits = 28;
constexpr std::array<std::pair<Tokens, std::string_view>, 5> names_of_tokens = {
    {{Tokens::words, "words"},
     {Tokens::alnum, "alnum"},
     {Tokens::whitespace, "whitespace"},
     {Tokens::chars, "chars"},
     {Tokens::pairs, "pairs"}}};
constexpr auto list_of_tokens = "words, alnum, whitespace, chars:A-B or pairs";

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::string written(const TextOptions::Lengths& lengths) {
  const std::string from = std::to_string(lengths.from);
  return lengths.from == lengths.to ? from : from + "-" + std::to_string(lengths.to);
}

}  // namespace

TextOptions::Lengths lengths_from_string(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<int> from = whole_number(text.substr(0, dash));
  const std::optional<int> to =
      dash == std::string_view::npos ? from : whole_number(text.substr(dash + 1));
  if (!from || !to || *from < 1 || *to < *from || *to > longest_sequence)
    throw InvalidArgument(
        quoted(text) + " is no range of lengths",
        "write A-B with 1 <= A <= B <= " + std::to_string(longest_sequence) + ", as in 1-2");
  return {*from, *to};
}

void set_tokens(TextOptions& options, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const auto& [tokens, known] : names_of_tokens) {
    if (known != name || (tokens == Tokens::chars) != (colon != std::string_view::npos)) continue;
    options.tokens = tokens;
    if (tokens == Tokens::chars) options.ngrams = lengths_from_string(text.substr(colon + 1));
    return;
  }
  throw InvalidArgument("text cannot be cut into " + quoted(text),
                        std::string("tokens are ") + list_of_tokens);
}

void check(const TextOptions& options) {
  const auto& [from, to] = options.ngrams;
  if (from < 1 || to < from || to > longest_sequence)
    throw InvalidArgument(
        "sequences of " + std::to_string(from) + " to " + std::to_string(to) +
            " words cannot be counted",
        "the lengths must rise and lie between 1 and " + std::to_string(longest_sequence));
  if (options.tokens == Tokens::pairs && (from != 1 || to != 1))
    throw InvalidArgument("words that are counted already have no order",
                          "leave out " + Option{"ngrams"} + ", or use other " + Option{"tokens"});
  if (options.min_length < 1)
    throw InvalidArgument(
        "the least length of a word is " + std::to_string(options.min_length) + " characters",
        "it must be 1 or more");
  if (options.hash_bits != 0 && (options.hash_bits < 4 || options.hash_bits > most_hash_bits))
    throw InvalidArgument(
        "words cannot be hashed to " + std::to_string(options.hash_bits) + " bits",
        "use 4 to " + std::to_string(most_hash_bits) + " bits, or 0 to keep the words");
}

std::string to_string(const TextOptions& options) {
  std::string text;
  for (const auto& [tokens, name] : names_of_tokens)
    if (tokens == options.tokens) text = name;
  if (options.tokens == Tokens::chars)
    text += ":" + written(options.ngrams);
  else if (options.ngrams != TextOptions::Lengths{})
    text += " ngrams:" + written(options.ngrams);
  if (!options.lowercase) text += " case";
  if (options.min_length != 1) text += " min-length:" + std::to_string(options.min_length);
  if (options.presence) text += " presence";
  if (options.hash_bits != 0) text += " hash-bits:" + std::to_string(options.hash_bits);
  return text;
}

TextOptions text_options_from_string(std::string_view text) {
  TextOptions options;
  bool first = true;
  while (!text.empty() || first) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::string_view name = word.substr(0, word.find(':'));
    const std::string_view value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
    if (std::exchange(first, false)) {
      set_tokens(options, word);
    } else if (name == "ngrams" && options.tokens != Tokens::chars) {
      options.ngrams = lengths_from_string(value);
    } else if (name == "min-length" && whole_number(value)) {
      options.min_length = *whole_number(value);
    } else if (name == "hash-bits" && whole_number(value)) {
      options.hash_bits = *whole_number(value);
    } else if (word == "case") {
      options.lowercase = false;
    } else if (word == "presence") {
      options.presence = true;
    } else {
      throw InvalidArgument("a text has no option " + quoted(word),
                            "write tokens, then any of ngrams:A-B, case, min-length:N, presence, "
                            "hash-bits:B");
    }
  }
  check(options);
  return options;
}

}  // namespace suffice
