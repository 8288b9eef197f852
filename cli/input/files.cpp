#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>

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
void add_folder(const std::string& folder, const std::stop_token& stop,
                std::vector<std::string>& files) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (stop.stop_requested()) throw Cancelled();
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
    throw FileError(
        {.path = folder},
        "the folder '" + folder +
            "' has no file whose ending is known: .csv, .tsv, .ndjson (also .gz, .zst), "
            ".parquet, .arrow, .feather, .npy, .libsvm");
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

#ifdef GLOB_ALTDIRFUNC
thread_local const std::stop_token* stop_of_glob = nullptr;

/// Folders as glob reads them; after a stop all of them are empty, so that it ends soon.
dirent* next_entry(void* folder) {
  return stop_of_glob->stop_requested() ? nullptr : ::readdir(static_cast<DIR*>(folder));
}

int stoppable_glob(const std::string& pattern, const std::stop_token& stop, glob_t& found) {
  stop_of_glob = &stop;
  found.gl_opendir = [](const char* path) -> void* { return ::opendir(path); };
  found.gl_readdir = next_entry;
  found.gl_closedir = [](void* folder) { ::closedir(static_cast<DIR*>(folder)); };
  found.gl_stat = [](const char* path, struct stat* status) { return ::stat(path, status); };
  found.gl_lstat = [](const char* path, struct stat* status) { return ::lstat(path, status); };
  return ::glob(pattern.c_str(), GLOB_ALTDIRFUNC, nullptr, &found);
}
#else
int stoppable_glob(const std::string& pattern, const std::stop_token&, glob_t& found) {
  return ::glob(pattern.c_str(), 0, nullptr, &found);
}
#endif

void add_pattern(const std::string& pattern, const std::stop_token& stop,
                 std::vector<std::string>& files) {
  glob_t found = {};
  const int result = stoppable_glob(pattern, stop, found);
  for (std::size_t i = 0; result == 0 && i < found.gl_pathc; ++i)
    files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  if (stop.stop_requested()) throw Cancelled();
  if (result != 0) throw FileError({.path = pattern}, "no file matches '" + pattern + "'");
}

}  // namespace

std::vector<std::string> expand_paths(const std::vector<std::string>& paths,
                                      const std::stop_token& stop) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (path == "-") {
      files.push_back(path);
    } else if (fs::is_directory(path, ignored)) {
      add_folder(path, stop, files);
    } else if (fs::exists(path, ignored)) {
      files.push_back(path);
    } else if (path.find_first_of("*?[") != std::string::npos) {
      add_pattern(path, stop, files);
    } else {
      no_such_file(path);
    }
  }
  return files;
}

}  // namespace suffice::cli
