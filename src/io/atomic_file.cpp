#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "suffice/core/error.hpp"

namespace suffice {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw FileError({.path = path}, "cannot write '" + path + "': " + reason);
}

[[noreturn]] void fail_errno(const std::string& path) {
  const int error = errno;
  fail(path, std::generic_category().message(error));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// What a symbolic link names, whether it exists or not: the file there is replaced, the link
/// stays.
std::string behind_links(std::string path) {
  namespace fs = std::filesystem;
  std::error_code none;
  for (int links = 0; fs::is_symlink(path, none); ++links) {
    if (links == 40) fail(path, "its symbolic links go round in a circle");
    path = (fs::path(path).parent_path() / fs::read_symlink(path, none)).string();
    if (none) fail(path, none.message());
  }
  return path;
}

/// Another process may have the same idea of a free name, so it is tried, not trusted: `make` is
/// called with names until it returns at least 0 or fails for another reason than that.
template <class Make>
int with_free_name(const std::string& folder, std::string& name, Make&& make) {
  auto number =
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  int result = -1;
  for (int attempt = 0; attempt < 100; ++attempt, ++number) {
    name = folder + "/.suffice-" + std::to_string(::getpid()) + "-" + std::to_string(number);
    result = make(name.c_str());
    if (result >= 0 || (errno != EEXIST && errno != EINTR)) break;
  }
  return result;
}

std::string link_to(int file) { return "/proc/self/fd/" + std::to_string(file); }

/// A file without a name, which vanishes with the process whatever ends it; -1 where the file
/// system has none, or where it could not be given a name later.
int open_nameless(const std::string& folder) {
#ifdef O_TMPFILE
  const int file = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file >= 0 && ::access(link_to(file).c_str(), F_OK) == 0) return file;
  if (file >= 0) ::close(file);
#else
  static_cast<void>(folder);
#endif
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(std::string path)
    : path_(behind_links(std::move(path))), folder_(folder_of(path_)) {
  if (path_.empty()) fail(path_, "the path is empty");
  // A rename would put a file in the place of a device or a pipe.
  struct stat there = {};
  if (::stat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
    fail(path_, S_ISDIR(there.st_mode) ? "it is a folder" : "it is not a regular file");
  file_ = open_nameless(folder_);
  if (file_ >= 0) return;
  // 0666: the umask decides, as for any file.
  file_ = with_free_name(folder_, temporary_, [](const char* name) {
    return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  if (file_ < 0) fail_errno(path_);
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno(path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(file_) != 0) fail_errno(path_);
  if (temporary_.empty()) {  // only a file with a name can take the place of another
    std::string name;
    const std::string link = link_to(file_);
    if (with_free_name(folder_, name, [&](const char* free) {
          return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, free, AT_SYMLINK_FOLLOW);
        }) < 0)
      fail_errno(path_);
    temporary_ = std::move(name);
  }
  if (::close(std::exchange(file_, -1)) != 0) fail_errno(path_);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_errno(path_);
  temporary_.clear();
  // The new name is on the disk once the folder is. Some file systems cannot promise that; the file
  // is whole under its name either way.
  if (const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

void write_atomically(const std::string& path,
                      const std::vector<std::span<const std::byte>>& pieces) {
  AtomicFile file(path);
  for (const std::span<const std::byte> piece : pieces) file.write(piece);
  file.commit();
}

}  // namespace suffice
