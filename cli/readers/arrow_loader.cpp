#include "cli/readers/arrow_loader.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "suffice/core/error.hpp"

namespace suffice::cli {
namespace {

struct Module {
  SufficeArrowOpen* open = nullptr;
  SufficeArrowCreate* create = nullptr;
  std::string reason;  ///< why it could not be loaded; empty: there is none

  Module() {
    namespace fs = std::filesystem;
    std::vector<fs::path> places;
    if (const char* named = std::getenv("SUFFICE_ARROW_MODULE"); named && *named)
      places.emplace_back(named);
    std::error_code error;
    if (const fs::path program = fs::read_symlink("/proc/self/exe", error); !error) {
      const fs::path folder = program.parent_path();
      places.push_back(folder / "suffice_arrow.so");
      places.push_back(folder.parent_path() / "lib" / "suffice" / "suffice_arrow.so");
    }
    for (const fs::path& place : places) {
      if (!fs::exists(place, error)) continue;
      void* const library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
      const auto symbol = [&](const char* name) {
        return library ? ::dlsym(library, name) : nullptr;
      };
      open = reinterpret_cast<SufficeArrowOpen*>(symbol(suffice_arrow_open_name));
      create = reinterpret_cast<SufficeArrowCreate*>(symbol(suffice_arrow_create_name));
      if (open && create) return;
      const char* const message = ::dlerror();
      reason = message ? message : place.string();
    }
  }
};

const Module& module() {
  static const Module loaded;
  return loaded;
}

/// `cannot`: "cannot read 'file'"; `instead`: what works without Arrow.
[[noreturn]] void refuse(const std::string& path, const std::string& cannot,
                         const std::string& instead) {
  const std::string& reason = module().reason;
  throw FileError(
      {.path = path},
      cannot + (reason.empty()
                    ? ": this suffice was built without Arrow C++"
                    : ": the module for Parquet and Arrow files cannot be loaded (" + reason + ")"),
      instead + ", or run script/build in the source folder, which gets Arrow C++");
}

}  // namespace

SufficeArrowOpen* arrow_module(const std::string& path) {
  if (!module().open) refuse(path, "cannot read '" + path + "'", "convert the file to CSV");
  return module().open;
}

SufficeArrowCreate* arrow_module_to_write(const std::string& path) {
  if (!module().create) refuse(path, "cannot write '" + path + "'", "write a CSV file");
  return module().create;
}

}  // namespace suffice::cli
