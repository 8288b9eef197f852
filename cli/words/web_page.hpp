#pragma once
// Pages that can be changed: they carry the program as WebAssembly, a script, and files. script/web
// builds the first two.

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/json.hpp"
#include "suffice/draw/page.hpp"

namespace suffice::cli {

/// Bytes of a live page at most.
inline constexpr std::size_t live_page_limit = 2'500'000;

/// A file of the page, as markup. `name` is one of ours.
std::string page_file(std::string_view name, std::string_view content);

class WebParts {
 public:
  /// Finds what script/web has built: in SUFFICE_WEB, beside the program in web/, or in
  /// ../share/suffice/web. Throws FileError.
  WebParts();

  /// Bytes that they take in a page.
  std::size_t size() const noexcept { return style_.size() + engine_.size() + script_.size(); }
  /// `settings` is what the script is told; `files` are page_file's.
  PageScripts scripts(const Json& settings, const std::string& files) const;

 private:
  std::string style_, engine_, script_;
};

}  // namespace suffice::cli
