#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "cli/input/table.hpp"
#include "cli/line/suggest.hpp"
#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void no_such_file(const std::string& path) {
  if (std::error_code none; fs::is_symlink(path, none))
    throw FileError({.path = path}, "'" + path + "' is a symbolic link that leads to no file");
  std::vector<std::string> beside;
  std::error_code ignored;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    beside.push_back(entry.path().filename().string());
  const std::string near = nearest(fs::path(path).filename().string(), beside);
  throw FileError({.path = path}, "there is no file '" + path + "'",
                  near.empty() ? "" : "did you mean '" + near + "'?");
}

/// All tables in a folder and the folders below it, by name; hidden ones apart.
void add_folder(const std::string& folder, std::vector<std::string>& files) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) {
      if (entry->is_directory()) entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && has_table_ending(name)) {
      found.push_back(entry->path().string());
    }
  }
  if (error)
    throw FileError({.path = folder},
                    "cannot read the folder '" + folder + "': " + error.message());
  if (found.empty())
    throw FileError({.path = folder},
                    "the folder '" + folder +
                        "' has no file whose ending is known: .csv, .tsv (also .gz, .zst), "
                        ".parquet, .arrow, .feather, .npy, .libsvm");
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

void add_pattern(const std::string& pattern, std::vector<std::string>& files) {
  glob_t found = {};
  const int result = ::glob(pattern.c_str(), 0, nullptr, &found);
  for (std::size_t i = 0; result == 0 && i < found.gl_pathc; ++i)
    files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  if (result != 0) throw FileError({.path = pattern}, "no file matches '" + pattern + "'");
}

}  // namespace

std::vector<std::string> expand_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (path == "-") {
      files.push_back(path);
    } else if (fs::is_directory(path, ignored)) {
      add_folder(path, files);
    } else if (fs::exists(path, ignored)) {
      files.push_back(path);
    } else if (path.find_first_of("*?[") != std::string::npos) {
      add_pattern(path, files);
    } else {
      no_such_file(path);
    }
  }
  return files;
}

}  // namespace suffice::cli
