#pragma once
// What libc++ 13, which comes with emscripten 3.1.6, lacks of C++20's library, as far as the
// sources use it. It is included before every source of the web module (`-include`) and nowhere
// else. Where the library has a piece (newer versions of emscripten), its own is used.

#include <version>

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#if !defined(_LIBCPP_VERSION) || _LIBCPP_VERSION < 14000
#define SUFFICE_COMPAT_RANGES
#endif

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
requires(sizeof(To) == sizeof(From)) constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

#ifndef __cpp_lib_to_chars
// As in the standard: the digits are exact. In charconv.cpp.
from_chars_result from_chars(const char* first, const char* last, double& value);
to_chars_result to_chars(char* first, char* last, double value);
to_chars_result to_chars(char* first, char* last, double value, chars_format format);
to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision);
#endif

#ifndef __cpp_lib_atomic_ref
// The module has one thread.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& value) : value_(value) {}
  T fetch_add(T more) const { return exchange(value_, value_ + more); }

 private:
  T& value_;
};
#endif

#ifdef SUFFICE_COMPAT_RANGES
// Algorithms of ranges, by those of iterators.
namespace ranges {

template <class Compare, class Projection>
constexpr auto projected_compare(Compare& compare, Projection& projection) {
  return [&](const auto& a, const auto& b) -> bool {
    return std::invoke(compare, std::invoke(projection, a), std::invoke(projection, b));
  };
}
template <class Predicate, class Projection>
constexpr auto projected_test(Predicate& predicate, Projection& projection) {
  return [&](const auto& x) -> bool { return std::invoke(predicate, std::invoke(projection, x)); };
}

template <class R, class Predicate, class Projection = identity>
constexpr bool all_of(R&& r, Predicate predicate, Projection projection = {}) {
  return std::all_of(begin(r), end(r), projected_test(predicate, projection));
}
template <class R, class Predicate, class Projection = identity>
constexpr bool any_of(R&& r, Predicate predicate, Projection projection = {}) {
  return std::any_of(begin(r), end(r), projected_test(predicate, projection));
}
template <class R, class Predicate, class Projection = identity>
constexpr bool none_of(R&& r, Predicate predicate, Projection projection = {}) {
  return std::none_of(begin(r), end(r), projected_test(predicate, projection));
}
template <class R, class Predicate, class Projection = identity>
constexpr auto count_if(R&& r, Predicate predicate, Projection projection = {}) {
  return std::count_if(begin(r), end(r), projected_test(predicate, projection));
}
template <class R, class Predicate, class Projection = identity>
constexpr auto find_if(R&& r, Predicate predicate, Projection projection = {}) {
  return std::find_if(begin(r), end(r), projected_test(predicate, projection));
}
template <class R, class T, class Projection = identity>
constexpr auto find(R&& r, const T& value, Projection projection = {}) {
  return std::find_if(begin(r), end(r),
                      [&](const auto& x) { return std::invoke(projection, x) == value; });
}
template <class R, class T, class Projection = identity>
constexpr auto count(R&& r, const T& value, Projection projection = {}) {
  return std::count_if(begin(r), end(r),
                       [&](const auto& x) { return std::invoke(projection, x) == value; });
}
template <class A, class B, class Predicate = equal_to>
constexpr bool equal(A&& a, B&& b, Predicate predicate = {}) {
  return std::equal(begin(a), end(a), begin(b), end(b), predicate);
}

template <class In, class Out>
struct in_out_result {
  In in;
  Out out;
};
template <class R, class Out>
constexpr auto copy(R&& r, Out to) {
  return in_out_result<decltype(end(r)), Out>{end(r), std::copy(begin(r), end(r), to)};
}
template <class R, class T>
constexpr auto fill(R&& r, const T& value) {
  std::fill(begin(r), end(r), value);
  return end(r);
}
template <class R, class T>
constexpr auto replace(R&& r, const T& from, const T& to) {
  std::replace(begin(r), end(r), from, to);
  return end(r);
}

template <class R, class Compare = less, class Projection = identity>
constexpr auto sort(R&& r, Compare compare = {}, Projection projection = {}) {
  std::sort(begin(r), end(r), projected_compare(compare, projection));
  return end(r);
}
template <class R, class Compare = less, class Projection = identity>
constexpr auto stable_sort(R&& r, Compare compare = {}, Projection projection = {}) {
  std::stable_sort(begin(r), end(r), projected_compare(compare, projection));
  return end(r);
}
template <class R, class I>
constexpr auto nth_element(R&& r, I nth) {
  std::nth_element(begin(r), nth, end(r));
  return end(r);
}
template <class R>
constexpr auto unique(R&& r) {
  return subrange(std::unique(begin(r), end(r)), end(r));
}

template <class R, class T, class Compare = less, class Projection = identity>
constexpr auto lower_bound(R&& r, const T& value, Compare compare = {},
                           Projection projection = {}) {
  return std::lower_bound(begin(r), end(r), value, [&](const auto& x, const T& bound) {
    return std::invoke(compare, std::invoke(projection, x), bound);
  });
}
template <class R, class T, class Compare = less, class Projection = identity>
constexpr auto upper_bound(R&& r, const T& value, Compare compare = {},
                           Projection projection = {}) {
  return std::upper_bound(begin(r), end(r), value, [&](const T& bound, const auto& x) {
    return std::invoke(compare, bound, std::invoke(projection, x));
  });
}
template <class R, class T, class Compare = less, class Projection = identity>
constexpr auto equal_range(R&& r, const T& value, Compare compare = {},
                           Projection projection = {}) {
  return subrange(ranges::lower_bound(r, value, compare, projection),
                  ranges::upper_bound(r, value, compare, projection));
}
template <class R, class T>
constexpr bool binary_search(R&& r, const T& value) {
  return std::binary_search(begin(r), end(r), value);
}

template <class R, class Compare = less, class Projection = identity>
constexpr auto max_element(R&& r, Compare compare = {}, Projection projection = {}) {
  return std::max_element(begin(r), end(r), projected_compare(compare, projection));
}
template <class R, class Compare = less, class Projection = identity>
constexpr auto min_element(R&& r, Compare compare = {}, Projection projection = {}) {
  return std::min_element(begin(r), end(r), projected_compare(compare, projection));
}
template <class R>
constexpr auto max(R&& r) {
  return *std::max_element(begin(r), end(r));
}
template <class R>
constexpr auto min(R&& r) {
  return *std::min_element(begin(r), end(r));
}
template <class T>
struct min_max_result {
  T min, max;
};
template <class R>
constexpr auto minmax(R&& r) {
  const auto found = std::minmax_element(begin(r), end(r));
  return min_max_result<remove_cvref_t<decltype(*begin(r))>>{*found.first, *found.second};
}

}  // namespace ranges
#endif

}  // namespace std
