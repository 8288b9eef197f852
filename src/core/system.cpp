#include "core/system.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include "core/constants.hpp"
#include "suffice/core/execution.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

namespace {

// From this size on memory comes as huge pages of its own, zeroed by the system when first touched
// and by the thread that touches them: for an 80 MB matrix of scores 40 page faults instead of
// 20000.
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t alignment = 64;
static_assert(alignof(std::max_align_t) >= sizeof(void*));  // so there is room before the memory

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  if (bytes > static_cast<std::size_t>(-1) - 2 * huge_page) throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

double read_number(const char* path) {
  std::ifstream file(path);
  double value = infinity;
  return file >> value ? value : infinity;
}

}  // namespace

namespace detail {

void* allocate(std::size_t bytes) {
  if (bytes < huge_page) {
    // Not aligned_alloc: until glibc 2.38 it does not find the pieces again that were freed, and
    // the memory of a program that allocates in a loop grows.
    void* whole = std::malloc(bytes + alignment);
    if (!whole) throw std::bad_alloc();
    void** memory = reinterpret_cast<void**>(
        (reinterpret_cast<std::uintptr_t>(whole) / alignment + 1) * alignment);
    memory[-1] = whole;
    return std::memset(memory, 0, bytes);
  }
  // One page more than needed, of which the ends are given back so that the rest is aligned.
  const std::size_t size = round_up(bytes, huge_page);
  void* mapped =
      mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) % huge_page;
  char* memory = static_cast<char*>(mapped) + before;
  if (before > 0) munmap(mapped, before);
  munmap(memory + size, huge_page - before);
#ifdef MADV_HUGEPAGE
  madvise(memory, size, MADV_HUGEPAGE);  // a wish; its failure changes nothing
#endif
  return memory;
}

void release(void* memory, std::size_t bytes) noexcept {
  if (bytes < huge_page) {
    if (memory) std::free(static_cast<void**>(memory)[-1]);
  } else {
    munmap(memory, (bytes + huge_page - 1) / huge_page * huge_page);
  }
}

}  // namespace detail

int available_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

double available_memory() {
  double available = infinity;
  std::ifstream info("/proc/meminfo");
  std::string key;
  for (double kilobytes; info >> key >> kilobytes;) {
    if (key == "MemAvailable:") available = 1024 * kilobytes;
    info.ignore(64, '\n');
  }
  // A container's limit, in the second and first version of control groups; "max" reads as
  // infinity.
  const double limit = std::min(read_number("/sys/fs/cgroup/memory.max"),
                                read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  available = std::min(available, limit);
  rlimit process{};
  if (getrlimit(RLIMIT_AS, &process) == 0 && process.rlim_cur != RLIM_INFINITY) {
    available = std::min(available, static_cast<double>(process.rlim_cur));
  }
  return available;
}

}  // namespace suffice
