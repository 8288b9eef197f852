#pragma once
// Where text goes: standard output, or a file that appears whole or not at all.

#include <memory>
#include <string>
#include <string_view>

namespace suffice::cli {

class Writer {
 public:
  /// An empty path or "-" is standard output. A path that is a device or a pipe is written to as it
  /// is. A file that ends in .gz or .zst is compressed. Throws FileError where it cannot be made.
  explicit Writer(const std::string& path);
  ~Writer();  ///< without finish nothing of a file remains
  Writer(Writer&&) noexcept;

  /// Throws FileError (a full disk), ClosedPipe.
  void write(std::string_view text);
  /// Flushes, and gives the file its name.
  void finish();
  bool is_standard_output() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `cell` as CSV: in quotes where it has a separator, a quote, a line end or blanks at its ends.
void append_csv_cell(std::string& line, std::string_view cell, char separator = ',');
/// With this many significant digits; 0: the shortest ones that read back as the same double.
void append_number(std::string& line, double value, int digits = 0);

}  // namespace suffice::cli
