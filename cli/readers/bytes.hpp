#pragma once
// The bytes of a file, of standard input, or of what a .gz or .zst file unpacks to.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "cli/readers/source.hpp"

namespace suffice::cli {

class Bytes {
 public:
  virtual ~Bytes() = default;
  /// Fills `to` with up to `count` bytes; fewer only at the end. Throws FileError (cannot be read,
  /// truncated, damaged), Cancelled while waiting for standard input.
  virtual std::size_t read(char* to, std::size_t count) = 0;
  /// Of the file on the disk, packed as it is.
  virtual Extent extent() const = 0;
};

/// Opens a path, or standard input for "-". Packed bytes are told by their first bytes, not by the
/// name, and may be several members one after the other.
std::unique_ptr<Bytes> open_bytes(const std::string& path, std::stop_token stop);

/// Whether a path is that of a file whose bytes are those of open_bytes: not packed, and no pipe.
bool is_plain_file(const std::string& path);
/// The bytes of a plain file from an offset on. Throws FileError.
std::unique_ptr<Bytes> open_plain_file(const std::string& path, std::int64_t offset,
                                       std::stop_token stop);

/// A plain file that any number of threads read at the same time.
class PlainFile {
 public:
  /// Throws FileError.
  explicit PlainFile(const std::string& path);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  /// Returns how many of the bytes [first, first + count) there are. Throws FileError.
  std::int64_t read(std::int64_t first, char* to, std::int64_t count) const;
  std::int64_t size() const noexcept { return size_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// What a file begins with, unpacked, without consuming it: `peek` bytes are read and put back.
class PeekedBytes : public Bytes {
 public:
  PeekedBytes(std::unique_ptr<Bytes> bytes, std::size_t peek);
  std::string_view first() const noexcept { return {first_.data(), first_.size()}; }
  std::size_t read(char* to, std::size_t count) override;
  Extent extent() const override { return bytes_->extent(); }

 private:
  std::unique_ptr<Bytes> bytes_;
  std::string first_;
  std::size_t taken_ = 0;
};

}  // namespace suffice::cli
