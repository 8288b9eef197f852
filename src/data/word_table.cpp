#include "data/word_table.hpp"

#include <cstring>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15;
  return a ^ a >> 32;
}

constexpr std::size_t longest_key = 16;

template <class Bits>
std::uint64_t loaded(const char* at) {
  Bits bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

/// Up to eight bytes as one number, which differs for different bytes of the same length.
std::uint64_t up_to_eight(const char* at, std::size_t length) {
  if (length >= 4) return loaded<std::uint32_t>(at) << 32 | loaded<std::uint32_t>(at + length - 4);
  if (length == 0) return 0;
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
  return byte(0) << 16 | byte(length / 2) << 8 | byte(length - 1);
}

}  // namespace

WordTable::Key WordTable::key_of(std::string_view word) noexcept {
  const std::size_t length = word.size();
  if (length <= 8) return {up_to_eight(word.data(), length), 0, static_cast<std::uint32_t>(length)};
  return {loaded<std::uint64_t>(word.data()), loaded<std::uint64_t>(word.data() + length - 8),
          static_cast<std::uint32_t>(length)};
}

/// It never leaves the process.
std::uint64_t WordTable::hash_of(std::string_view word, const Key& key) noexcept {
  std::uint64_t hash = mixed(mixed(word.size(), key.first), key.last);
  for (std::size_t at = 8; at + 8 < word.size() && word.size() > longest_key; at += 8)
    hash = mixed(hash, loaded<std::uint64_t>(word.data() + at));
  return mixed(hash, 0xD1B54A32D192ED03);
}

std::string_view WordTable::operator[](std::int32_t number) const noexcept {
  const std::uint64_t begin = start_[static_cast<std::size_t>(number)];
  const std::uint64_t end =
      number + 1 < size() ? start_[static_cast<std::size_t>(number) + 1] : bytes_.size();
  return {bytes_.data() + begin, static_cast<std::size_t>(end - begin)};
}

std::size_t WordTable::slot_of(std::string_view word, const Key& key,
                               std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  const auto is_other = [&](const Slot& slot) {
    return !slot.has(key) || (word.size() > longest_key && (*this)[slot.number] != word);
  };
  while (slots_[at].number >= 0 && is_other(slots_[at])) at = (at + 1) & mask;
  return at;
}

std::int32_t WordTable::find(std::string_view word) const noexcept {
  if (slots_.empty()) return -1;
  const Key key = key_of(word);
  return slots_[slot_of(word, key, hash_of(word, key))].number;
}

void WordTable::find_all(const WordTable& others, std::vector<Index>& numbers) const noexcept {
  constexpr std::size_t ahead = 16;  // slots are all over the memory: they are asked for early
  const std::size_t count = others.start_.size(), mask = slots_.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (slots_.empty()) {
      numbers[i] = -1;
      continue;
    }
    if (i + ahead < count)
      __builtin_prefetch(&slots_[static_cast<std::size_t>(others.hashes_[i + ahead]) & mask]);
    const auto number = static_cast<std::int32_t>(i);
    const std::string_view word = others[number];
    numbers[i] = slots_[slot_of(word, key_of(word), others.hashes_[i])].number;
  }
}

std::int32_t WordTable::add(std::string_view word) {
  const Key key = key_of(word);
  return add(word, key, hash_of(word, key));
}

std::int32_t WordTable::add_from(const WordTable& other, std::int32_t number) {
  const std::string_view word = other[number];
  return add(word, key_of(word), other.hashes_[static_cast<std::size_t>(number)]);
}

std::int32_t WordTable::add(std::string_view word, const Key& key, std::uint64_t hash) {
  if (start_.size() * 2 >= slots_.size()) grow();
  Slot& slot = slots_[slot_of(word, key, hash)];
  if (slot.number >= 0) return slot.number;
  if (start_.size() >= 0x7FFFFFF0)
    throw InvalidArgument("there are more than two thousand million different words",
                          "use " + Option{"hash_bits", "24"});
  start_.push_back(bytes_.size());
  hashes_.push_back(hash);
  bytes_.insert(bytes_.end(), word.begin(), word.end());
  slot = {key.first, key.last, key.length, size() - 1};
  return slot.number;
}

void WordTable::grow() {
  const std::size_t count = slots_.empty() ? 64 : slots_.size() * 2;
  slots_.assign(count, {});
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    std::size_t at = static_cast<std::size_t>(hashes_[i]) & (count - 1);
    while (slots_[at].number >= 0) at = (at + 1) & (count - 1);
    const auto number = static_cast<std::int32_t>(i);
    const Key key = key_of((*this)[number]);
    slots_[at] = {key.first, key.last, key.length, number};
  }
}

}  // namespace suffice
