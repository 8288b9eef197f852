#pragma once
// Words, numbers and tables for people.

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/terminal.hpp"

namespace suffice::cli {

/// The shortest text that reads back as the same double; "inf", "-inf", "nan".
std::string exact(double value);
/// About `digits` significant digits, for people: 0.0325, 12.3, 1.2e-08.
std::string rounded(double value, int digits = 4);
/// 1234567 → "1,234,567"; weights that are not whole keep their fraction.
std::string counted(double value);
/// "1 row", "2 rows", "1,234 rows".
std::string counted(double value, std::string_view singular, std::string_view plural = {});

/// Characters, where the text is UTF-8.
std::size_t characters(std::string_view text);
/// "1.5 GB", "23 MB", "512 bytes".
std::string bytes_for_people(double bytes);
/// `text` on one line, with control characters and marks of writing direction as \u001b: a terminal
/// might obey them. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);
/// The same for several lines: newlines and tabs stay, and so do the codes of styled() if `colour`.
std::string printable_lines(std::string_view text, bool colour = false);

/// Columns under headings, as wide as they need to be. Where `align` is empty, columns of numbers
/// are set to the right. Cells are plain text, in UTF-8; widths count characters. What does not fit
/// a terminal is cut at the end of the line with "…".
class TextTable {
 public:
  enum class Align { left, right };
  explicit TextTable(std::vector<std::string> headings, std::vector<Align> align = {});
  void add(std::vector<std::string> cells);
  std::string render(const Terminal& terminal) const;

 private:
  std::vector<std::string> headings_;
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace suffice::cli
