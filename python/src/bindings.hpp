#pragma once
// One function for each part of the module.

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "shared.hpp"
#include "suffice/core/error.hpp"
#include "suffice/data/schema.hpp"
#include "suffice/draw/plot.hpp"
#include "suffice/models/model.hpp"
#include "suffice/stats/remarks.hpp"

namespace suffice::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_schema(nb::module_& module);
void bind_rows(nb::module_& module);
void bind_files(nb::module_& module);
void bind_statistics(nb::module_& module);
void bind_model(nb::module_& module);
void bind_decide(nb::module_& module, nb::class_<Model>& model);
void bind_calibrate(nb::module_& module);
void bind_evaluate(nb::module_& module);
void bind_evidence(nb::module_& module, nb::class_<Model>& model);
void bind_export(nb::module_& module, nb::class_<Model>& model);
void bind_logistic(nb::module_& module, nb::class_<Model>& model);
void bind_select(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_encode(nb::module_& module);
void bind_functions(nb::module_& module);
void bind_plot(nb::module_& module);
void bind_sql(nb::module_& module);
void bind_drift(nb::module_& module);

/// A message with options as arguments of Python.
std::string text_of(const Sentence& message);

nb::dict to_python(const Picture& picture);
/// Sentence, remedy and columns of each.
nb::list to_python(const std::vector<Remark>& remarks);

/// Densities as dictionaries of arrays, and back.
nb::list to_python(const std::vector<Density>& densities);
std::vector<Density> densities_of(const nb::list& given);

}  // namespace suffice::python
