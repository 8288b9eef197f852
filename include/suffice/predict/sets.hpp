#pragma once
// Which classes remain possible? Sets of classes that contain the true one as often as is asked.
//
//   const ClassSets found = class_sets(model, rows, {.coverage = 0.9});
//   found.has(0, c) …
//
// A class is in the set where its posterior, under the frequencies of the classes in training,
// reaches the threshold that a share `coverage` of the held-out rows reached with their own class:
// split conformal prediction with the scores that `fit`, `select` or Calibrator have anyway. The
// promise is about all rows together and rows like those held out; with `per_class` it is about the
// rows of each class, and holds whatever the shares of the classes are.

#include <cstdint>
#include <span>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/core/names.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/decide/priors.hpp"
#include "suffice/models/model.hpp"
#include "suffice/score/log_likelihoods.hpp"

namespace suffice {

struct SetOptions {
  double coverage = 0.9;  ///< between 0 and 1; a level that is not stored becomes the next higher
  bool per_class = false;
  /// Otherwise the most probable class is in every set, which then covers more where classes are
  /// nearly always right.
  bool allow_empty = false;
};

struct ClassSets {
  Names labels;
  Index rows = 0;
  std::vector<std::uint8_t> members;  ///< rows × classes: 0 or 1

  bool has(Index row, Index label) const {
    return members[static_cast<std::size_t>(row * labels.size() + label)] != 0;
  }
  Index size(Index row) const;
};

/// Makes sets of scored rows.
class SetMaker {
 public:
  /// Throws InvalidArgument for a coverage that is no share, and for a model without held-out
  /// scores.
  explicit SetMaker(const Model& model, const SetOptions& options = {});

  /// `scores` are what decisions are made of: calibrated_scores.
  ClassSets operator()(LogLikelihoods scores, const Execution& execution = {}) const;

 private:
  Priors training_;
  std::vector<bool> possible_;  ///< per class: it has training rows
  Vector thresholds_;
  bool allow_empty_;
};

/// Throws as SetMaker and log_likelihood.
ClassSets class_sets(const Model& model, const RowBlock& rows, const SetOptions& options = {},
                     const Execution& execution = {});

/// How often sets contain the true class, and how large they are. Weights count rows.
struct SetFigures {
  Names labels = {};
  double rows = 0, covered = 0, members = 0, empty = 0;
  Vector class_rows = {}, class_covered = {};

  /// `truth`: positions of classes; rows below 0 do not count.
  /// Empty weights are 1.
  void add(const ClassSets& sets, std::span<const Index> truth,
           std::span<const double> weights = {});
  double coverage() const { return covered / rows; }
  double mean_size() const { return members / rows; }
};

}  // namespace suffice
