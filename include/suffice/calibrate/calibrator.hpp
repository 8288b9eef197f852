#pragma once
// Calibrating a model by rows of one's own, which had no part in its training:
//
//   Calibrator calibrator(model);
//   for (RowBlock rows : blocks) calibrator.add(rows);
//   const Model calibrated = model.with_calibration(calibrator.finish().calibration);
//
// It keeps the scores of the rows: as many numbers a row as the model has classes, times blocks.

#include <limits>
#include <memory>
#include <string_view>

#include "suffice/calibrate/fit_calibration.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

enum class CalibrationMethod {
  affine,    ///< scales and offsets
  isotonic,  ///< two classes: then also a monotone function of the ratio
};
std::string_view to_string(CalibrationMethod method);  ///< "affine", "isotonic"
CalibrationMethod calibration_method_from_string(std::string_view name);

struct CalibratorOptions {
  CalibrationMethod method = CalibrationMethod::affine;
  /// Rows of one's own may say that ratios are not steep enough.
  double largest_scale = std::numeric_limits<double>::infinity();
};

class Calibrator {
 public:
  /// Keeps a view of the model, whose own calibration is not looked at.
  explicit Calibrator(const Model& model);
  ~Calibrator();
  Calibrator(Calibrator&&) noexcept;
  Calibrator& operator=(Calibrator&&) noexcept;

  /// Labelled rows. Throws as log_likelihood, and InvalidArgument where rows have no labels.
  void add(const RowBlock& rows, const Execution& execution = {});

  const Vector& class_rows() const noexcept;   ///< weights of the rows of each class so far
  double unknown_label_rows() const noexcept;  ///< of rows whose label the model does not know

  /// The frequencies of the rows are the priors of the fit, so that they are divided out. Throws
  /// InvalidArgument where fewer than two classes have rows, no row is possible in its own class,
  /// or an isotonic calibration is asked of a model that has not two classes.
  CalibrationFit finish(const CalibratorOptions& options = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace suffice
