#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/readers/csv_parse.hpp"
#include "cli/readers/formats.hpp"
#include "core/parallel.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

/// Small enough for the second-level cache with what it is parsed to, large enough that handing it
/// out costs nothing.
constexpr std::size_t piece_size = 256 << 10;
/// Pieces that are parsed at a time, and so the memory this takes, whatever the file.
constexpr Index most_pieces = 32;

class CsvSource : public Source {
 public:
  CsvSource(const std::string& path, std::unique_ptr<PeekedBytes> bytes, char separator,
            const SourceOptions& options)
      : cutter_(path, std::move(bytes), piece_size),
        missing_(options.input.na),
        workers_(options.execution, most_pieces),
        texts_(static_cast<std::size_t>(workers_.size())) {
    format_.path = path;
    format_.missing = &missing_;
    read_beginning(separator, options.input.header);
  }

  const std::string& path() const override { return format_.path; }
  bool in_lines() const override { return true; }
  Extent extent() const override { return cutter_.extent(); }
  Index looked_at() const override { return looked_at_; }

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
          kind = parse_number(cells[j]) ? CellKind::number : CellKind::text;
        }
      }
    }
    return columns;
  }

  void select(const std::vector<Target>& targets) override {
    format_.targets = targets;
    for (const Target& target : targets) {
      format_.numbers += target.kind == Target::Kind::number;
      format_.texts += target.kind == Target::Kind::text;
    }
  }

  bool read(Rows& rows) override {
    while (rows.room() > 0) {
      if (parsed_ == 0 && !parse_more(rows.room())) return false;
      append(rows);
    }
    return parsed_ > 0 || !ended_;
  }

 private:
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

  void refuse_what_is_no_text(const CsvPiece& piece) const {
    if (piece.size >= 2 && (std::memcmp(piece.begin(), "\xff\xfe", 2) == 0 ||
                            std::memcmp(piece.begin(), "\xfe\xff", 2) == 0))
      throw FileError({.path = format_.path}, called(format_.path) + " is UTF-16",
                      "convert it: iconv -f UTF-16 -t UTF-8");
    if (std::memchr(piece.begin(), 0, std::min(piece.size, std::size_t{4096})))
      throw FileError({.path = format_.path},
                      called(format_.path) + " is not text: it has bytes 0 near its beginning",
                      "if it "
                      "is a table of a known format, name the format with --format");
  }

  void check_names() const {
    const auto fail = [&](std::size_t j, const std::string& reason, const std::string& advice) {
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
             "rename one of them, or use --no-header if the first line is a row");
    }
  }

  /// Takes one more piece from the file, to be parsed later.
  bool cut_ahead() {
    CsvPiece piece;
    if (!cutter_.next(piece)) return false;
    ahead_.push_back(std::move(piece));
    return true;
  }

  /// The next piece in order, of those looked at or of the file.
  bool next_piece(CsvPiece& piece) {
    if (!ahead_.empty()) {
      piece = std::move(ahead_.front());
      ahead_.pop_front();
      return true;
    }
    return cutter_.next(piece);
  }

  /// Parses pieces in parallel, about as many as give `rows` rows. They keep their order: a worker
  /// takes the next piece and its number together. Returns false at the end of the file.
  bool parse_more(Index rows) {
    if (ended_) return false;
    const double wanted = static_cast<double>(rows) / rows_per_piece_ + 0.5;
    const Index count = std::clamp(static_cast<Index>(wanted), Index{workers_.size()}, most_pieces);
    if (std::ssize(pieces_) < count) pieces_.resize(static_cast<std::size_t>(count));
    Index taken = 0;
    std::mutex mutex;
    workers_.run(count, [&](Index, int worker) {
      CsvPiece& text = texts_[worker];
      CsvCells* cells = nullptr;
      {
        const std::lock_guard lock(mutex);
        if (ended_) return;
        if (!next_piece(text)) {
          ended_ = true;
          return;
        }
        cells = &pieces_[taken++];
      }
      parse_csv(text, format_, *cells);
    });
    Index total = 0;
    for (Index i = 0; i < taken; ++i) {
      CsvCells& cells = pieces_[i];
      if (cells.error) throw_error(cells);
      for (std::int64_t& line : cells.lines) line += line_ + 1;
      line_ += cells.line_count;
      total += cells.rows();
    }
    if (total > 0) rows_per_piece_ = static_cast<double>(total) / static_cast<double>(taken);
    first_ = 0;
    used_ = 0;
    parsed_ = taken;
    skip_empty();
    return parsed_ > 0 || !ended_ || taken > 0;
  }

  /// Copies parsed rows until `rows` is full or none are left.
  void append(Rows& rows) {
    struct Copy {
      const double* from;
      double* to;
      std::size_t bytes;
    };
    std::vector<Copy> copies;
    while (parsed_ > 0 && rows.room() > 0) {
      const CsvCells& cells = pieces_[first_];
      const Index count = std::min(rows.room(), cells.rows() - used_);
      const Index width = format_.numbers;
      if (width > 0)
        copies.push_back({cells.numbers.data() + used_ * width, rows.numbers(rows.size()),
                          static_cast<std::size_t>(count * width) * sizeof(double)});
      for (std::size_t t = 0; t < cells.texts.size(); ++t)
        rows.texts()[t].append(cells.texts[t], used_, count);
      rows.commit({cells.lines.begin() + used_, cells.lines.begin() + used_ + count});
      used_ += count;
      skip_empty();
    }
    workers_.run(std::ssize(copies),
                 [&](Index i, int) { std::memcpy(copies[i].to, copies[i].from, copies[i].bytes); });
  }

  void skip_empty() {
    while (parsed_ > 0 && used_ == pieces_[first_].rows()) {
      ++first_;
      --parsed_;
      used_ = 0;
    }
  }

  [[noreturn]] void throw_error(const CsvCells& cells) const {
    const auto line = static_cast<std::size_t>(line_ + 1 + cells.error->line);
    Place where{.path = format_.path, .line = line, .column = cells.error->column};
    if (where.column > 0) where.features = {format_.columns[where.column - 1]};
    throw FileError(std::move(where), cells.error->sentence, cells.error->advice);
  }

  CsvFormat format_;
  CsvCutter cutter_;
  MissingTokens missing_;
  Workers workers_;
  Index looked_at_ = 0;
  std::deque<CsvPiece> ahead_;   ///< looked at, not parsed
  std::vector<CsvPiece> texts_;  ///< one per worker, so that it stays in its cache
  std::vector<CsvCells> pieces_;
  Index first_ = 0, parsed_ = 0;  ///< pieces [first_, first_ + parsed_) have rows left
  Index used_ = 0;                ///< rows of the first of them that are used
  double rows_per_piece_ = 1000;
  std::int64_t line_ = 0;  ///< lines before the next piece
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Source> open_csv(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                                 char separator, const SourceOptions& options) {
  return std::make_unique<CsvSource>(path, std::move(bytes), separator, options);
}

}  // namespace suffice::cli
