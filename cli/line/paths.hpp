#pragma once
// Names of files, before any is opened.

#include <string>

namespace suffice::cli {

/// Whether two paths are one file: the same text, or the same file on the disk.
bool same_file(const std::string& a, const std::string& b);

}  // namespace suffice::cli
