#include "cli/readers/packed_entries.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace suffice::cli {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// How the values of a row are kept: in as few bytes as give them back bit for bit.
enum class Width : std::uint8_t { one, four, eight };

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

Width width_of(std::span<const Entry> entries) {
  Width width = Width::one;
  for (const auto& [index, value] : entries) {
    const bool is_byte =
        value >= 0 && value <= 255 && same(static_cast<std::uint8_t>(value), value);
    if (is_byte) continue;
    // Larger numbers than a float has would become infinite, and NaN has bits of its own.
    const bool is_float = value > -1e38 && value < 1e38 &&
                          same(static_cast<double>(static_cast<float>(value)), value);
    if (!is_float) return Width::eight;
    width = Width::four;
  }
  return width;
}

template <class T>
void append(std::string& to, T value) {
  const std::size_t size = to.size();
  to.resize(size + sizeof value);
  std::memcpy(to.data() + size, &value, sizeof value);
}

template <class T>
double take(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

/// Seven bits to a byte, the lowest first; the high bit is set where more follow.
void PackedEntries::put(std::uint64_t number) {
  for (; number >= 128; number >>= 7)
    pieces_.back().push_back(static_cast<char>((number & 127) | 128));
  pieces_.back().push_back(static_cast<char>(number));
}

std::uint64_t PackedEntries::get() {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(pieces_.front()[at_++]);
    number |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return number;
  }
}

void PackedEntries::add(std::int64_t line, std::string_view label, std::span<const Entry> entries) {
  if (pieces_.empty() || pieces_.back().size() >= piece_bytes) {
    pieces_.emplace_back();
    pieces_.back().reserve(piece_bytes + piece_bytes / 8);
  }
  const std::size_t before = pieces_.back().size();
  put(static_cast<std::uint64_t>(line - std::exchange(last_in_, line)));
  put(label.size());
  pieces_.back() += label;
  put(entries.size());
  std::int64_t last = 0;
  for (const Entry& entry : entries)
    put(static_cast<std::uint64_t>(entry.index - std::exchange(last, entry.index)));
  const Width width = width_of(entries);
  put(static_cast<std::uint64_t>(width));
  std::string& piece = pieces_.back();
  for (const auto& [index, value] : entries) switch (width) {
      case Width::one:
        append(piece, static_cast<std::uint8_t>(value));
        break;
      case Width::four:
        append(piece, static_cast<float>(value));
        break;
      case Width::eight:
        append(piece, value);
        break;
    }
  bytes_ += piece.size() - before;
}

bool PackedEntries::next(Row& row) {
  if (!pieces_.empty() && at_ == pieces_.front().size()) {
    bytes_ -= at_;
    pieces_.pop_front();
    at_ = 0;
  }
  if (pieces_.empty()) return false;
  row.line = last_out_ += static_cast<std::int64_t>(get());
  const std::size_t length = get();
  row.label = std::string_view(pieces_.front()).substr(at_, length);
  at_ += length;
  row.entries.resize(get());
  std::int64_t last = 0;
  for (Entry& entry : row.entries) entry.index = last += static_cast<std::int64_t>(get());
  const auto width = static_cast<Width>(get());
  const char* from = pieces_.front().data() + at_;
  for (Entry& entry : row.entries) switch (width) {
      case Width::one:
        entry.value = take<std::uint8_t>(from);
        from += 1;
        break;
      case Width::four:
        entry.value = take<float>(from);
        from += 4;
        break;
      case Width::eight:
        entry.value = take<double>(from);
        from += 8;
        break;
    }
  at_ = static_cast<std::size_t>(from - pieces_.front().data());
  return true;
}

}  // namespace suffice::cli
