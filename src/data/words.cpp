#include "suffice/data/words.hpp"

#include <algorithm>
#include <utility>

#include "core/quoted.hpp"
#include "data/word_table.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

Words::Words() {
  static const auto none = std::make_shared<WordTable>();
  table_ = none;
}

Words::Words(std::span<const std::string> words) : table_(std::make_shared<WordTable>()) {
  for (const std::string& word : words)
    if (const std::int32_t before = table_->size(); table_->add(word) != before)
      throw InvalidArgument("the word " + quoted(word) + " comes twice in a vocabulary");
}

Words::Words(WordTable words) : table_(std::make_shared<WordTable>(std::move(words))) {}

Index Words::size() const noexcept { return table_->size(); }

std::string_view Words::operator[](Index number) const noexcept {
  return (*table_)[static_cast<std::int32_t>(number)];
}

Index Words::find(std::string_view word) const noexcept { return table_->find(word); }

std::vector<std::string> Words::list() const {
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(size()));
  for (Index i = 0; i < size(); ++i) result.emplace_back((*this)[i]);
  return result;
}

std::vector<Index> Words::join(const Words& others) {
  if (table_ == others.table_) return positions_of(others);
  if (empty()) {  // shared until one of them grows
    table_ = others.table_;
    return positions_of(others);
  }
  return join(*others.table_);
}

std::vector<Index> Words::join(const WordTable& others) {
  std::vector<Index> result(static_cast<std::size_t>(others.size()));
  if (table_.use_count() > 1) {
    table_->find_all(others, result);
    if (std::ranges::find(result, Index{-1}) == result.end()) return result;
    table_ = std::make_shared<WordTable>(*table_);
  }
  table_->add_all(others, result);
  return result;
}

std::vector<Index> Words::positions_of(const Words& others) const {
  std::vector<Index> result(static_cast<std::size_t>(others.size()));
  if (table_ == others.table_) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<Index>(i);
  } else {
    table_->find_all(*others.table_, result);
  }
  return result;
}

bool operator==(const Words& a, const Words& b) {
  return a.table_ == b.table_ || *a.table_ == *b.table_;
}

}  // namespace suffice
