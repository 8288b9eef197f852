#include "figures.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"

namespace suffice::python {
namespace {

struct FigureObject {
  nb::object operator()(double value) const { return nb::cast(value); }
  nb::object operator()(bool value) const { return nb::cast(value); }
  nb::object operator()(const std::string& value) const { return nb::cast(value); }
  nb::object operator()(const Figure::Strings& value) const { return nb::cast(value); }
  nb::object operator()(const Names& value) const { return nb::cast(value.list()); }
  nb::object operator()(const Vector& value) const { return nb::cast(to_numpy(Vector(value))); }
  nb::object operator()(const Matrix& value) const { return nb::cast(to_numpy(Matrix(value))); }
  nb::object operator()(const Matrix* value) const { return (*this)(*value); }
  nb::object operator()(const Figure::Record& value) const { return to_python(value); }
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const std::vector<Figure::Record>& value) const {
    nb::list list;
    for (const Figure::Record& record : value) list.append(to_python(record));
    return list;
  }
};

}  // namespace

nb::dict to_python(const std::vector<Figure>& figures) {
  nb::dict result;
  for (const Figure& figure : figures)
    result[figure.name.c_str()] = std::visit(FigureObject{}, figure.value);
  return result;
}

}  // namespace suffice::python
