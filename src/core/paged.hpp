#pragma once
// Vectors whose memory comes in huge pages where it is large: tables that are read at random.

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "suffice/core/matrix.hpp"

namespace suffice {

template <class T>
struct PagedAllocator {
  using value_type = T;

  PagedAllocator() = default;
  template <class Other>
  PagedAllocator(const PagedAllocator<Other>&) noexcept {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(detail::allocate(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    detail::release(memory, count * sizeof(T));
  }
  friend bool operator==(const PagedAllocator&, const PagedAllocator&) { return true; }
};

template <class T>
using PagedVector = std::vector<T, PagedAllocator<T>>;

}  // namespace suffice
