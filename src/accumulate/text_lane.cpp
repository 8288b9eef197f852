#include "accumulate/text_lane.hpp"

#include <algorithm>
#include <cstring>

namespace suffice {

TextLane::TextLane(const TextOptions& options, std::size_t classes, bool whole)
    : options_(options),
      classes_(classes),
      whole_(whole),
      hashed_(options.hash_bits > 0),
      listed_(whole && hashed_ && options.hash_bits <= most_listed_bits),
      weight_(classes),
      document_(options),
      tokenizer_(options) {
  if (listed_) number_of_.assign(std::size_t{1} << options.hash_bits, -1);
}

bool TextLane::add_whole(const DocumentReader& reader, Index row, Index first_row,
                         std::size_t label) {
  ++documents_;
  const bool present = reader.read(
      row, tokenizer_, memory_,
      [this, label](std::span<const Tokenizer::Token> tokens) {
        hashed_ ? count_hashed(tokens, label) : count_named(tokens, label);
      },
      first_row);
  if (present) ++weight_[label];
  return present;
}

/// Tables are all over the memory: what is needed is asked for some words earlier.
void TextLane::count_named(std::span<const Tokenizer::Token> tokens, std::size_t label) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    keys_[i] = WordTable::key_of_padded(tokens[i].word);
    words_.prefetch(keys_[i]);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    numbers_[i] = words_.add(tokens[i].word, keys_[i]);
    const std::size_t cell = at(numbers_[i]) * classes_ + label;
    if (cell < whole_cells_.size()) __builtin_prefetch(&whole_cells_[cell], 1);
  }
  count_numbers(tokens.size(), label);
}

void TextLane::count_hashed(std::span<const Tokenizer::Token> tokens, std::size_t label) {
  if (listed_)
    for (const Tokenizer::Token& token : tokens) __builtin_prefetch(&number_of_[token.bucket]);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    numbers_[i] = number_of(tokens[i].bucket);
    const std::size_t cell = at(numbers_[i]) * classes_ + label;
    if (cell < whole_cells_.size()) __builtin_prefetch(&whole_cells_[cell], 1);
    if (at(numbers_[i]) < votes_.size()) __builtin_prefetch(&votes_[at(numbers_[i])], 1);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i)
    vote(at(numbers_[i]), tokens[i].word, WordTable::key_of_padded(tokens[i].word), 1);
  count_numbers(tokens.size(), label);
}

void TextLane::count_numbers(std::size_t count, std::size_t label) {
  const std::size_t needed = size() * classes_;
  if (whole_cells_.size() < needed) whole_cells_.resize(needed);
  WholeCell* const cells = whole_cells_.data() + label;
  for (std::size_t i = 0; i < count; ++i) {
    WholeCell& cell = cells[at(numbers_[i]) * classes_];
    const bool is_new = cell.document != documents_;
    cell.rows += is_new;
    cell.count += options_.presence ? is_new : 1;
    cell.document = documents_;
  }
}

std::int32_t TextLane::number_of(std::uint32_t bucket) {
  if (!listed_) return words_.add(tokenizer_.bucket_name(bucket));
  std::int32_t& number = number_of_[bucket];
  if (number < 0) {
    number = static_cast<std::int32_t>(buckets_.size());
    buckets_.push_back(bucket);
  }
  return number;
}

bool TextLane::add_weighted(const DocumentReader& reader, Index row, Index first_row,
                            std::size_t label, double weight) {
  const auto seen = [&](std::int32_t number, std::string_view word, double count) {
    vote(at(number), word, WordTable::key_of(word), weight * count);
  };
  if (!document_.read(reader, row, words_, seen, first_row)) return false;
  const std::size_t needed = size() * classes_;
  if (cells_.size() < needed) cells_.resize(needed);
  weight_[label] += weight;
  const std::vector<WordCounts::Word>& words = document_.words();
  const auto cell_of = [&](std::size_t k) -> Sums& {
    return cells_[at(words[k].number) * classes_ + label];
  };
  constexpr std::size_t ahead = 8;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k + ahead < words.size()) __builtin_prefetch(&cell_of(k + ahead), 1);
    Sums& cell = cell_of(k);
    cell.count += weight * words[k].count;
    cell.rows += weight;
  }
  return true;
}

/// As vote_for_heaviest (stats/dictionary.hpp), with words that are compared by their keys.
void TextLane::vote(std::size_t number, std::string_view word, const WordTable::Key& key,
                    double weight) {
  if (number >= votes_.size()) votes_.resize(std::max(number + 1, 2 * votes_.size()));
  Vote& vote = votes_[number];
  const bool is_long = key.length > WordTable::key_bytes;
  if (vote.first == key.first && vote.second == key.second && vote.length == key.length &&
      (!is_long || long_words_[number] == word)) {
    vote.lead += weight;
  } else if (weight > vote.lead) {
    vote = {key.first, key.second, weight - vote.lead, key.length};
    if (is_long) long_words_[number] = word;
  } else {
    vote.lead -= weight;
  }
}

std::string_view TextLane::heaviest(std::size_t word) {
  const Vote& vote = votes_[word];
  if (vote.length > WordTable::key_bytes) return long_words_[word];
  std::memcpy(heaviest_.data(), &vote.first, 8);
  std::memcpy(heaviest_.data() + 8, &vote.second, 8);
  return {heaviest_.data(), vote.length};
}

void TextLane::clear() {
  words_.clear();
  cells_.clear();
  whole_cells_.clear();
  std::ranges::fill(weight_, 0.0);
  for (const std::uint32_t bucket : buckets_) number_of_[bucket] = -1;
  buckets_.clear();
  votes_.clear();
  long_words_.clear();
  document_.forget_vocabulary();
  documents_ = 0;
}

}  // namespace suffice
