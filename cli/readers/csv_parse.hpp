#pragma once
// Pieces of CSV text to cells: numbers row by row, text column by column.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/readers/csv_text.hpp"
#include "cli/readers/number_text.hpp"
#include "cli/readers/rows.hpp"
#include "cli/readers/source.hpp"

namespace suffice::cli {

/// What all pieces of a file share.
struct CsvFormat {
  std::string path;
  std::vector<std::string> columns;
  char separator = ',';
  std::vector<Target> targets;  ///< per column
  Index numbers = 0, texts = 0;
  const MissingTokens* missing = nullptr;
};

/// The cells of one piece. Lines count from 0 at the piece's beginning.
struct CsvCells {
  std::vector<double> numbers;  ///< at least rows() × format.numbers
  std::vector<TextColumn> texts;
  std::vector<std::int64_t> lines;  ///< per row: where it begins
  std::int64_t line_count = 0;
  std::int64_t first_line = 0;  ///< of the piece in the file
  struct Error {
    std::int64_t line;
    std::size_t column;  ///< from 1; 0: the whole record
    std::string sentence;
    Sentence advice;
  };
  std::optional<Error> error;  ///< the first one; the cells end there

  Index rows() const noexcept { return std::ssize(lines); }
};

/// Replaces what is in `cells`, whose memory is used again.
void parse_csv(const CsvPiece& piece, const CsvFormat& format, CsvCells& cells);

}  // namespace suffice::cli
