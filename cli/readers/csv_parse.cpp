#include "cli/readers/csv_parse.hpp"

#include <algorithm>
#include <limits>

namespace suffice::cli {
namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

/// A value for a message: short, and without control characters.
std::string shown(std::string_view cell) {
  std::string text(cell.substr(0, 40));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  return "'" + text + (cell.size() > 40 ? "…'" : "'");
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
    while (*p != format_.separator && *p != '\n') ++p;
    const char* const last = *p == '\n' && p > first && p[-1] == '\r' ? p - 1 : p;
    cell_ = {first, static_cast<std::size_t>(last - first)};
    return p;
  }

  /// A cell that is no plain number: missing, quoted, with an exponent or blanks, or wrong.
  const char* number_with_care(const char* p, std::size_t column, double& value) {
    const char* const after = text_cell(p);
    value = missing_number;
    if ((*format_.missing)(cell_)) return after;
    if (const std::optional<double> number = parse_number(cell_)) {
      value = *number;
    } else if (format_.targets[column].words && equals_ignoring_case(cell_, "true")) {
      value = 1;
    } else if (format_.targets[column].words && equals_ignoring_case(cell_, "false")) {
      value = 0;
    } else {
      const std::string& name = format_.columns[column];
      fail(column, "column '" + name + "': " + shown(cell_) +
                       " is not a number. If the column holds names, say --family '" + name +
                       "=categorical'; if this stands for a missing value, say --na " +
                       shown(cell_));
    }
    return after;
  }

  void add_text(std::size_t column, TextColumn& texts) {
    if ((*format_.missing)(cell_)) {
      texts.add_missing();
    } else if (is_utf8(cell_) && cell_.find('\0') == cell_.npos) {
      texts.add(cell_);
    } else if (is_utf8(cell_)) {
      fail(column, "column '" + format_.columns[column] +
                       "': the text has a byte 0; is the file binary, or UTF-16?");
    } else {
      fail(column, "column '" + format_.columns[column] +
                       "': the text is not UTF-8; convert the file, for example with iconv -f "
                       "ISO-8859-1 -t UTF-8");
    }
  }

  void fail(std::size_t column, std::string message) {
    cells_.error = CsvCells::Error{row_line_, column + 1, std::move(message)};
  }

  const char* ragged(const char* p, std::size_t cells) {
    if (*p == format_.separator) {
      while (*p == format_.separator) {
        p = skip_cell(p + 1);
        ++cells;
      }
    }
    cells_.error = CsvCells::Error{
        row_line_, 0,
        "this record has " + std::to_string(cells) + (cells == 1 ? " cell" : " cells") +
            ", but the table has " + std::to_string(format_.columns.size()) +
            (format_.columns.size() == 1 ? " column" : " columns") +
            "; cells that contain the separator need quotes around them"};
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

MissingTokens::MissingTokens(const std::vector<std::string>& more)
    : tokens_{"NA", "NaN", "nan", "null", "NULL", "?"} {
  tokens_.insert(tokens_.end(), more.begin(), more.end());
  for (const std::string& token : tokens_) {
    longest_ = std::max(longest_, token.size());
    if (const std::optional<double> number = parse_number(token)) numbers_.push_back(*number);
    if (!token.empty()) begins_[static_cast<unsigned char>(token.front())] = true;
  }
}

bool MissingTokens::operator()(std::string_view cell) const noexcept {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  if (cell.empty()) return true;
  if (cell.size() > longest_ || !begins_[static_cast<unsigned char>(cell.front())]) return false;
  return std::find(tokens_.begin(), tokens_.end(), cell) != tokens_.end();
}

}  // namespace suffice::cli
