#pragma once
// Files inside a page.

#include <string>
#include <string_view>

namespace suffice::cli {

/// The content packed by gzip and written as base64: letters that every HTML element can hold.
std::string packed(std::string_view content);

}  // namespace suffice::cli
