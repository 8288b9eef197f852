#include "cli/readers/packed_entries.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

namespace suffice::cli {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// How the values of a row are kept: in as few bytes as give them back bit for bit. Decimal: k of
/// k / 10^p, with one p for the row.
enum class Width : std::uint8_t { one, four, eight, decimal };

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

constexpr double powers_of_ten[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

/// The nearest whole number; std::round would be a call.
std::int64_t whole_of(double value, std::size_t p) {
  return static_cast<std::int64_t>(value * powers_of_ten[p] + (value < 0 ? -0.5 : 0.5));
}

/// The p of decimal values; 0: some value is none, or long.
std::size_t decimals_of(std::span<const Entry> entries) {
  constexpr double most = 1 << 27;  // four bytes
  std::size_t p = 1;
  double largest = 0;
  for (const auto& [index, value] : entries) {
    if (!std::isfinite(value)) return 0;
    largest = std::max(largest, std::abs(value));
    // A quotient is rounded correctly, so a larger p gives back the values before it, too.
    while (!(largest * powers_of_ten[p] < most) ||
           !same(static_cast<double>(whole_of(value, p)) / powers_of_ten[p], value))
      if (++p == std::size(powers_of_ten)) return 0;
  }
  return p;
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
  Width width = width_of(entries);
  const std::size_t decimals = width == Width::eight ? decimals_of(entries) : 0;
  if (decimals > 0) width = Width::decimal;
  put(static_cast<std::uint64_t>(width));
  if (decimals > 0) put(decimals);
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
      case Width::decimal: {  // the sign is the lowest bit
        const std::int64_t whole = whole_of(value, decimals);
        put(static_cast<std::uint64_t>(whole < 0 ? -2 * whole - 1 : 2 * whole));
        break;
      }
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
  if (width == Width::decimal) {
    const double unit = powers_of_ten[get()];
    for (Entry& entry : row.entries) {
      const std::uint64_t number = get();
      const auto half = static_cast<double>(number / 2);
      entry.value = (number % 2 == 0 ? half : -half - 1) / unit;
    }
    return true;
  }
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
      case Width::decimal:
        break;
    }
  at_ = static_cast<std::size_t>(from - pieces_.front().data());
  return true;
}

}  // namespace suffice::cli
