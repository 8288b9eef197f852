#pragma once
// The scores of rows by models that were estimated without them, kept until all are there, and the
// calibration that they ask for.

#include <cstdint>
#include <vector>

#include "suffice/calibrate/fit_calibration.hpp"
#include "suffice/core/matrix.hpp"

namespace suffice {

class CalibratedFolds {
 public:
  struct Shape {
    Index rows, classes, blocks, candidates;
    std::uint64_t seed;
  };
  explicit CalibratedFolds(const Shape& shape);

  /// Whether the row of this number is kept: all are, where their scores fit into 400 MB; otherwise
  /// a share of them that the seed draws.
  bool keeps(Index row) const;

  /// Some rows of a fold.
  struct Part {
    Index fold = 0;
    std::vector<Index> truth = {};
    std::vector<double> weights = {};
    std::vector<std::vector<Matrix>> scores = {};  ///< per candidate and block
  };
  void add(Part part);
  std::vector<Part>& parts() noexcept { return parts_; }

  /// By all rows that are kept, or 50 000 of them that the seed draws. The priors are the
  /// frequencies of the classes.
  CalibrationFit fit(Index candidate, const Vector& class_weights) const;

 private:
  Shape shape_;
  double share_;  ///< of the rows that are kept
  std::vector<Part> parts_;
};

}  // namespace suffice
