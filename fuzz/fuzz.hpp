#pragma once
// What the fuzz targets share. A target is a function of some bytes that must never crash, hang or
// take more than a gigabyte; what it throws must be one of the library's own errors, and where it
// gives an answer, a law must hold.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "suffice/core/error.hpp"

namespace suffice::fuzz {

using Target = void (*)(const std::uint8_t* data, std::size_t size);

/// Gives a target its name (fuzz/targets.cpp has the list).
struct Registered {
  Registered(const char* name, Target target);
};
#define FUZZ_TARGET(name)                                                       \
  static void fuzz_##name(const std::uint8_t* data, std::size_t size);          \
  static const suffice::fuzz::Registered registered_##name(#name, fuzz_##name); \
  static void fuzz_##name(const std::uint8_t* data, std::size_t size)

/// Ends the program where a law does not hold.
inline void require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "The law does not hold: %s\n", law);
  std::abort();
}

/// Runs `work`, which may throw our own errors with a message; every other exception ends the
/// program.
template <class Work>
bool succeeds(Work&& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    require(*error.what() != '\0', "an error has a message");
    return false;
  }
}

/// Takes decisions from the front of the input; an input that is used up decides 0.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size)
      : bytes_(reinterpret_cast<const char*>(data), size) {}

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const char first = bytes_.front();
    bytes_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  /// 0 … count − 1.
  std::size_t below(std::size_t count) { return byte() % count; }
  bool yes() { return byte() & 1; }
  template <class T>
  T value() {
    T result = {};
    const std::size_t count = std::min(sizeof(T), bytes_.size());
    std::memcpy(&result, bytes_.data(), count);
    bytes_.remove_prefix(count);
    return result;
  }
  /// Up to the next newline, which is passed over.
  std::string_view line() {
    const std::size_t end = std::min(bytes_.find('\n'), bytes_.size());
    const std::string_view result = bytes_.substr(0, end);
    bytes_.remove_prefix(std::min(end + 1, bytes_.size()));
    return result;
  }
  std::string_view rest() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

/// A file in memory, since readers open paths.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", 0)) {
    require(descriptor_ >= 0, "a file in memory can be made");
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  const std::string& with(std::string_view bytes) {
    const bool written =
        ::ftruncate(descriptor_, 0) == 0 &&
        ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    require(written, "a file in memory can be written");
    return path_;
  }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace suffice::fuzz
