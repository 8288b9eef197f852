#pragma once
// Text with a separator, cut into records and cells (RFC 4180 and what people make of it): a cell
// that begins with a quote ends with one, and inside it a doubled quote is a quote, separators and
// line ends are text. A quote further on in a cell is a character like any other. Records end with
// LF or CRLF; empty lines are passed over.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/readers/bytes.hpp"

namespace suffice::cli {

/// Whole records, each with its line end. At least `padding` zero bytes follow them.
struct CsvPiece {
  static constexpr std::size_t padding = 16;
  std::vector<char> text;  ///< with the padding
  std::size_t first = 0;   ///< where the records begin
  std::size_t size = 0;    ///< of the records, without the padding

  const char* begin() const noexcept { return text.data() + first; }
  const char* end() const noexcept { return begin() + size; }
};

/// Cuts bytes into pieces of whole records.
class CsvCutter {
 public:
  /// Pieces have about `piece_size` bytes; a longer record makes a longer piece, up to a limit.
  CsvCutter(const std::string& path, std::unique_ptr<Bytes> bytes, std::size_t piece_size);
  /// Which quotes begin a cell depends on it; a line end: none does, so each line is a record.
  void set_separator(char separator) noexcept { separator_ = separator; }
  /// False when there is nothing left. Throws FileError where a quoted cell never ends.
  bool next(CsvPiece& piece);
  Extent extent() const { return bytes_->extent(); }
  /// Where the next record begins in a plain file; nothing where all of it has been taken.
  std::optional<std::int64_t> position() const;
  /// Goes on with other bytes of the same text, after `lines` lines.
  void restart(std::unique_ptr<Bytes> bytes, std::int64_t lines);
  bool has_quotes() const noexcept { return separator_ != '\n'; }

 private:
  /// The end of the last whole record of [text, text + size), or 0.
  std::size_t whole_records(const char* text, std::size_t size);

  std::string path_;
  std::unique_ptr<Bytes> bytes_;
  std::size_t piece_size_;
  char separator_ = 0;  ///< 0: not known yet, any of those that can be detected
  std::string rest_;    ///< of a record that has begun
  std::int64_t lines_ = 0;
  bool ended_ = false;
};

/// The cells of the record at `p`, and what follows it. Cells without quotes are views of the text;
/// others live in `scratch`. An empty line gives no cells.
const char* split_record(const char* p, const char* end, char separator,
                         std::vector<std::string_view>& cells, std::vector<std::string>& scratch);

/// The cell that begins with the quote at `p`, without its quotes, into `cell`; returns the
/// separator or line end that follows.
const char* read_quoted(const char* p, const char* end, char separator, std::string& cell);

/// Of , ; tab and | the one that cuts the first records into the same number of cells, and the
/// most; a comma where there is none.
char detect_separator(const CsvPiece& piece);

/// Whether the text is UTF-8.
bool is_utf8(std::string_view text) noexcept;

}  // namespace suffice::cli
