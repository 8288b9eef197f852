#pragma once
// Rows of answers as text: lines of a CSV file, or lists within one JSON object
// {"columns": […], "rows": [[…], …]}.

#include <string>
#include <string_view>
#include <vector>

namespace suffice::cli {

enum class RowFormat {
  csv,
  safe_csv,  ///< names that a spreadsheet would take for a formula have an apostrophe before them
  json,
};

class RowText {
 public:
  explicit RowText(RowFormat format)
      : json_(format == RowFormat::json), safe_(format == RowFormat::safe_csv) {}

  std::string beginning(const std::vector<std::string>& columns) const;
  std::string end() const { return json_ ? "]}\n" : ""; }

  /// A row is begin_row, then its cells, then end_row; `first` is the table's first row. Rows may
  /// be made apart, in any order, and put together.
  void begin_row(std::string& text, bool first) const {
    if (json_) text += first ? "[" : ",\n[";
  }
  void add(std::string& text, std::string_view name) const;
  /// `digits`: significant ones; 0: as many as read back as the same number.
  void add(std::string& text, double number, int digits = 0) const;
  /// An empty cell; null in JSON.
  void add_nothing(std::string& text) const { text += json_ ? "null," : ","; }
  void end_row(std::string& text) const {
    text.back() = json_ ? ']' : '\n';  // in the place of the last cell's comma
  }

 private:
  bool json_, safe_;
};

}  // namespace suffice::cli
