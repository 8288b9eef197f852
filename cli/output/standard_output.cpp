#include "cli/output/standard_output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "cli/line/error.hpp"

namespace suffice::cli {

void write_to_descriptor(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EAGAIN) {  // another process made it non-blocking
      struct pollfd wait = {descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
      continue;
    }
    if (error == EPIPE) throw ClosedPipe();
    throw FileError({.path = path},
                    "cannot write " + path + ": " + std::generic_category().message(error));
  }
}

void write_standard_output(std::string_view text) {
  write_to_descriptor(STDOUT_FILENO, text, "standard output");
}

}  // namespace suffice::cli
