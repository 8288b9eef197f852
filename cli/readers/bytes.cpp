#include "cli/readers/bytes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/readers/packed.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw FileError({.path = path}, "cannot read " + called(path) + ": " + reason);
}

std::string system_message(int error) { return std::generic_category().message(error); }

/// The bytes as they are on the disk or come through the pipe.
class RawBytes : public Bytes {
 public:
  RawBytes(const std::string& path, std::stop_token stop, std::int64_t offset = 0)
      : path_(path), stop_(std::move(stop)) {
    descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(path, system_message(errno));
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) fail(path, system_message(errno));
    if (S_ISDIR(status.st_mode)) fail(path, "it is a folder");
    is_file_ = S_ISREG(status.st_mode);
    if (offset > 0 && ::lseek(descriptor_, offset, SEEK_SET) < 0) fail(path, system_message(errno));
    if (is_file_ && offset > status.st_size) fail(path, "it became shorter while it was read");
    if (is_file_)
      extent_.total = status.st_size - std::max<off_t>(::lseek(descriptor_, 0, SEEK_CUR), 0);
  }
  RawBytes(const RawBytes&) = delete;
  RawBytes& operator=(const RawBytes&) = delete;
  ~RawBytes() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read(char* to, std::size_t count) override {
    std::size_t have = 0;
    while (have < count) {
      wait();
      const ssize_t got = ::read(descriptor_, to + have, count - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(path_, system_message(errno));
      if (got == 0 && extent_.done < extent_.total)
        fail(path_, "it became shorter while it was read");
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
      extent_.done += got;
    }
    return have;
  }
  Extent extent() const override { return extent_; }

 private:
  /// A pipe may have nothing to give for hours, in which a stop must be noticed.
  void wait() const {
    while (!is_file_) {
      if (stop_.stop_requested()) throw Cancelled();
      pollfd event = {descriptor_, POLLIN, 0};
      if (::poll(&event, 1, 100) > 0) return;  // a signal ends it early, and is no answer
    }
  }
  std::string path_;
  std::stop_token stop_;
  int descriptor_ = -1;
  bool is_file_ = false;
  Extent extent_;
};

}  // namespace

PlainFile::PlainFile(const std::string& path) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(path, system_message(errno));
  struct stat status = {};
  if (::fstat(descriptor_, &status) == 0) size_ = status.st_size;
}

PlainFile::~PlainFile() { ::close(descriptor_); }

std::int64_t PlainFile::read(std::int64_t first, char* to, std::int64_t count) const {
  std::int64_t have = 0;
  while (have < count) {
    const ssize_t got =
        ::pread(descriptor_, to + have, static_cast<std::size_t>(count - have), first + have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, system_message(errno));
    if (got == 0) break;
    have += got;
  }
  return have;
}

PeekedBytes::PeekedBytes(std::unique_ptr<Bytes> bytes, std::size_t peek)
    : bytes_(std::move(bytes)), first_(peek, '\0') {
  first_.resize(bytes_->read(first_.data(), peek));
}

std::size_t PeekedBytes::read(char* to, std::size_t count) {
  const std::size_t kept = std::min(count, first_.size() - taken_);
  if (kept > 0) std::memcpy(to, first_.data() + taken_, kept);
  taken_ += kept;
  return kept == count ? count : kept + bytes_->read(to + kept, count - kept);
}

constexpr std::string_view gzip_mark = "\x1f\x8b", zstd_mark = "\x28\xb5\x2f\xfd";

bool is_plain_file(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  char first[4] = {};
  const auto size = static_cast<std::size_t>(PlainFile(path).read(0, first, sizeof first));
  const std::string_view mark(first, size);
  return !mark.starts_with(gzip_mark) && mark != zstd_mark;
}

std::unique_ptr<Bytes> open_plain_file(const std::string& path, std::int64_t offset,
                                       std::stop_token stop) {
  return std::make_unique<RawBytes>(path, std::move(stop), offset);
}

std::unique_ptr<Bytes> open_bytes(const std::string& path, std::stop_token stop) {
  auto raw = std::make_unique<PeekedBytes>(std::make_unique<RawBytes>(path, std::move(stop)), 4);
  if (raw->first().starts_with(gzip_mark)) return unpack_gzip(path, std::move(raw));
  if (raw->first() == zstd_mark) return unpack_zstd(path, std::move(raw));
  return raw;
}

}  // namespace suffice::cli
