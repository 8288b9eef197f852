#pragma once
// Compressed output: .gz and .zst files, and files inside a page.

#include <memory>
#include <string>
#include <string_view>

namespace suffice::cli {

/// Compresses bytes that follow each other.
class Packer {
 public:
  virtual ~Packer() = default;
  /// Appends to `packed` what is ready of them.
  virtual void add(std::string_view bytes, std::string& packed) = 0;
  virtual void finish(std::string& packed) = 0;
};

/// By the ending of the path, .gz or .zst; null: it is not to be compressed.
std::unique_ptr<Packer> packer_for(const std::string& path);

/// The content packed by gzip and written as base64: letters that every HTML element can hold.
std::string packed(std::string_view content);

}  // namespace suffice::cli
