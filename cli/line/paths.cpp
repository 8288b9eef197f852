#include "cli/line/paths.hpp"

#include <sys/stat.h>

namespace suffice::cli {

bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  struct stat of_a = {}, of_b = {};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

}  // namespace suffice::cli
