#pragma once
// Lines of JSON objects to cells. The objects are flat: a value is a number, a string, true, false
// or null. Lists and objects can be passed over, but not read.

#include <string>
#include <string_view>
#include <unordered_map>

#include "cli/readers/csv_parse.hpp"

namespace suffice::cli {

/// One line, taken apart member by member.
class JsonLine {
 public:
  enum class Kind { missing, number, text, boolean, list, object };

  /// The line at `begin`, which ends with a line end before `end`.
  JsonLine(const char* begin, const char* end) : at_(begin), end_(end) {}

  /// The next member of the object; false where there is none, at an error or at the end.
  bool next();
  std::string_view key() const noexcept { return key_; }
  Kind kind() const noexcept { return kind_; }
  /// A string without its escapes, a number as it is written, "true" or "false".
  std::string_view text() const noexcept { return text_; }
  double number() const noexcept { return number_; }

  /// Whether the line has nothing but blanks, known after the first `next`.
  bool is_blank() const noexcept { return is_blank_; }
  bool failed() const noexcept { return !error_.empty(); }
  const std::string& error() const noexcept { return error_; }
  const std::string& advice() const noexcept { return advice_; }

 private:
  void skip_blanks();
  bool is(char c);
  bool string(std::string_view& text, std::string& scratch);
  bool escaped(std::string& text);
  bool value();
  bool word(std::string_view word, Kind kind);
  bool read_number();
  bool skip_nested();
  bool fail(std::string sentence, std::string advice = {});

  const char* at_;
  const char* end_;  ///< the line end
  bool began_ = false, is_blank_ = false;
  std::string_view key_, text_;
  std::string key_scratch_, text_scratch_;
  Kind kind_ = Kind::missing;
  double number_ = 0;
  std::string error_, advice_;
};

using JsonColumns = std::unordered_map<std::string_view, std::size_t>;

/// Replaces what is in `cells`, whose memory is used again. `columns` says where a key stands in
/// format.columns.
void parse_ndjson(const CsvPiece& piece, const CsvFormat& format, const JsonColumns& columns,
                  CsvCells& cells);

}  // namespace suffice::cli
