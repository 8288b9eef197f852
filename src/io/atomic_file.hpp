#pragma once
// Files that appear whole or not at all.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace suffice {

/// Writes the pieces one after the other to a temporary file in the folder of `path`, flushes it to
/// the disk, and renames it to `path`. Throws FileError; then `path` is as it was and the temporary
/// file is gone.
void write_atomically(const std::string& path,
                      const std::vector<std::span<const std::byte>>& pieces);

}  // namespace suffice
