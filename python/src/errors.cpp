// The engine's exceptions as Python's: what was wrong is a ValueError, a file an OSError, and each
// carries what a program needs beside the sentence.

#include <nanobind/eval.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>

#include "bindings.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

/// The classes, alive as long as the module: an extension module is never unloaded.
struct ErrorTypes {
  PyObject *error, *invalid_argument, *data, *singular, *file;
};

void raise(PyObject* type, const std::exception& error,
           std::initializer_list<std::pair<const char*, nb::object>> attributes) {
  nb::object value = nb::borrow(type)(nb::str(error.what()));
  for (const auto& [name, attribute] : attributes) value.attr(name) = attribute;
  PyErr_SetObject(type, value.ptr());
}

void translate(const std::exception_ptr& pointer, void* payload) {
  const ErrorTypes& types = *static_cast<const ErrorTypes*>(payload);
  try {
    std::rethrow_exception(pointer);
  } catch (const DataError& e) {
    raise(types.data, e,
          {{"row", e.where().row < 0 ? nb::none() : nb::cast(e.where().row)},
           {"feature", nb::cast(e.where().feature)},
           {"label", nb::cast(e.where().label)}});
  } catch (const SingularError& e) {
    raise(types.singular, e,
          {{"label", nb::cast(e.label())},
           {"rank", nb::cast(e.rank())},
           {"dimension", nb::cast(e.dimension())},
           {"features", nb::cast(e.features())}});
  } catch (const FileError& e) {
    raise(types.file, e, {{"filename", nb::cast(e.path())}});
  } catch (const InvalidArgument& e) {
    raise(types.invalid_argument, e, {});
  } catch (const Cancelled& e) {
    PyErr_SetString(PyExc_KeyboardInterrupt, e.what());
  } catch (const Error& e) {
    raise(types.error, e, {});
  }
}

PyObject* make_type(nb::module_& module, const char* name, PyObject* base, const char* doc,
                    const nb::dict& members = {}) {
  const std::string full = std::string("suffice.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, members.ptr());
  if (!type) throw nb::python_error();
  module.attr(name) = nb::borrow(type);
  return type;
}

}  // namespace

void bind_errors(nb::module_& module) {
  static ErrorTypes types;
  types.error = make_type(module, "Error", PyExc_ValueError,
                          "The base of what the engine refuses, but for files.");
  types.invalid_argument =
      make_type(module, "InvalidArgument", types.error,
                "An option, a shape or a name that cannot be right whatever the data.");
  types.data = make_type(module, "DataError", types.error,
                         "Data that a family cannot describe; has row, feature and label.");
  types.singular = make_type(
      module, "SingularError", types.error,
      "A covariance without inverse; has label, rank, dimension and the dependent features.");
  nb::dict members;  // an OSError with a filename would show that in place of the sentence
  members["__str__"] = nb::eval("lambda error: str(error.args[0])");
  types.file = make_type(module, "FileError", PyExc_OSError,
                         "A file that cannot be read or written; has filename.", members);
  nb::register_exception_translator(translate, &types);
}

}  // namespace suffice::python
