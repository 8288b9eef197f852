// What the engine asks of the operating system (core/system.hpp), in a web page: memory comes from
// the module's heap, which can grow to a limit, and there is one thread.

#include "core/system.hpp"

#include <emscripten/heap.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {
namespace detail {

void* allocate(std::size_t bytes) {
  constexpr std::size_t unit = 64;
  if (bytes > static_cast<std::size_t>(-1) - unit) throw std::bad_alloc();
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  void* memory = std::aligned_alloc(unit, rounded);
  if (!memory) throw std::bad_alloc();
  return std::memset(memory, 0, rounded);
}

void release(void* memory, std::size_t) noexcept { std::free(memory); }

}  // namespace detail

int available_threads() { return 1; }

double available_memory() {
  const double grown = static_cast<double>(emscripten_get_heap_size());
  return static_cast<double>(emscripten_get_heap_max()) - grown +
         static_cast<double>(mallinfo().fordblks);
}

}  // namespace suffice
