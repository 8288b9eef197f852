// The function that libFuzzer and driver.cpp call. One program has all targets; the variable
// SUFFICE_FUZZ_TARGET says which one runs.
#include <map>

#include "fuzz/fuzz.hpp"

namespace suffice::fuzz {
namespace {

std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

Target chosen() {
  const char* name = std::getenv("SUFFICE_FUZZ_TARGET");
  const auto found = targets().find(name ? name : "");
  if (found != targets().end()) return found->second;
  std::fprintf(stderr, "Set SUFFICE_FUZZ_TARGET to one of:");
  for (const auto& [known, target] : targets()) std::fprintf(stderr, " %s", known.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

Registered::Registered(const char* name, Target target) { targets()[name] = target; }

}  // namespace suffice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const suffice::fuzz::Target target = suffice::fuzz::chosen();
  target(data, size);
  return 0;
}
