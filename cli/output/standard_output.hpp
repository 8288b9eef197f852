#pragma once
// Standard output, told apart by how writing to it can fail.

#include <string>
#include <string_view>

namespace suffice::cli {

/// Writes all of `text` to the descriptor; `path` is what messages call it.
/// Throws ClosedPipe where its reader has gone, FileError otherwise.
void write_to_descriptor(int descriptor, std::string_view text, const std::string& path);
void write_standard_output(std::string_view text);

}  // namespace suffice::cli
