#pragma once
// Names of files, before any is opened.

#include <string>
#include <string_view>

namespace suffice::cli {

/// Whether two paths are one file: the same text, or the same file on the disk.
bool same_file(const std::string& a, const std::string& b);
/// Whether a name has this ending, in capitals or not; the ending is in lower case.
bool has_ending(std::string_view path, std::string_view ending);
/// The name without .gz or .zst.
std::string_view without_packing(std::string_view path);

}  // namespace suffice::cli
