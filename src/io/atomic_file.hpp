#pragma once
// Files that appear whole or not at all.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace suffice {

/// A file that is written piece by piece and gets its name at the end. Until then its bytes are in
/// the folder of `path` without a name, or under one of their own where the file system cannot do
/// that.
class AtomicFile {
 public:
  /// Throws FileError where no file of this name can be made, or where something other than a
  /// regular file has the name.
  explicit AtomicFile(std::string path);
  /// Without commit nothing remains, and what was under the name stays as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws FileError (a full disk, say).
  void write(std::span<const std::byte> bytes);
  /// Flushes to the disk and gives the file its name. Throws FileError. Nothing is written after.
  void commit();

 private:
  std::string path_, folder_;
  std::string temporary_;  ///< its name for now; empty: none
  int file_ = -1;
};

/// The pieces one after the other as one AtomicFile. Throws FileError; then `path` is as it was.
void write_atomically(const std::string& path,
                      const std::vector<std::span<const std::byte>>& pieces);

}  // namespace suffice
