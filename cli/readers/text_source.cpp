#include "cli/readers/text_source.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

/// Small enough for the second-level cache with what it is parsed to, large enough that handing it
/// out costs nothing.
constexpr std::size_t piece_size = 256 << 10;
/// Pieces that are parsed at a time, and so the memory this takes, whatever the file.
constexpr Index most_pieces = 64;

}  // namespace

TextSource::TextSource(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
                       const SourceOptions& options)
    : cutter_(path, std::move(bytes), piece_size),
      missing_(options.input.na),
      workers_(options.execution, most_pieces),
      stop_(options.execution.stop),
      is_plain_file_(is_plain_file(path)),
      texts_(static_cast<std::size_t>(workers_.size())) {
  format_.path = path;
  format_.missing = &missing_;
}

void TextSource::select(const std::vector<Target>& targets) {
  format_.targets = targets;
  for (const Target& target : targets) {
    format_.numbers += target.kind == Target::Kind::number;
    format_.texts += target.kind == Target::Kind::text;
  }
}

bool TextSource::read(Rows& rows) {
  while (rows.room() > 0) {
    if (parsed_ == 0 && !parse_more(rows.room())) return false;
    append(rows);
  }
  return parsed_ > 0 || !ended_;
}

bool TextSource::cut_ahead() {
  CsvPiece piece;
  if (!cutter_.next(piece)) return false;
  ahead_.push_back(std::move(piece));
  return true;
}

void TextSource::refuse_what_is_no_text(const CsvPiece& piece) const {
  if (piece.size >= 2 && (std::memcmp(piece.begin(), "\xff\xfe", 2) == 0 ||
                          std::memcmp(piece.begin(), "\xfe\xff", 2) == 0))
    throw FileError({.path = format_.path}, called(format_.path) + " is UTF-16",
                    "convert it: iconv -f UTF-16 -t UTF-8");
  if (std::memchr(piece.begin(), 0, std::min(piece.size, std::size_t{4096})))
    throw FileError({.path = format_.path},
                    called(format_.path) + " is not text: it has bytes 0 near its beginning",
                    "if it is a table of a known format, name it with " + Option{"format"});
}

/// The next piece in order, of those looked at or of the file.
bool TextSource::next_piece(CsvPiece& piece) {
  if (!ahead_.empty()) {
    piece = std::move(ahead_.front());
    ahead_.pop_front();
    return true;
  }
  return cutter_.next(piece);
}

/// They keep their order: a worker takes the next piece and its number together.
Index TextSource::parse_in_turn(Index count) {
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
    parse(text, *cells);
  });
  return taken;
}

Index TextSource::parse_side_by_side(Index count) {
  std::vector<FileCutter::Found> found(static_cast<std::size_t>(count));
  workers_.run(count, [&](Index i, int worker) {
    CsvPiece& text = texts_[worker];
    found[i] = file_->cut(next_of_file_ + i, text);
    if (found[i] == FileCutter::Found::records) parse(text, pieces_[i]);
  });
  const Index taken =
      std::ranges::find_if(
          found, [](FileCutter::Found piece) { return piece != FileCutter::Found::records; }) -
      found.begin();
  next_of_file_ += taken;
  if (taken == count) return taken;
  ended_ = found[taken] == FileCutter::Found::end;
  if (!ended_) file_is_doubtful_ = true;
  return taken;
}

/// Parses pieces in parallel, about as many as give `rows` rows. Returns false at the end of the
/// file.
bool TextSource::parse_more(Index rows) {
  if (ended_) return false;
  const double wanted = static_cast<double>(rows) / rows_per_piece_ + 0.5;
  const Index count = std::clamp(static_cast<Index>(wanted), Index{workers_.size()}, most_pieces);
  if (std::ssize(pieces_) < count) pieces_.resize(static_cast<std::size_t>(count));
  if (is_plain_file_ && ahead_.empty() && !file_) {
    if (const auto begin = cutter_.position(); begin)
      file_.emplace(format_.path, *begin, piece_size, cutter_.has_quotes());
    is_plain_file_ = false;
  }
  const Index taken = file_ ? parse_side_by_side(count) : parse_in_turn(count);
  Index total = 0;
  for (Index i = 0; i < taken; ++i) {
    CsvCells& cells = pieces_[i];
    if (cells.error) throw_error(cells);
    cells.first_line = line_ + 1;
    line_ += cells.line_count;
    total += cells.rows();
  }
  if (file_ && file_is_doubtful_) {
    cutter_.restart(open_plain_file(format_.path, file_->first_record(next_of_file_), stop_),
                    line_);
    file_.reset();
  }
  if (total > 0) rows_per_piece_ = static_cast<double>(total) / static_cast<double>(taken);
  first_ = 0;
  used_ = 0;
  parsed_ = taken;
  skip_empty();
  return parsed_ > 0 || !ended_ || taken > 0;
}

Extent TextSource::extent() const {
  if (!file_) return cutter_.extent();
  return {std::min(file_->place(next_of_file_), file_->size()), file_->size()};
}

/// Copies parsed rows until `rows` is full or none are left.
void TextSource::append(Rows& rows) {
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
    rows.commit(std::span(cells.lines)
                    .subspan(static_cast<std::size_t>(used_), static_cast<std::size_t>(count)),
                cells.first_line);
    used_ += count;
    skip_empty();
  }
  workers_.run(std::ssize(copies),
               [&](Index i, int) { std::memcpy(copies[i].to, copies[i].from, copies[i].bytes); });
}

void TextSource::skip_empty() {
  while (parsed_ > 0 && used_ == pieces_[first_].rows()) {
    ++first_;
    --parsed_;
    used_ = 0;
  }
}

void TextSource::throw_error(const CsvCells& cells) const {
  const auto line = static_cast<std::size_t>(line_ + 1 + cells.error->line);
  Place where{.path = format_.path, .line = line, .column = cells.error->column};
  if (where.column > 0) where.features = {format_.columns[where.column - 1]};
  if (!counts_cells_) where.column = 0;
  throw FileError(std::move(where), cells.error->sentence, cells.error->advice);
}

}  // namespace suffice::cli
