#pragma once
// Standard output and standard error as a command uses them. Colour only on a terminal and never
// with NO_COLOR; notes and warnings only without --quiet; progress only on a terminal.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace suffice::cli {

enum class Style { plain, bold, dim, warning, error };

class Terminal {
 public:
  Terminal(bool quiet, bool json);
  ~Terminal();

  /// A result, on standard output. Throws ClosedPipe, or FileError where it cannot be written.
  void print(std::string_view text);
  /// `text` for standard output, in colour where that has colours.
  std::string styled(std::string_view text, Style style) const;
  /// Something worth knowing, on standard error: not with --quiet, nor with --json.
  void note(std::string_view text);
  /// Something that may have been meant otherwise: shown as a note when the command has succeeded.
  void hint(std::string text) { hints_.push_back(std::move(text)); }
  void show_hints();
  /// "warning: …" on standard error, not with --quiet. Warnings are also kept for --json.
  void warn(std::string_view text);
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  /// "suffice: …" on standard error, always.
  void error(std::string_view text);

  /// Whether standard output is a terminal.
  bool is_terminal() const;
  /// Columns of standard output; 80 where it is no terminal.
  int width() const;

  struct Reading {
    std::int64_t bytes = 0, total_bytes = 0;  ///< a total of 0 is unknown
    std::int64_t rows = 0;
    double share = 0;  ///< of the work that is done, where nothing is read
  };
  /// A line on standard error that is overwritten: bytes, rows, rows per second, time left. Shown
  /// when standard error is a terminal, after half a second of work; costs nothing otherwise.
  void progress(std::string_view what, const Reading& reading);
  /// Takes that line away. Also done before anything else is written.
  void end_progress();

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<std::string> warnings_, hints_;
};

}  // namespace suffice::cli
