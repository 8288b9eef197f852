#include "cli/readers/csv_parse.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "cli/readers/cells.hpp"

namespace suffice::cli {
namespace {

/// The separator or line end at or after `p`, eight bytes at a time; padding follows the text.
const char* end_of_cell(const char* p, char separator) {
  constexpr std::uint64_t ones = 0x0101010101010101, high = 0x80 * ones;
  const std::uint64_t separators = ones * static_cast<unsigned char>(separator);
  // The lowest high bit that is set is that of the first byte of 0.
  const auto zeros = [](std::uint64_t bytes) { return (bytes - ones) & ~bytes & high; };
  for (;; p += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    const std::uint64_t found = zeros(bytes ^ separators) | zeros(bytes ^ ones * '\n');
    if (found != 0) return p + std::countr_zero(found) / 8;
  }
}

/// Whether all bytes are ASCII, and none is 0.
bool is_plain(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101, high = 0x80 * ones;
  std::uint64_t eight = 0, found = 0;
  const auto look = [&](const char* at) {
    std::memcpy(&eight, at, sizeof eight);
    found |= (eight | (eight - ones)) & high;
  };
  if (text.size() < sizeof eight)
    return std::ranges::all_of(text, [](char byte) { return static_cast<signed char>(byte) > 0; });
  for (std::size_t i = 0; i + sizeof eight <= text.size(); i += sizeof eight) look(text.data() + i);
  look(text.data() + text.size() - sizeof eight);
  return found == 0;
}

class Parser {
 public:
  Parser(const CsvPiece& piece, const CsvFormat& format, CsvCells& cells)
      : format_(format), cells_(cells), begin_(piece.begin()), end_(piece.end()) {
    cells_.texts.resize(static_cast<std::size_t>(format.texts));
    for (TextColumn& text : cells_.texts) text.clear();
    cells_.lines.clear();
    cells_.error.reset();
    cells_.line_count = 0;
  }

  void run() {
    const char* p = begin_;
    while (p != end_ && !cells_.error) {
      if (*p == '\n' || (*p == '\r' && p[1] == '\n')) {
        p += *p == '\r' ? 2 : 1;
        ++cells_.line_count;
        continue;
      }
      row_line_ = cells_.line_count;
      p = record(p);
      ++cells_.line_count;
    }
  }

 private:
  /// One record; returns what follows it.
  const char* record(const char* p) {
    const Index row = cells_.rows();
    const std::size_t needed = static_cast<std::size_t>((row + 1) * format_.numbers);
    if (cells_.numbers.size() < needed)
      cells_.numbers.resize(std::max(needed, 2 * cells_.numbers.size()));
    double* const numbers = cells_.numbers.data() + row * format_.numbers;
    const std::size_t count = format_.targets.size();
    for (std::size_t j = 0; j < count; ++j) {
      const Target& target = format_.targets[j];
      switch (target.kind) {
        case Target::Kind::number: {
          const char* after = read_plain_number(p, numbers[target.slot]);
          if (!after || !(*after == format_.separator || *after == '\n')) {
            const bool crlf = after && *after == '\r' && after[1] == '\n';
            after = crlf ? after + 1 : number_with_care(p, j, numbers[target.slot]);
          }
          p = after;
          break;
        }
        case Target::Kind::text:
          p = text_cell(p);
          add_text(j, cells_.texts[target.slot]);
          break;
        default:
          p = skip_cell(p);
      }
      if (cells_.error) return end_;
      const bool last = j + 1 == count;
      if (*p != (last ? '\n' : format_.separator)) return ragged(p, j + 1);
      ++p;
    }
    cells_.lines.push_back(row_line_);
    return p;
  }

  /// To the separator or line end after the cell at `p`.
  const char* skip_cell(const char* p) {
    if (*p == '"') return text_cell(p);
    while (*p != format_.separator && *p != '\n') ++p;
    return p;
  }

  /// The same, with the cell in cell_.
  const char* text_cell(const char* p) {
    if (*p == '"') {
      const char* const after = read_quoted(p, end_, format_.separator, quoted_);
      cell_ = quoted_;
      cells_.line_count += std::count(p, after, '\n');  // those inside the quotes
      return after;
    }
    const char* const first = p;
    p = end_of_cell(p, format_.separator);
    const char* const last = *p == '\n' && p > first && p[-1] == '\r' ? p - 1 : p;
    cell_ = {first, static_cast<std::size_t>(last - first)};
    return p;
  }

  /// A cell that is no plain number: missing, quoted, with an exponent or blanks, or wrong.
  const char* number_with_care(const char* p, std::size_t column, double& value) {
    const char* const after = text_cell(p);
    if (const std::optional<double> number =
            number_in(cell_, *format_.missing, format_.targets[column].words))
      value = *number;
    else
      fail(column, not_a_number(cell_),
           numbers_advice(format_.columns[column], format_.targets[column], cell_));
    return after;
  }

  void add_text(std::size_t column, TextColumn& texts) {
    if ((*format_.missing)(cell_)) {
      texts.add_missing();
    } else if (is_plain(cell_) || (is_utf8(cell_) && cell_.find('\0') == cell_.npos)) {
      texts.add(format_.targets[column].verbatim ? cell_ : level_of(cell_));
    } else if (is_utf8(cell_)) {
      fail(column, "the text has a byte 0", "is the file binary, or UTF-16?");
    } else {
      fail(column, "the text is not UTF-8",
           "convert the file, for example with iconv -f ISO-8859-1 -t UTF-8");
    }
  }

  void fail(std::size_t column, std::string sentence, Sentence advice) {
    cells_.error = CsvCells::Error{row_line_, column + 1, std::move(sentence), std::move(advice)};
  }

  const char* ragged(const char* p, std::size_t cells) {
    if (*p == format_.separator) {
      while (*p == format_.separator) {
        p = skip_cell(p + 1);
        ++cells;
      }
    }
    cells_.error = CsvCells::Error{row_line_, 0,
                                   "this record has " + std::to_string(cells) +
                                       (cells == 1 ? " cell" : " cells") + ", but the table has " +
                                       std::to_string(format_.columns.size()) +
                                       (format_.columns.size() == 1 ? " column" : " columns"),
                                   "cells that contain the separator need quotes around them"};
    return end_;
  }

  const CsvFormat& format_;
  CsvCells& cells_;
  const char* begin_;
  const char* end_;
  std::int64_t row_line_ = 0;
  std::string_view cell_;
  std::string quoted_;
};

}  // namespace

void parse_csv(const CsvPiece& piece, const CsvFormat& format, CsvCells& cells) {
  Parser(piece, format, cells).run();
}

}  // namespace suffice::cli
