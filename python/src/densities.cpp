// Densities as dictionaries of arrays, the way the public model shows them, and back.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <concepts>

#include "arrays.hpp"
#include "bindings.hpp"
#include "fields.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice::python {
namespace {

nb::object item(const nb::dict& given, const std::string& key) {
  if (!given.contains(key.c_str())) throw InvalidArgument("a density lacks the key '" + key + "'");
  return given[key.c_str()];
}

Doubles doubles(const nb::handle& value, const std::string& what) {
  Doubles array;
  if (!nb::try_cast(value, array))
    throw InvalidArgument("'" + what + "' of a density is no array of numbers");
  return array;
}

/// One matrix of the given shape, from the `position`-th piece of an array.
Matrix piece(const Doubles& array, Index position, Index rows, Index cols) {
  Matrix result(rows, cols);
  std::copy_n(array.data() + position * rows * cols, rows * cols, result.data());
  return result;
}

std::vector<Matrix> covariances(const Doubles& array, Covariance structure, Index classes,
                                Index d) {
  const Index matrices = structure == Covariance::full ? classes : 1;
  const Index rows = is_dense(structure) ? d : is_tied(structure) ? 1 : classes;
  const Index cols = is_spherical(structure) ? 1 : d;
  if (static_cast<Index>(array.size()) != matrices * rows * cols)
    throw InvalidArgument(
        "a covariance of structure '" + std::string(to_string(structure)) + "' over " +
        std::to_string(classes) + " classes and " + std::to_string(d) + " features has " +
        std::to_string(matrices * rows * cols) + " numbers, not " + std::to_string(array.size()));
  std::vector<Matrix> result;
  for (Index m = 0; m < matrices; ++m) result.push_back(piece(array, m, rows, cols));
  return result;
}

/// Reads the members of a density, as its struct lists them.
template <class T>
class FromDict {
 public:
  FromDict(const nb::dict& given, T& of) : given_(given), of_(of) {}

  void read() {
    for_each_field<T>([&](const auto& field) {
      const std::string key(field.name);
      if constexpr (std::same_as<T, GaussianDensity>)
        if (field.layout == Layout::by_structure && given_.contains("thin")) return;
      if (field.presence == Presence::always || given_.contains(key.c_str()))
        get(item(given_, key), key, field.layout, field(of_));
    });
  }

 private:
  void get(const nb::object& from, const std::string&, Layout, Covariance& value) {
    value = covariance_from_string(nb::cast<std::string>(from));
  }
  void get(const nb::object& from, const std::string& key, Layout, Vector& value) {
    value = vector_of(doubles(from, key), "'" + key + "'");
  }
  void get(const nb::object& from, const std::string& key, Layout layout, Matrix& value) {
    const Doubles array = doubles(from, key);
    value = layout == Layout::column && array.ndim() == 1
                ? piece(array, 0, static_cast<Index>(array.size()), 1)
                : matrix_of(array, "'" + key + "'");
  }
  void get(const nb::object& from, const std::string& key, Layout layout,
           std::vector<Matrix>& value) {
    if constexpr (std::same_as<T, GaussianDensity>) {
      if (layout == Layout::by_structure) {
        value = covariances(doubles(from, key), of_.structure, of_.mean.rows(), of_.mean.cols());
        return;
      }
    }
    for (const nb::handle matrix : nb::cast<nb::list>(from))
      value.push_back(matrix_of(doubles(matrix, key), "'" + key + "'"));
  }
  void get(const nb::object& from, const std::string& key, Layout, std::vector<Names>& value) {
    for (const auto& names : nb::cast<std::vector<std::vector<std::string>>>(from)) {
      value.emplace_back(names);
      if (value.back().list() != names)
        throw InvalidArgument("the " + key +
                              " of a density must be in order and without repetition");
    }
  }
  void get(const nb::object& from, const std::string&, Layout, std::vector<Words>& value) {
    for (const auto& words : nb::cast<std::vector<std::vector<std::string>>>(from))
      value.emplace_back(words);
  }
  void get(const nb::object& from, const std::string&, Layout,
           std::vector<std::vector<std::string>>& value) {
    value = nb::cast<std::vector<std::vector<std::string>>>(from);
  }
  void get(const nb::object& from, const std::string& key, Layout, std::vector<Vector>& value) {
    for (const nb::handle numbers : nb::cast<nb::list>(from))
      value.push_back(vector_of(doubles(numbers, key), "'" + key + "'"));
  }
  void get(const nb::object& from, const std::string&, Layout, EventModel& value) {
    value = event_model_from_string(nb::cast<std::string>(from));
  }
  void get(const nb::object& from, const std::string&, Layout, std::vector<Index>& value) {
    value = nb::cast<std::vector<Index>>(from);
  }
  void get(const nb::object& from, const std::string&, Layout, LinearMap& value) {
    FromDict<LinearMap>(nb::cast<nb::dict>(from), value).read();
  }
  void get(const nb::object& from, const std::string&, Layout, ThinCovariance& value) {
    FromDict<ThinCovariance>(nb::cast<nb::dict>(from), value).read();
  }

  const nb::dict& given_;
  T& of_;
};

nb::dict density_as_dict(const Density& density) {
  nb::dict result;
  result["family"] = nb::cast(std::string(to_string(family_of(density))));
  std::visit([&](const auto& of) { add_fields(result, of); }, density);
  return result;
}

Density density_of(const nb::dict& given) {
  Density density = empty_density(family_from_string(nb::cast<std::string>(item(given, "family"))));
  std::visit([&]<class T>(T& of) { FromDict<T>(given, of).read(); }, density);
  return density;
}

}  // namespace

nb::list to_python(const std::vector<Density>& densities) {
  nb::list result;
  for (const Density& density : densities) result.append(density_as_dict(density));
  return result;
}

std::vector<Density> densities_of(const nb::list& given) {
  std::vector<Density> result;
  for (const nb::handle one : given) result.push_back(density_of(nb::cast<nb::dict>(one)));
  return result;
}

}  // namespace suffice::python
