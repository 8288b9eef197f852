#include "cli/readers/csv_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

constexpr std::string_view separators = ",\t;|";

/// No table has a cell this long; a quote that is never closed soon has.
constexpr std::size_t longest_record = std::size_t{256} << 20;

const char* find(const char* begin, const char* end, char c) {
  const void* at = std::memchr(begin, c, static_cast<std::size_t>(end - begin));
  return at ? static_cast<const char*>(at) : end;
}

const char* find_last(const char* begin, const char* end, char c) {
  const void* at = memrchr(begin, c, static_cast<std::size_t>(end - begin));
  return at ? static_cast<const char*>(at) : end;
}

/// std::count, but in bytes that do not overflow, so that the compiler counts sixteen at a time.
std::int64_t count_lines(const char* p, const char* end) {
  constexpr std::ptrdiff_t width = 64, rounds = 255;
  std::int64_t total = 0;
  while (end - p >= width) {
    unsigned char counts[width] = {};
    for (std::ptrdiff_t i = 0; i < rounds && end - p >= width; ++i, p += width)
      for (std::ptrdiff_t j = 0; j < width; ++j)
        counts[j] = static_cast<unsigned char>(counts[j] + (p[j] == '\n'));
    for (const unsigned char count : counts) total += count;
  }
  return total + std::count(p, end, '\n');
}

}  // namespace

CsvCutter::CsvCutter(const std::string& path, std::unique_ptr<Bytes> bytes, std::size_t piece_size)
    : path_(path), bytes_(std::move(bytes)), piece_size_(piece_size) {}

std::size_t CsvCutter::whole_records(const char* text, std::size_t size) {
  const char* const end = text + size;
  if (separator_ == '\n') {
    const char* const last = find_last(text, end, '\n');
    return last == end ? 0 : static_cast<std::size_t>(last + 1 - text);
  }
  const char* whole = text;  // after the last line end outside of quotes
  const char* p = text;
  for (;;) {
    const char* const quote = find(p, end, '"');
    if (const char* last = find_last(p, quote, '\n'); last != quote) whole = last + 1;
    if (quote == end) break;
    const char before = quote == text ? '\n' : quote[-1];
    const bool begins_cell =
        before == '\n' ||
        (separator_ ? before == separator_ : separators.find(before) != separators.npos);
    p = quote + 1;
    if (!begins_cell) continue;
    for (;;) {  // to the quote that closes it
      p = find(p, end, '"');
      if (p == end || p + 1 == end) return static_cast<std::size_t>(whole - text);
      if (p[1] != '"') break;
      p += 2;
    }
    ++p;
  }
  return static_cast<std::size_t>(whole - text);
}

std::optional<std::int64_t> CsvCutter::position() const {
  if (ended_) return std::nullopt;
  return bytes_->extent().done - static_cast<std::int64_t>(rest_.size());
}

void CsvCutter::restart(std::unique_ptr<Bytes> bytes, std::int64_t lines) {
  bytes_ = std::move(bytes);
  rest_.clear();
  lines_ = lines;
  ended_ = false;
}

bool CsvCutter::next(CsvPiece& piece) {
  piece.first = 0;
  std::size_t have = rest_.size();
  piece.text.resize(std::max(piece.text.size(), have + piece_size_ + CsvPiece::padding + 2));
  std::memcpy(piece.text.data(), rest_.data(), have);
  rest_.clear();
  std::size_t whole = 0;
  while (whole == 0 && !ended_) {
    const std::size_t wanted = std::max(piece_size_, have);
    if (have > longest_record)
      throw FileError({.path = path_, .line = static_cast<std::size_t>(lines_ + 1)},
                      "this record has more than " + std::to_string(longest_record >> 20) + " MB",
                      "is a quotation mark not closed?");
    piece.text.resize(std::max(piece.text.size(), have + wanted + CsvPiece::padding + 2));
    const std::size_t got = bytes_->read(piece.text.data() + have, wanted);
    ended_ = got < wanted;
    have += got;
    whole = whole_records(piece.text.data(), have);
  }
  if (ended_ && whole < have) {
    // The last record has no line end, or lies in quotes that were not closed.
    piece.text[have] = '\n';
    if (whole_records(piece.text.data(), have + 1) != have + 1)
      throw FileError({.path = path_,
                       .line = static_cast<std::size_t>(
                           lines_ + 1 + count_lines(piece.text.data(), piece.text.data() + whole))},
                      "a quoted cell of this record never ends", "close its quotation mark");
    whole = ++have;
  }
  rest_.assign(piece.text.data() + whole, have - whole);
  piece.size = whole;
  std::memset(piece.text.data() + whole, 0, CsvPiece::padding);
  if (lines_ == 0 && whole >= 3 && std::memcmp(piece.text.data(), "\xef\xbb\xbf", 3) == 0) {
    std::memmove(piece.text.data(), piece.text.data() + 3, whole + CsvPiece::padding - 3);
    piece.size -= 3;
  }
  if (whole > 0) lines_ += count_lines(piece.begin(), piece.end());
  return whole > 0;
}

const char* read_quoted(const char* p, const char* end, char separator, std::string& cell) {
  cell.clear();
  for (++p;;) {
    const char* const quote = find(p, end, '"');
    cell.append(p, quote);
    if (quote == end) return end;
    p = quote + 1;
    if (*p != '"') break;
    cell += '"';
    ++p;
  }
  // What follows the closing quote belongs to the cell too.
  const char* after = p;
  while (after != end && *after != separator && *after != '\n') ++after;
  const char* last =
      after != end && *after == '\n' && after > p && after[-1] == '\r' ? after - 1 : after;
  cell.append(p, last);
  return after;
}

const char* split_record(const char* p, const char* end, char separator,
                         std::vector<std::string_view>& cells, std::vector<std::string>& scratch) {
  cells.clear();
  scratch.clear();
  if (*p == '\n') return p + 1;
  if (*p == '\r' && p[1] == '\n') return p + 2;
  std::vector<std::size_t> quoted;  // cells that are views of scratch once it no longer moves
  for (;;) {
    const char* const first = p;
    if (*p == '"') {
      scratch.emplace_back();
      p = read_quoted(p, end, separator, scratch.back());
      quoted.push_back(cells.size());
      cells.emplace_back();
    } else {
      while (p != end && *p != separator && *p != '\n') ++p;
      const char* last = p > first && p != end && *p == '\n' && p[-1] == '\r' ? p - 1 : p;
      cells.emplace_back(first, static_cast<std::size_t>(last - first));
    }
    if (p == end || *p++ == '\n') break;
  }
  for (std::size_t i = 0; i < quoted.size(); ++i) cells[quoted[i]] = scratch[i];
  return p;
}

char detect_separator(const CsvPiece& piece) {
  constexpr int records = 20;
  char best = ',';
  std::size_t most = 1;
  bool best_is_even = false;
  std::vector<std::string_view> cells;
  std::vector<std::string> scratch;
  for (const char separator : separators) {
    std::size_t first = 0;
    bool even = true;
    int seen = 0;
    for (const char* p = piece.begin(); p != piece.end() && seen < records;) {
      p = split_record(p, piece.end(), separator, cells, scratch);
      if (cells.empty()) continue;
      if (seen++ == 0) first = cells.size();
      even = even && cells.size() == first;
    }
    // A separator that cuts all records alike is better than one that does not.
    if (first > 1 && (even > best_is_even || (even == best_is_even && first > most))) {
      best = separator;
      most = first;
      best_is_even = even;
    }
  }
  return best;
}

bool is_utf8(std::string_view text) noexcept {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = p + text.size();
  while (p != end) {
    if (*p < 0x80) {
      std::uint64_t eight = 0;  // most text is ASCII
      while (end - p >= 8 && (std::memcpy(&eight, p, 8), (eight & 0x8080808080808080) == 0)) p += 8;
      if (p != end && *p < 0x80) ++p;
      continue;
    }
    const int more = *p >= 0xf0 && *p < 0xf5 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc2 ? 1 : 0;
    if (more == 0 || *p >= 0xf5 || end - p <= more) return false;
    for (int i = 1; i <= more; ++i)
      if ((p[i] & 0xc0) != 0x80) return false;
    // Overlong forms, surrogates, and what is beyond U+10FFFF.
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
        (*p == 0xf4 && p[1] > 0x8f))
      return false;
    p += more + 1;
  }
  return true;
}

}  // namespace suffice::cli
