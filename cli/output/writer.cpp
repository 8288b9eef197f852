#include "cli/output/writer.hpp"

#include <fcntl.h>
#include <fmt/compile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/line/error.hpp"
#include "cli/output/packed.hpp"
#include "cli/output/standard_output.hpp"
#include "cli/output/text.hpp"
#include "io/atomic_file.hpp"

namespace suffice::cli {
namespace {

constexpr std::size_t buffer_size = 1 << 16;

bool is_device_or_pipe(const std::string& path) {
  struct stat there = {};
  return ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

}  // namespace

struct Writer::State {
  std::string path;
  std::optional<AtomicFile> file;
  int descriptor = -1;          // of standard output, a device or a pipe
  bool for_a_terminal = false;  // then codes in names are shown, not obeyed
  std::string buffer;
  std::unique_ptr<Packer> packer;

  ~State() {
    if (descriptor >= 0 && descriptor != STDOUT_FILENO) ::close(descriptor);
  }
  /// A long text needs no buffer.
  bool goes_straight(std::string_view text) const {
    return text.size() >= buffer_size && !packer && !for_a_terminal;
  }
  void put(std::string_view text) {
    if (file)
      file->write(std::as_bytes(std::span(text.data(), text.size())));
    else
      write_to_descriptor(descriptor, for_a_terminal ? printable_lines(text) : text, path);
  }
  void flush(bool is_end = false) {
    if (packer) {
      std::string packed;
      packer->add(buffer, packed);
      if (is_end) packer->finish(packed);
      buffer.swap(packed);
    }
    put(buffer);
    buffer.clear();
  }
};

Writer::Writer(const std::string& path) : state_(std::make_unique<State>()) {
  if (path.empty() || path == "-") {
    state_->path = "standard output";
    state_->descriptor = STDOUT_FILENO;
  } else if (is_device_or_pipe(path)) {
    state_->path = "'" + path + "'";
    state_->descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (state_->descriptor < 0)
      throw FileError({.path = path},
                      "cannot write '" + path + "': " + std::generic_category().message(errno));
  } else {
    state_->file.emplace(path);
    state_->packer = packer_for(path);
  }
  state_->for_a_terminal = state_->descriptor >= 0 && ::isatty(state_->descriptor) == 1;
}

Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;

void Writer::write(std::string_view text) {
  if (state_->goes_straight(text)) {
    state_->flush();
    return state_->put(text);
  }
  state_->buffer += text;
  if (state_->buffer.size() >= buffer_size) state_->flush();
}

void Writer::finish() {
  state_->flush(true);
  if (state_->file) {
    state_->file->commit();
  } else if (state_->descriptor != STDOUT_FILENO) {
    if (::close(std::exchange(state_->descriptor, -1)) != 0)
      throw FileError({.path = state_->path}, "cannot write " + state_->path + ": " +
                                                  std::generic_category().message(errno));
  }
}

bool Writer::is_standard_output() const noexcept { return state_->descriptor == STDOUT_FILENO; }

void append_csv_cell(std::string& line, std::string_view cell, char separator) {
  const char special[] = {separator, '"', '\n', '\r'};
  const bool plain = cell.find_first_of(special, 0, sizeof special) == std::string_view::npos &&
                     (cell.empty() || (cell.front() != ' ' && cell.front() != '\t' &&
                                       cell.back() != ' ' && cell.back() != '\t'));
  if (plain) {
    line += cell;
    return;
  }
  line += '"';
  for (const char c : cell) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

void append_number(std::string& line, double value, int digits) {
  if (std::isfinite(value) && digits > 0) {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{:.{}g}"), value, digits);
  } else if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), value);
  } else {
    line += std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
}

}  // namespace suffice::cli
