#include "cli/line/paths.hpp"

#include <sys/stat.h>

#include <algorithm>

namespace suffice::cli {

bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  struct stat of_a = {}, of_b = {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool has_ending(std::string_view path, std::string_view ending) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return path.size() >= ending.size() &&
         std::ranges::equal(path.substr(path.size() - ending.size()), ending,
                            [&](char a, char b) { return lower(a) == b; });
}

std::string_view without_packing(std::string_view path) {
  for (const std::string_view packing : {".gz", ".zst"})
    if (has_ending(path, packing)) return path.substr(0, path.size() - packing.size());
  return path;
}

}  // namespace suffice::cli
