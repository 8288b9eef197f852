#pragma once
// A value that is usually absent: std::optional, but with the value in memory of its own, so that
// without one it takes the room of a pointer. A million features have a million of them.

#include <memory>
#include <optional>
#include <utility>

namespace suffice {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(std::nullopt_t) noexcept {}
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Boxed() = default;

  bool has_value() const noexcept { return value_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  T& operator*() noexcept { return *value_; }
  const T& operator*() const noexcept { return *value_; }
  T* operator->() noexcept { return value_.get(); }
  const T* operator->() const noexcept { return value_.get(); }
  /// A value of its own, which replaces the one that it had.
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  void reset() noexcept { value_.reset(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a && b ? *a == *b : a.has_value() == b.has_value();
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace suffice
