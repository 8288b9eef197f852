#include "select/calibrated_folds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.hpp"

namespace suffice {
namespace {

constexpr double most_kept_numbers = 5e7;
constexpr double most_fitted_rows = 50'000;

/// Drawn by the number of the row alone.
bool is_drawn(std::uint64_t seed, Index row, double share) {
  return share >= 1 || RowRandom(seed, static_cast<std::uint64_t>(row)).uniform() < share;
}

}  // namespace

CalibratedFolds::CalibratedFolds(const Shape& shape)
    : shape_(shape),
      share_(most_kept_numbers /
             (static_cast<double>(shape.rows) * static_cast<double>(shape.classes) *
              static_cast<double>(shape.blocks) * static_cast<double>(shape.candidates))) {}

bool CalibratedFolds::keeps(Index row) const { return is_drawn(shape_.seed, row, share_); }

void CalibratedFolds::add(Part part) { parts_.push_back(std::move(part)); }

CalibrationFit CalibratedFolds::fit(Index candidate, const Vector& class_weights) const {
  double rows = 0;
  for (const Part& part : parts_) rows += static_cast<double>(part.truth.size());
  const double share = most_fitted_rows / rows;
  std::vector<std::pair<const Part*, Index>> used;  // rows of parts
  Index number = 0;
  for (const Part& part : parts_)
    for (Index i = 0; i < std::ssize(part.truth); ++i)
      if (is_drawn(shape_.seed + 1, number++, share)) used.emplace_back(&part, i);
  // A mixture counts as one block.
  const std::size_t blocks =
      used.empty() ? static_cast<std::size_t>(shape_.blocks)
                   : used.front().first->scores[static_cast<std::size_t>(candidate)].size();
  std::vector<Matrix> scores(blocks, Matrix(std::ssize(used), shape_.classes));
  std::vector<Index> labels;
  std::vector<double> weights, log_priors;
  for (std::size_t r = 0; r < used.size(); ++r) {
    const auto& [part, i] = used[r];
    labels.push_back(part->truth[i]);
    weights.push_back(part->weights[i]);
    for (std::size_t b = 0; b < scores.size(); ++b)
      std::ranges::copy(part->scores[candidate][b].row(i),
                        scores[b].row(static_cast<Index>(r)).begin());
  }
  for (const double weight : class_weights)
    log_priors.push_back(std::log(weight / class_weights.map().sum()));
  return fit_calibration(scores, labels, weights, log_priors);
}

}  // namespace suffice
