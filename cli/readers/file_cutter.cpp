#include "cli/readers/file_cutter.hpp"

#include <algorithm>
#include <cstring>

#include "suffice/core/error.hpp"

namespace suffice::cli {

void FileCutter::read(std::int64_t from, char* to, std::int64_t count) const {
  if (file_.read(from, to, count) < count)
    throw FileError({.path = path_},
                    "cannot read " + called(path_) + ": it became shorter while it was read");
}

FileCutter::Found FileCutter::cut(std::int64_t k, CsvPiece& piece) const {
  constexpr std::int64_t usual_tail = 4096, longest_tail = 64 << 20;
  const std::int64_t first = place(k), last = first + piece_size_;
  if (first >= size()) return Found::end;
  // The byte before the piece tells whether a record begins with it.
  const std::int64_t from = k == 0 ? first : first - 1;
  std::int64_t have = 0;
  const auto read_to = [&](std::int64_t to) {
    to = std::min(to, size());
    piece.text.resize(
        std::max(piece.text.size(), static_cast<std::size_t>(to - from) + CsvPiece::padding + 1));
    read(from + have, piece.text.data() + have, to - from - have);
    have = to - from;
  };
  const auto find = [&](std::int64_t at, char c) -> const char* {
    return static_cast<const char*>(
        std::memchr(piece.text.data() + at, c, static_cast<std::size_t>(have - at)));
  };
  read_to(last + usual_tail);
  const auto offset_behind = [&](const char* line_end) {
    return static_cast<std::int64_t>(line_end + 1 - piece.text.data());
  };
  std::int64_t begin = 0;
  if (k > 0) {
    const char* const line_end = find(0, '\n');
    begin = line_end ? offset_behind(line_end) : have;
  }
  piece.first = static_cast<std::size_t>(begin);
  piece.size = 0;
  // The record before it goes on beyond the piece, or to the end of the file.
  if (from + begin >= std::min(last, size())) return Found::records;
  std::int64_t end = have;
  for (std::int64_t tail = usual_tail;; tail *= 2) {
    const char* const line_end = have > last - 1 - from ? find(last - 1 - from, '\n') : nullptr;
    if (line_end) {
      end = offset_behind(line_end);
      break;
    }
    if (from + have == size()) {
      end = have;
      break;
    }
    if (tail > longest_tail) return Found::doubtful;
    read_to(last + 2 * tail);
  }
  if (has_quotes_ &&
      std::memchr(piece.text.data() + begin, '"', static_cast<std::size_t>(end - begin)))
    return Found::doubtful;
  if (piece.text[static_cast<std::size_t>(end - 1)] != '\n')
    piece.text[static_cast<std::size_t>(end++)] = '\n';  // the last record need not have one
  piece.size = static_cast<std::size_t>(end - begin);
  std::memset(piece.text.data() + end, 0, CsvPiece::padding);
  return Found::records;
}

std::int64_t FileCutter::first_record(std::int64_t k) const {
  if (k == 0) return begin_;
  char bytes[4096];
  for (std::int64_t at = place(k) - 1; at < size(); at += std::ssize(bytes)) {
    const std::int64_t count = std::min<std::int64_t>(size() - at, std::ssize(bytes));
    read(at, bytes, count);
    if (const void* line_end = std::memchr(bytes, '\n', static_cast<std::size_t>(count)))
      return at + (static_cast<const char*>(line_end) - bytes) + 1;
  }
  return size();
}

}  // namespace suffice::cli
