#pragma once
// Structs that list their members (suffice/core/fields.hpp) as dictionaries of arrays.

#include <nanobind/nanobind.h>

#include <concepts>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "suffice/core/fields.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/models/model.hpp"

namespace suffice::python {

/// Adds the members that are shown to a dictionary, under their names.
template <HasFields T>
void add_fields(nb::dict& result, const T& of);

/// The numbers of a matrix as a vector.
inline OutArray numbers_of(const Matrix& matrix) {
  return to_numpy(Vector(std::span<const double>(matrix.data(), matrix.size())));
}

inline nb::object to_object(Covariance value) { return nb::cast(std::string(to_string(value))); }
inline nb::object to_object(const Vector& value) { return nb::cast(to_numpy(value)); }
inline nb::object to_object(const Matrix& value) { return nb::cast(to_numpy(value)); }
inline nb::object to_object(const std::vector<Index>& value) { return nb::cast(value); }
inline nb::object to_object(const Names& value) { return nb::cast(value.list()); }
inline nb::object to_object(const Words& value) { return nb::cast(value.list()); }
inline nb::object to_object(const std::vector<std::string>& value) { return nb::cast(value); }
inline nb::object to_object(EventModel value) { return nb::cast(std::string(to_string(value))); }
inline nb::object to_object(const LinearMap& value) {
  nb::dict result;
  add_fields(result, value);
  return result;
}
inline nb::object to_object(const ThinCovariance& value) {
  nb::dict result;
  add_fields(result, value);
  return result;
}
template <class Value>
nb::object to_object(const std::vector<Value>& values) {
  nb::list result;
  for (const Value& value : values) result.append(to_object(value));
  return result;
}

/// Covariances without the dimensions that their structure does not need.
inline nb::object covariance_to_python(const GaussianDensity& density) {
  const Index d = density.mean.cols();
  switch (density.structure) {
    case Covariance::full: {
      std::vector<const Matrix*> all;
      for (const Matrix& matrix : density.covariance) all.push_back(&matrix);
      return nb::cast(to_numpy(all, d, d));
    }
    case Covariance::tied:
    case Covariance::diag:
      return to_object(density.covariance.front());
    case Covariance::tied_diag:
    case Covariance::spherical:
    case Covariance::tied_spherical:
      break;
  }
  return nb::cast(numbers_of(density.covariance.front()));
}

template <HasFields T>
void add_fields(nb::dict& result, const T& of) {
  for_each_field<T>([&](const auto& field) {
    if (!field.is_shown(of)) return;
    if constexpr (std::same_as<T, GaussianDensity>)
      if (field.layout == Layout::by_structure && !of.thin.empty()) return;
    nb::object value = to_object(field(of));
    if constexpr (std::same_as<T, GaussianDensity>) {
      if (field.layout == Layout::by_structure) value = covariance_to_python(of);
      if constexpr (std::same_as<std::decay_t<decltype(field(of))>, Matrix>)
        if (field.layout == Layout::column && field(of).cols() == 1)
          value = nb::cast(numbers_of(field(of)));
    }
    result[std::string(field.name).c_str()] = value;
  });
}

}  // namespace suffice::python
