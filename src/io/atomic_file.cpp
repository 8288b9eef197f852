#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const noexcept { return value_; }
  void set(int value) noexcept { value_ = value; }
  int close() noexcept { return ::close(std::exchange(value_, -1)); }

 private:
  int value_;
};

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw FileError("cannot write '" + path + "': " + reason, path);
}

[[noreturn]] void fail_errno(const std::string& path) {
  const int error = errno;
  fail(path, std::generic_category().message(error));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// A new file with a name of its own, removed again unless it was renamed.
class Temporary {
 public:
  Temporary(const std::string& folder, const std::string& path) {
    // Another process may have the same idea, so the name is tried, not trusted.
    auto number =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    int file = -1;
    for (int attempt = 0; file < 0 && attempt < 100; ++attempt, ++number) {
      name_ = folder + "/.suffice-" + std::to_string(::getpid()) + "-" + std::to_string(number);
      // 0666: the umask decides, as for any file.
      file = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file < 0 && errno != EEXIST && errno != EINTR) fail_errno(path);
    }
    if (file < 0) fail_errno(path);
    descriptor_.set(file);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_errno(path);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  void rename_to(const std::string& path) {
    if (::fsync(descriptor_.get()) != 0) fail_errno(path);
    if (descriptor_.close() != 0) fail_errno(path);
    if (std::rename(name_.c_str(), path.c_str()) != 0) fail_errno(path);
    renamed_ = true;
  }

 private:
  std::string name_;
  Descriptor descriptor_;
  bool renamed_ = false;
};

}  // namespace

void write_atomically(const std::string& path,
                      const std::vector<std::span<const std::byte>>& pieces) {
  if (path.empty()) fail(path, "the path is empty");
  // A rename would put a file in the place of a device or a pipe.
  struct stat there = {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    fail(path, S_ISDIR(there.st_mode) ? "it is a folder" : "it is not a regular file");

  const std::string folder = folder_of(path);
  Temporary file(folder, path);
  for (const std::span<const std::byte> piece : pieces) file.write(piece, path);
  const Descriptor entries(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  file.rename_to(path);
  // The new name is on the disk once the folder is. Some file systems cannot promise that; the file
  // is whole under its name either way.
  if (entries.get() >= 0) ::fsync(entries.get());
}

}  // namespace suffice
