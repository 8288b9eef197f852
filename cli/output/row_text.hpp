#pragma once
// Rows as text: lines of a CSV or TSV file, or lists within one JSON object
// {"columns": […], "rows": [[…], …]}.

#include <string>
#include <vector>

#include "cli/output/cell_sink.hpp"

namespace suffice::cli {

/// CSV, unless it says otherwise.
struct TextFormat {
  bool is_json = false;
  char separator = ',';  ///< of the cells of a line; JSON has commas
  /// Names that a spreadsheet would take for a formula have an apostrophe before them.
  bool is_safe = false;
};

/// What stands before the first row, and after the last one.
std::string beginning_of_rows(TextFormat format, const std::vector<std::string>& columns);
std::string end_of_rows(TextFormat format);

/// Appends rows to a text: begin_row, then the cells, then end_row, after which the text has them.
/// Texts of rows can be made in any order and put together.
class RowText final : public CellSink {
 public:
  RowText(TextFormat format, std::string& text) : format_(format), text_(text) {}

  /// `first`: it is the table's first row.
  void begin_row(bool first) {
    if (format_.is_json) text_ += first ? "[" : ",\n[";
  }
  void add(std::string_view text) override;
  void add(double number, int digits = 0) override;
  void add_nothing() override {
    flush();
    if (format_.is_json) text_ += "null";
    text_ += format_.separator;
  }
  void end_row() {
    flush();
    text_.back() = format_.is_json ? ']' : '\n';  // instead of the last cell's separator
  }

 private:
  void flush() {
    text_.append(numbers_, size_);
    size_ = 0;
  }

  TextFormat format_;
  std::string& text_;
  // Cells of numbers that the text does not have yet. To copy what was just written, number by
  // number, would take longer than to write it.
  char numbers_[512];
  std::size_t size_ = 0;
};

}  // namespace suffice::cli
