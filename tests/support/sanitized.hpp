#pragma once
// Whether the program runs under a sanitizer. The tests may have been compiled without it and
// linked to a library that was not, so no macro tells.

// The entry points of the sanitizers' own libraries, where they are linked.
extern "C" void __asan_init() __attribute__((weak));
extern "C" void __tsan_init() __attribute__((weak));

namespace suffice::testing {

inline bool is_sanitized() { return __asan_init != nullptr || __tsan_init != nullptr; }

}  // namespace suffice::testing
