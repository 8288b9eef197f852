#include "cli/words/web_page.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "cli/output/packed.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array web_file_names = {"suffice.wasm", "suffice.js", "page.js", "page.css"};

bool has_web_files(const fs::path& folder) {
  std::error_code ignored;
  return std::ranges::all_of(web_file_names, [&](const char* name) {
    return fs::is_regular_file(folder / name, ignored);
  });
}

fs::path web_folder() {
  if (const char* named = std::getenv("SUFFICE_WEB"); named && *named) {
    if (has_web_files(named)) return named;
    throw FileError({.path = named},
                    "SUFFICE_WEB names '" + std::string(named) +
                        "', which lacks files of suffice.wasm, suffice.js, page.js and page.css",
                    "script/web builds them in build/web");
  }
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {folder / "web", folder.parent_path() / "share" / "suffice" / "web"})
    if (!error && has_web_files(place)) return place;
  throw FileError({},
                  "a live page needs the program as WebAssembly, which was not built with this "
                  "suffice",
                  "in a clone, script/web builds it; SUFFICE_WEB can name the folder that has it");
}

std::string file_content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(in), {});
  if (!in) throw FileError({.path = path.string()}, "cannot read '" + path.string() + "'");
  return content;
}

}  // namespace

std::string page_file(std::string_view name, std::string_view content) {
  return "<script type=\"text/plain\" data-file=\"" + std::string(name) + "\">" + packed(content) +
         "</script>\n";
}

WebParts::WebParts() {
  const fs::path folder = web_folder();
  style_ = file_content(folder / "page.css");
  engine_ = "<script type=\"text/plain\" id=\"suffice-engine\">" +
            packed(file_content(folder / "suffice.wasm")) + "</script>\n";
  script_ = "<script>" + file_content(folder / "suffice.js") + "</script>\n<script>" +
            file_content(folder / "page.js") + "</script>\n";
}

PageScripts WebParts::scripts(const Json& settings, const std::string& files) const {
  std::string words;
  for (const char c : dump(settings)) c == '<' ? words += "\\u003c" : words += c;
  return {style_, files + engine_ + "<script type=\"application/json\" id=\"suffice-page\">" +
                      words + "</script>\n" + script_};
}

}  // namespace suffice::cli
