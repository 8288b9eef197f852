#pragma once
// What .gz and .zst files unpack to.

#include <memory>
#include <string>

#include "cli/readers/bytes.hpp"

namespace suffice::cli {

/// `packed` is read as the result is. Errors of reading name `path`.
std::unique_ptr<Bytes> unpack_gzip(const std::string& path, std::unique_ptr<Bytes> packed);
std::unique_ptr<Bytes> unpack_zstd(const std::string& path, std::unique_ptr<Bytes> packed);

}  // namespace suffice::cli
