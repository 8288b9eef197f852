#include "data/word_table.hpp"

#include <algorithm>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

constexpr std::size_t slots_ahead = 16;  // slots are all over the memory: they are asked for early

}  // namespace

std::string_view WordTable::operator[](std::int32_t number) const noexcept {
  const std::uint64_t begin = start_[static_cast<std::size_t>(number)];
  const std::uint64_t end =
      number + 1 < size() ? start_[static_cast<std::size_t>(number) + 1] : bytes_.size();
  return {bytes_.data() + begin, static_cast<std::size_t>(end - begin)};
}

WordTable::Key WordTable::key_at(std::int32_t number) const noexcept {
  const std::string_view word = (*this)[number];
  const auto left = static_cast<std::size_t>(bytes_.data() + bytes_.size() - word.data());
  return left >= key_bytes ? key_of_padded(word) : key_of(word);
}

void WordTable::find_all(const WordTable& others, std::vector<Index>& numbers) const noexcept {
  for (std::int32_t i = 0; i < others.size(); ++i) {
    prefetch_from(others, static_cast<std::size_t>(i) + slots_ahead);
    numbers[static_cast<std::size_t>(i)] = find(others[i], others.key_at(i));
  }
}

void WordTable::add_all(const WordTable& others, std::vector<Index>& numbers) {
  for (std::int32_t i = 0; i < others.size(); ++i) {
    prefetch_from(others, static_cast<std::size_t>(i) + slots_ahead);
    numbers[static_cast<std::size_t>(i)] = add(others[i], others.key_at(i));
  }
}

std::int32_t WordTable::add_from(const WordTable& other, std::int32_t number) {
  return add(other[number], other.key_at(number));
}

std::int32_t WordTable::add_new(std::string_view word, const Key& key) {
  if (start_.size() * 8 >= slots_.size() * 5) grow();
  if (start_.size() >= 0x7FFFFFF0)
    throw InvalidArgument("there are more than two thousand million different words",
                          "use " + Option{"hash_bits", "24"});
  start_.push_back(bytes_.size());
  hashes_.push_back(key.hash);
  bytes_.insert(bytes_.end(), word.begin(), word.end());
  slots_[slot_of(word, key)] = {key.first, key.second, key.length, size() - 1};
  return size() - 1;
}

void WordTable::grow() {
  const std::size_t count = slots_.empty() ? 256 : slots_.size() * (slots_.size() < 16384 ? 4 : 2),
                    mask = count - 1;
  PagedVector<Slot> slots(count);
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    if (i + slots_ahead < hashes_.size())
      __builtin_prefetch(&slots[static_cast<std::size_t>(hashes_[i + slots_ahead]) & mask], 1);
    std::size_t at = static_cast<std::size_t>(hashes_[i]) & mask;
    while (slots[at].number >= 0) at = (at + 1) & mask;
    const auto number = static_cast<std::int32_t>(i);
    const Key key = key_at(number);
    slots[at] = {key.first, key.second, key.length, number};
  }
  slots_ = std::move(slots);
}

void WordTable::clear() noexcept {
  std::ranges::fill(slots_, Slot());
  bytes_.clear();
  hashes_.clear();
  start_.clear();
}

}  // namespace suffice
