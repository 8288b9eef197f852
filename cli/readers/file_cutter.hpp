#pragma once
// Pieces of whole records of a plain file, which any number of threads cut at the same time: a
// piece begins behind the first line end at or after a multiple of its size. That is right where no
// cell is quoted, since a quoted cell may have line ends; a piece with a quotation mark is found
// doubtful.

#include <cstdint>
#include <string>

#include "cli/readers/bytes.hpp"
#include "cli/readers/csv_text.hpp"

namespace suffice::cli {

class FileCutter {
 public:
  /// The first record begins at `begin`. Throws FileError.
  FileCutter(const std::string& path, std::int64_t begin, std::int64_t piece_size, bool has_quotes)
      : path_(path), file_(path), begin_(begin), piece_size_(piece_size), has_quotes_(has_quotes) {}

  enum class Found : std::uint8_t {
    records,   ///< in the piece; none where a record is longer than a piece
    doubtful,  ///< records must be cut one after the other from here on
    end,       ///< of the file, before this piece
  };
  /// The records that begin in piece k. Throws FileError.
  Found cut(std::int64_t k, CsvPiece& piece) const;
  /// Where the first record begins that is not in a piece before k. Throws FileError.
  std::int64_t first_record(std::int64_t k) const;
  /// Where piece k begins if there were no line ends: the first record of it is not before.
  std::int64_t place(std::int64_t k) const noexcept { return begin_ + k * piece_size_; }
  std::int64_t size() const noexcept { return file_.size(); }

 private:
  /// Throws FileError where the file has fewer bytes by now.
  void read(std::int64_t from, char* to, std::int64_t count) const;

  std::string path_;
  PlainFile file_;
  std::int64_t begin_, piece_size_;
  bool has_quotes_;
};

}  // namespace suffice::cli
