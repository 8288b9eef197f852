#pragma once
// The safetensors layout: eight bytes with the length of a JSON header (little-endian), the header,
// the tensors' bytes. The header gives each tensor its type, shape and place, and has strings under
// "__metadata__". Ours are
//   suffice_version  the format's version
//   kind             what the file holds
//   sha256           of the tensors' bytes
//   header_sha256    of the header with 64 zeros in the place of this value

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

enum class TensorType { f64, i64, u8 };

/// Collects tensors and writes them. Views that are added must outlive write.
class ContainerWriter {
 public:
  explicit ContainerWriter(std::string kind);

  /// Readers of the format up to the version before this one cannot read the file.
  void since(int version) { version_ = std::max(version_, version); }

  void metadata(const std::string& key, const std::string& value);
  /// A tensor whose values lie one piece after the other.
  void add(const std::string& name, TensorType type, std::vector<Index> shape,
           std::vector<std::span<const std::byte>> pieces);
  /// Throws FileError; then `path` is as it was.
  void write(const std::string& path) const;
  /// What write would write. Throws FileError.
  std::string bytes() const;

 private:
  struct Entry {
    std::string name;
    TensorType type;
    std::vector<Index> shape;
    std::vector<std::span<const std::byte>> pieces;
  };
  struct Layout {
    std::string head;                                 ///< the length, the header
    std::vector<std::span<const std::byte>> tensors;  ///< what follows
  };
  Layout layout(const std::string& path) const;
  std::string header(const std::vector<const Entry*>& order) const;

  std::map<std::string, std::string> metadata_;
  int version_ = 1;
  std::vector<Entry> entries_;
};

/// A file, or its bytes, that was read. Every length, offset, type and shape in it has been
/// checked: the tensors tile the data without a hole or an overlap, and the checksums are right.
class Container {
 public:
  struct Tensor {
    TensorType type;
    std::vector<Index> shape;
    std::span<const std::byte> bytes;
  };

  /// Throws FileError, also for a version above `newest_version`.
  static Container read(const std::string& path, int newest_version);
  static Container read_bytes(std::string_view bytes, int newest_version);
  /// The metadata alone, without the tensors.
  static std::map<std::string, std::string> read_metadata(const std::string& path,
                                                          int newest_version);

  const std::string& path() const noexcept { return path_; }
  const std::map<std::string, std::string>& metadata() const noexcept { return metadata_; }
  const std::map<std::string, Tensor, std::less<>>& tensors() const noexcept { return tensors_; }
  /// Frees the tensors; the path and the metadata stay.
  void release() {
    tensors_.clear();
    data_ = {};
  }

 private:
  template <class From>
  static Container read_from(const From& from, std::string path, int newest_version);

  std::string path_;  ///< empty: bytes in memory
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  Buffer<std::byte> data_;
};

/// Throws FileError: "cannot read 'path': reason"; without a path these were bytes in memory.
[[noreturn]] void fail_to_read(const std::string& path, const std::string& reason,
                               const std::string& advice = {});

}  // namespace suffice
