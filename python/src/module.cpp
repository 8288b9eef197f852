// suffice._core: the engine for Python's side of the package. Everything here is private to it; the
// public types are written in Python around these.

#include <nanobind/nanobind.h>

#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The compiled engine behind the package suffice.";
  module.attr("__version__") = SUFFICE_VERSION;
  // Schemas that Python keeps for the life of the process are no leaks.
  nanobind::set_leak_warnings(false);
  suffice::python::bind_errors(module);
  suffice::python::bind_schema(module);
  suffice::python::bind_rows(module);
  suffice::python::bind_files(module);
  suffice::python::bind_statistics(module);
  suffice::python::bind_model(module);
  suffice::python::bind_calibrate(module);
  suffice::python::bind_evaluate(module);
  suffice::python::bind_select(module);
  suffice::python::bind_fit(module);
  suffice::python::bind_encode(module);
  suffice::python::bind_functions(module);
  suffice::python::bind_plot(module);
  suffice::python::bind_sql(module);
  suffice::python::bind_drift(module);
}
