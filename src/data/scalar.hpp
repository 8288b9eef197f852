#pragma once
// From the element type that a view names to the C++ type that a loop needs.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "suffice/data/row_block.hpp"

namespace suffice {

/// f(std::type_identity<T>{}) with the type of the elements. Bits have none: they are not for here.
template <class F>
decltype(auto) with_type(Scalar type, F&& f) {
  switch (type) {
    case Scalar::float64:
      return f(std::type_identity<double>{});
    case Scalar::float32:
      return f(std::type_identity<float>{});
    case Scalar::int64:
      return f(std::type_identity<std::int64_t>{});
    case Scalar::int32:
      return f(std::type_identity<std::int32_t>{});
    case Scalar::int16:
      return f(std::type_identity<std::int16_t>{});
    case Scalar::int8:
      return f(std::type_identity<std::int8_t>{});
    case Scalar::uint64:
      return f(std::type_identity<std::uint64_t>{});
    case Scalar::uint32:
      return f(std::type_identity<std::uint32_t>{});
    case Scalar::uint16:
      return f(std::type_identity<std::uint16_t>{});
    case Scalar::bit:
    case Scalar::uint8:
      break;
  }
  return f(std::type_identity<std::uint8_t>{});
}

inline std::size_t size_of(Scalar type) {
  return with_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

inline bool is_floating(Scalar type) noexcept {
  return type == Scalar::float64 || type == Scalar::float32;
}

/// Bit `at` of Arrow's bitmaps, least significant first.
inline bool bit_at(const void* bits, Index at) noexcept {
  return (static_cast<const std::uint8_t*>(bits)[at >> 3] >> (at & 7)) & 1;
}

}  // namespace suffice
