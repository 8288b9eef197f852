#pragma once
// Memory for a pass over many rows: zeroed, aligned, and not touched before its first use, so that
// the worker that writes a piece first is the one for which the system provides it.

#include <type_traits>
#include <utility>

#include "suffice/core/matrix.hpp"

namespace suffice {

template <class T>
requires std::is_trivial_v<T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Index size) : size_(size) {
    if (size > 0) data_ = static_cast<T*>(detail::allocate(bytes()));
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (data_) detail::release(data_, bytes());
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  T& operator[](Index i) noexcept { return data_[i]; }
  const T& operator[](Index i) const noexcept { return data_[i]; }
  Index size() const noexcept { return size_; }

 private:
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * sizeof(T); }

  T* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace suffice
