// Calibrating a model by rows with labels.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "fields.hpp"
#include "options.hpp"
#include "rows.hpp"
#include "suffice/calibrate/calibrator.hpp"
#include "suffice/left_out/leave_one_out.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

/// The model with what the rows ask for, and what they say of it.
std::pair<nb::dict, Model> calibration_of(const Calibrator& self, const Model& model,
                                          const std::string& method) {
  const CalibrationFit fit = self.finish({.method = calibration_method_from_string(method)});
  nb::dict found;
  found["rows"] = fit.rows;
  found["class_rows"] = to_numpy(self.class_rows());
  found["unknown_label_rows"] = self.unknown_label_rows();
  found["impossible"] = fit.impossible;
  found["log_loss_before"] = fit.log_loss_before;
  found["log_loss"] = fit.log_loss;
  return {found, model.with_calibration(fit.calibration)};
}

}  // namespace

void bind_calibrate(nb::module_& module) {
  nb::class_<Calibrator>(module, "Calibrator", "Scores of labelled rows, to calibrate a model by.")
      .def(nb::init<const Model&>(), "model"_a, nb::keep_alive<1, 2>())
      .def(
          "add",
          [](Calibrator& self, const Rows& rows, int threads) {
            call(threads, rows.size(),
                 [&](const Execution& execution) { self.add(rows.block(), execution); });
          },
          "rows"_a, "threads"_a = 0)
      .def("finish", calibration_of, "model"_a, "method"_a);
}

}  // namespace suffice::python
