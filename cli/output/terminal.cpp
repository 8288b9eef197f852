#include "cli/output/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>

#include "cli/output/standard_output.hpp"
#include "cli/output/text.hpp"

namespace suffice::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::milliseconds(500), between = std::chrono::milliseconds(100);

int columns_of(int descriptor) {
  struct winsize size = {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool wants_colour(int descriptor) {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) && !(forbidden && *forbidden) &&
         !(kind && std::string_view(kind) == "dumb");
}

std::string coloured(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::plain) return std::string(text);
  const char* code = style == Style::bold      ? "1"
                     : style == Style::dim     ? "2"
                     : style == Style::warning ? "33"
                                               : "31";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string rate(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f} million rows/s", per_second / 1e6);
  return counted(std::floor(per_second)) + " rows/s";
}

/// Errors of standard error are ignored: there is nowhere to report them.
void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

struct Terminal::State {
  State(bool quietly, bool as_json) : quiet(quietly), json(as_json) {}

  bool quiet, json;
  bool output_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  bool shows_progress = !quiet && ::isatty(STDERR_FILENO) == 1;
  bool output_colour = wants_colour(STDOUT_FILENO);
  bool error_colour = wants_colour(STDERR_FILENO);
  std::mutex mutex;  // of what follows
  Clock::time_point began = Clock::now(), drawn = {};
  bool on_screen = false;

  void clear() {
    if (on_screen) write_error("\r\033[K");
    on_screen = false;
  }
};

Terminal::Terminal(bool quiet, bool json) : state_(std::make_unique<State>(quiet, json)) {}

Terminal::~Terminal() { end_progress(); }

void Terminal::print(std::string_view text) {
  end_progress();
  write_standard_output(printable_lines(text, state_->output_colour));
}

std::string Terminal::styled(std::string_view text, Style style) const {
  return coloured(text, style, state_->output_colour);
}

void Terminal::note(std::string_view text) {
  if (state_->quiet || state_->json) return;
  end_progress();
  write_error(printable_lines(text) + '\n');
}

void Terminal::show_hints() {
  for (const std::string& text : std::exchange(hints_, {})) note("hint: " + text);
}

void Terminal::warn(std::string_view text) {
  warnings_.emplace_back(text);
  if (state_->quiet) return;
  end_progress();
  write_error(fmt::format("{} {}\n", coloured("warning:", Style::warning, state_->error_colour),
                          printable_lines(text)));
}

void Terminal::error(std::string_view text) {
  end_progress();
  write_error(fmt::format("{} {}\n", coloured("suffice:", Style::error, state_->error_colour),
                          printable_lines(text)));
}

bool Terminal::is_terminal() const { return state_->output_is_terminal; }

int Terminal::width() const { return is_terminal() ? columns_of(STDOUT_FILENO) : 80; }

void Terminal::progress(std::string_view what, const Reading& reading) {
  if (!state_->shows_progress) return;
  const std::lock_guard lock(state_->mutex);
  const Clock::time_point now = Clock::now();
  if (now - state_->began < patience || now - state_->drawn < between) return;
  state_->drawn = now;
  const double seconds = std::chrono::duration<double>(now - state_->began).count();
  const auto bytes = static_cast<double>(reading.bytes);
  const auto total = static_cast<double>(reading.total_bytes);
  const auto rows = static_cast<double>(reading.rows);
  std::string line = std::string(what);
  if (reading.share > 0) line += fmt::format("  {:.0f} %", 100 * reading.share);
  if (bytes > 0) line += "  " + bytes_for_people(bytes);
  if (total > 0) line += " of " + bytes_for_people(total);
  if (rows > 0) line += "  " + counted(rows, "row") + "  " + rate(rows / seconds);
  if (bytes > 0 && total >= bytes)
    line += "  " + duration(seconds * (total - bytes) / bytes) + " left";
  line = printable(line);
  // A line that wraps could not be overwritten. It is ASCII, except for `what`.
  const auto width = static_cast<std::size_t>(columns_of(STDERR_FILENO));
  if (characters(line) >= width) line.resize(width - 1);
  write_error("\r\033[K" + coloured(line, Style::dim, state_->error_colour));
  state_->on_screen = true;
}

void Terminal::end_progress() {
  if (!state_->shows_progress) return;
  const std::lock_guard lock(state_->mutex);
  state_->clear();
  state_->began = Clock::now();
}

}  // namespace suffice::cli
