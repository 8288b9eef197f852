#pragma once
// Objects of Python that several threads may use at the same time: functions that take one by
// reference get the version of that moment, which nobody changes.

#include <nanobind/nanobind.h>

#include "call.hpp"
#include "core/shared.hpp"
#include "suffice/stats/reservoir.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice::python {

/// Waits without the interpreter's lock, which the thread that is waited for may want.
template <class T>
typename Shared<T>::Reading version_of(const Shared<T>& shared) {
  if (auto now = shared.try_read()) return *std::move(now);
  const WithoutLock without_lock;
  return shared.read();
}

/// How nanobind hands a T over where the class that Python knows is Shared<T>.
template <class T>
struct SharedCaster {
  using Object = nb::detail::make_caster<Shared<T>>;
  using Value = T;
  static constexpr auto Name = Object::Name;
  template <class Wanted>
  using Cast = std::conditional_t<std::is_pointer_v<Wanted>, const T*, const T&>;

  bool from_python(nb::handle source, std::uint32_t flags,
                   nb::detail::cleanup_list* cleanup) noexcept {
    Object object;
    if (!object.from_python(source, flags, cleanup)) return false;
    if (const Shared<T>* shared = object) reading_.emplace(version_of(*shared));
    return true;
  }
  static nb::handle from_cpp(T value, nb::rv_policy, nb::detail::cleanup_list* cleanup) noexcept {
    return Object::from_cpp(Shared<T>(std::move(value)), nb::rv_policy::move, cleanup);
  }
  template <class Wanted>
  bool can_cast() const noexcept {
    return std::is_pointer_v<Wanted> || reading_.has_value();
  }
  operator const T*() const { return reading_ ? &**reading_ : nullptr; }
  operator const T&() const { return **reading_; }

 private:
  std::optional<typename Shared<T>::Reading> reading_;
};

}  // namespace suffice::python

namespace nanobind::detail {

template <>
struct type_caster<suffice::Statistics> : suffice::python::SharedCaster<suffice::Statistics> {};
template <>
struct type_caster<suffice::Reservoir> : suffice::python::SharedCaster<suffice::Reservoir> {};

}  // namespace nanobind::detail
