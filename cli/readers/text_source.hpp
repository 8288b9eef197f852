#pragma once
// A file of text whose records are cut into pieces, which workers parse side by side and which are
// put together in order. What a record looks like is up to the format.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/readers/csv_parse.hpp"
#include "cli/readers/file_cutter.hpp"
#include "core/parallel.hpp"

namespace suffice::cli {

class TextSource : public Source {
 public:
  const std::string& path() const override { return format_.path; }
  bool in_lines() const override { return true; }
  Extent extent() const override;
  Index looked_at() const override { return looked_at_; }
  void select(const std::vector<Target>& targets) override;
  bool read(Rows& rows) override;

 protected:
  TextSource(const std::string& path, std::unique_ptr<PeekedBytes> bytes,
             const SourceOptions& options);

  /// Replaces what is in `cells` by the records of the piece. Called by several threads at once.
  virtual void parse(const CsvPiece& piece, CsvCells& cells) const = 0;

  /// Takes one more piece from the file, to be parsed later.
  bool cut_ahead();
  /// Throws FileError for UTF-16 and for bytes 0.
  void refuse_what_is_no_text(const CsvPiece& piece) const;

  CsvFormat format_;
  CsvCutter cutter_;
  MissingTokens missing_;
  Index looked_at_ = 0;
  std::deque<CsvPiece> ahead_;  ///< looked at, not parsed
  std::int64_t line_ = 0;       ///< lines before the next piece
  bool counts_cells_ = true;    ///< a place in a line is the number of a cell

 private:
  bool next_piece(CsvPiece& piece);
  bool parse_more(Index rows);
  /// Parses up to `count` pieces, in order, into `pieces_`; returns how many. The first ones come
  /// from what was looked at, or one after the other from the cutter.
  Index parse_in_turn(Index count);
  /// The same where each worker cuts its own piece of the file.
  Index parse_side_by_side(Index count);
  void append(Rows& rows);
  void skip_empty();
  [[noreturn]] void throw_error(const CsvCells& cells) const;

  Workers workers_;
  std::stop_token stop_;
  bool is_plain_file_;
  std::optional<FileCutter> file_;  ///< once all that was looked at has been parsed
  std::int64_t next_of_file_ = 0;   ///< its next piece
  bool file_is_doubtful_ = false;   ///< that piece must be cut in turn
  std::vector<CsvPiece> texts_;     ///< one per worker, so that it stays in its cache
  std::vector<CsvCells> pieces_;
  Index first_ = 0, parsed_ = 0;  ///< pieces [first_, first_ + parsed_) have rows left
  Index used_ = 0;                ///< rows of the first of them that are used
  double rows_per_piece_ = 1000;
  bool ended_ = false;
};

}  // namespace suffice::cli
