#include "suffice/predict/sets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "suffice/core/error.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {
namespace {

/// The column of the lowest level that is at least as high; one past the last: none is.
Index level_for(double coverage) {
  Index j = 0;
  while (j < Calibration::coverage_count && Calibration::coverage_level(j) < coverage - 1e-12) ++j;
  return j;
}

}  // namespace

Index ClassSets::size(Index row) const {
  Index count = 0;
  for (Index c = 0; c < labels.size(); ++c) count += has(row, c);
  return count;
}

SetMaker::SetMaker(const Model& model, const SetOptions& options)
    : training_(Priors::from_counts(model)), allow_empty_(options.allow_empty) {
  if (!(options.coverage > 0 && options.coverage < 1))
    throw InvalidArgument("a coverage of " + name_of(options.coverage) + " cannot be promised",
                          "it is a share between 0 and 1, such as 0.9");
  if (!model.calibration() || model.calibration()->thresholds.size() == 0)
    throw InvalidArgument(
        "sets need scores of rows that were held out, which this model does not have",
        "fit chooses and calibrates a model that has them unless its covariance is named; "
        "calibrate finds them by rows of your own");
  const Matrix& thresholds = model.calibration()->thresholds;
  const Index level = level_for(options.coverage), classes = model.labels().size();
  thresholds_ = Vector(classes);
  for (Index c = 0; c < classes; ++c) {
    if (level < thresholds.cols())
      thresholds_[c] = thresholds(options.per_class ? c + 1 : 0, level);
    possible_.push_back(model.weights()[c] > 0);
  }
}

ClassSets SetMaker::operator()(LogLikelihoods scores, const Execution& execution) const {
  ClassSets result{.labels = training_.labels(), .rows = scores.rows(), .members = {}};
  const Index classes = result.labels.size();
  const Matrix posterior = posteriors(std::move(scores), training_, execution);
  result.members.resize(at(result.rows * classes));
  for (Index i = 0; i < result.rows; ++i) {
    const std::span<const double> row = posterior.row(i);
    std::uint8_t* members = result.members.data() + i * classes;
    for (Index c = 0; c < classes; ++c)
      members[c] = possible_[at(c)] && row[at(c)] >= thresholds_[c];
    if (!allow_empty_) members[std::ranges::max_element(row) - row.begin()] = 1;
  }
  return result;
}

ClassSets class_sets(const Model& model, const RowBlock& rows, const SetOptions& options,
                     const Execution& execution) {
  const SetMaker make(model, options);
  return make(calibrated_scores(model, rows, {.relative = true}, execution), execution);
}

void SetFigures::add(const ClassSets& sets, std::span<const Index> truth,
                     std::span<const double> weights) {
  const Index classes = sets.labels.size();
  if (class_rows.size() != classes) {
    labels = sets.labels;
    class_rows = Vector(classes);
    class_covered = Vector(classes);
  }
  for (Index i = 0; i < sets.rows; ++i) {
    const Index c = truth[at(i)];
    if (c < 0) continue;
    const double weight = weights.empty() ? 1 : weights[at(i)],
                 size = static_cast<double>(sets.size(i));
    const bool is_covered = sets.has(i, c);
    rows += weight;
    members += weight * size;
    if (size == 0) empty += weight;
    class_rows[c] += weight;
    if (is_covered) {
      covered += weight;
      class_covered[c] += weight;
    }
  }
}

}  // namespace suffice
