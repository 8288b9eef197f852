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
      void* const symbol = library ? ::dlsym(library, suffice_arrow_open_name) : nullptr;
      open = reinterpret_cast<SufficeArrowOpen*>(symbol);
      if (open) return;
      const char* const message = ::dlerror();
      reason = message ? message : place.string();
    }
  }
};

}  // namespace

SufficeArrowOpen* arrow_module(const std::string& path) {
  static const Module module;
  if (module.open) return module.open;
  const std::string why = module.reason.empty()
                              ? "this suffice was built without Arrow C++, which reads Parquet, "
                                "Arrow and Feather files. In a clone, script/build fetches Arrow "
                                "and builds with it; elsewhere install Arrow C++ and build again"
                              : "the module that reads Parquet, Arrow and Feather files cannot be "
                                "loaded (" +
                                    module.reason + "). Build it again with script/build";
  throw FileError({.path = path}, "cannot read '" + path + "': " + why,
                  "or convert the file to CSV");
}

}  // namespace suffice::cli
