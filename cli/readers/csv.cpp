#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/readers/formats.hpp"
#include "cli/readers/text_source.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

class CsvSource : public TextSource {
 public:
  CsvSource(const std::string& path, std::unique_ptr<PeekedBytes> bytes, char separator,
            const SourceOptions& options)
      : TextSource(path, std::move(bytes), options) {
    read_beginning(separator, options.input.header);
  }

  std::vector<SourceColumn> look(std::optional<Index> at_most) override {
    std::vector<SourceColumn> columns(format_.columns.size());
    const Index rows = at_most.value_or(rows_to_look_at(std::ssize(columns)));
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j].name = format_.columns[j];
    std::vector<std::string_view> cells;
    std::vector<std::string> scratch;
    Index& seen = looked_at_;
    seen = 0;
    for (std::size_t i = 0; seen < rows; ++i) {
      if (i == ahead_.size() && !cut_ahead()) break;
      const CsvPiece& piece = ahead_[i];
      for (const char* p = piece.begin(); p != piece.end() && seen < rows;) {
        p = split_record(p, piece.end(), format_.separator, cells, scratch);
        if (cells.empty()) continue;
        ++seen;
        for (std::size_t j = 0; j < std::min(cells.size(), columns.size()); ++j) {
          CellKind& kind = columns[j].kind;
          if (kind == CellKind::text || missing_(cells[j])) continue;
          kind = is_number(cells[j], piece) ? CellKind::number : CellKind::text;
        }
      }
    }
    return columns;
  }

 private:
  static bool is_number(std::string_view cell, const CsvPiece& piece) {
    double value = 0;
    const bool is_view = cell.data() >= piece.begin() && cell.data() < piece.end();
    if (is_view && read_plain_number(cell.data(), value) == cell.data() + cell.size()) return true;
    return parse_number(cell).has_value();
  }

  void parse(const CsvPiece& piece, CsvCells& cells) const override {
    parse_csv(piece, format_, cells);
  }

  /// The first record: the names of the columns.
  void read_beginning(char separator, bool header) {
    if (!cut_ahead())
      throw FileError({.path = format_.path}, called(format_.path) + " is empty",
                      "a table has at least a line of names");
    CsvPiece& piece = ahead_.front();
    refuse_what_is_no_text(piece);
    format_.separator = separator ? separator : detect_separator(piece);
    cutter_.set_separator(format_.separator);
    std::vector<std::string_view> cells;
    std::vector<std::string> scratch;
    const char* p = piece.begin();
    while (cells.empty() && p != piece.end())
      p = split_record(p, piece.end(), format_.separator, cells, scratch);
    if (cells.empty())
      throw FileError({.path = format_.path}, called(format_.path) + " has only empty lines",
                      "a table has at least a line of names");
    if (!header) {
      for (std::size_t j = 0; j < cells.size(); ++j)
        format_.columns.push_back("x" + std::to_string(j));
      return;
    }
    line_ = std::count(piece.begin(), p, '\n');
    for (const std::string_view cell : cells)
      format_.columns.push_back(cell.empty() ? unnamed_column(format_.columns.size())
                                             : std::string(cell));
    check_names();
    const auto used = static_cast<std::size_t>(p - piece.begin());
    std::memmove(piece.text.data(), p, piece.size - used + CsvPiece::padding);
    piece.size -= used;
  }

  void check_names() const {
    const auto fail = [&](std::size_t j, const std::string& reason, const Sentence& advice) {
      throw FileError({.path = format_.path, .line = 1, .column = j + 1},
                      "column " + std::to_string(j + 1) + " " + reason, advice);
    };
    std::vector<std::size_t> order(format_.columns.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return format_.columns[a] < format_.columns[b];
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string& name = format_.columns[order[i]];
      if (!is_utf8(name))
        fail(order[i], "has a name that is not UTF-8", "convert the file to UTF-8");
      if (i > 0 && name == format_.columns[order[i - 1]])
        fail(order[i],
             "has the name '" + name + "', like column " + std::to_string(order[i - 1] + 1),
             "rename one of them, or use " + Option{"no_header"} + " if the first line is a row");
    }
  }
};

}  // namespace

std::unique_ptr<Source> open_csv(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                 char separator, const SourceOptions& options) {
  return std::make_unique<CsvSource>(path, std::move(bytes), separator, options);
}

}  // namespace suffice::cli
