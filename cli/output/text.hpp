#pragma once
// Text and tables for people.

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/figures.hpp"
#include "cli/output/terminal.hpp"

namespace suffice::cli {

/// Characters, where the text is UTF-8.
std::size_t characters(std::string_view text);
/// `text` on one line, with control characters and marks of writing direction as \u001b: a terminal
/// might obey them. Bytes that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);
/// The same for several lines: newlines and tabs stay, and so do the codes of styled() if `colour`.
std::string printable_lines(std::string_view text, bool colour = false);

/// A heading on a line of its own, after an empty one.
std::string heading(const Terminal& terminal, std::string_view text);

/// Columns under headings, as wide as they need to be. Where `align` is empty, columns of numbers
/// are set to the right. Align::decimal puts decimal points below each other, also those of "38.77
/// ± 2.61". Cells are plain text, in UTF-8; widths count characters. What does not fit a terminal
/// is cut at the end of the line with "…".
class TextTable {
 public:
  enum class Align { left, right, decimal };
  explicit TextTable(std::vector<std::string> headings, std::vector<Align> align = {});
  void add(std::vector<std::string> cells);
  std::string render(const Terminal& terminal) const;

 private:
  std::vector<std::string> headings_;
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace suffice::cli
