#include "suffice/score/block_scores.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "score/score_rows.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

LogLikelihoods without_values(BlockScores& scores) {
  LogLikelihoods result;
  result.labels = std::move(scores.labels);
  result.relative = scores.relative;
  result.unknown_levels = std::move(scores.unknown_levels);
  result.unprojected_rows = scores.unprojected_rows;
  return result;
}

/// 0 · −inf is −inf here.
double scaled(double scale, double score) { return score == -infinity ? score : scale * score; }

/// Linear between the knots, constant outside of them.
double mapped(const Calibration& calibration, double ratio) {
  const Vector &knots = calibration.knots, &values = calibration.values;
  const Index above = std::ranges::lower_bound(knots, ratio) - knots.begin();
  if (above == 0) return values[0];
  if (above == knots.size()) return values[above - 1];
  const double share = (ratio - knots[above - 1]) / (knots[above] - knots[above - 1]);
  return values[above - 1] + share * (values[above] - values[above - 1]);
}

}  // namespace

BlockScores block_scores(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                         const Execution& execution) {
  return score_blocks({.model = model, .rows = rows, .options = options}, execution);
}

LogLikelihoods added_up(BlockScores scores) {
  LogLikelihoods result = without_values(scores);
  if (scores.values.empty()) return result;
  result.values = std::move(scores.values.front());
  for (std::size_t b = 1; b < scores.values.size(); ++b)
    result.values.map() += scores.values[b].map();
  return result;
}

LogLikelihoods calibrated(BlockScores scores, const Calibration& calibration,
                          const Execution& execution) {
  const Index classes = scores.labels.size();
  if (calibration.scale.size() != std::ssize(scores.values) || calibration.offset.size() != classes)
    throw InvalidArgument("a calibration of " + std::to_string(calibration.scale.size()) +
                          " blocks and " + std::to_string(calibration.offset.size()) +
                          " classes does not fit scores of " +
                          std::to_string(scores.values.size()) + " blocks and " +
                          std::to_string(classes) + " classes");
  LogLikelihoods result = without_values(scores);
  result.relative = true;
  Matrix sum = std::move(scores.values.front());
  const auto calibrate_row = [&](Index i) {
    const std::span<double> row = sum.row(i);
    for (double& score : row) score = scaled(calibration.scale[0], score);
    for (std::size_t b = 1; b < scores.values.size(); ++b) {
      const double* const more = scores.values[b].row(i).data();
      for (Index c = 0; c < classes; ++c) row[c] += scaled(calibration.scale[b], more[c]);
    }
    for (Index c = 0; c < classes; ++c) row[c] += calibration.offset[c];
    if (calibration.knots.empty() || row[0] == -infinity || row[1] == -infinity) return;
    row[0] = mapped(calibration, row[0] - row[1]);
    row[1] = 0;
  };
  const Index piece = std::max<Index>(8192 / std::max<Index>(classes, 1), 1);
  const Index pieces = (sum.rows() + piece - 1) / piece;
  Workers(execution, pieces).run(pieces, [&](Index p, int) {
    for (Index i = p * piece; i < std::min(sum.rows(), (p + 1) * piece); ++i) calibrate_row(i);
  });
  result.values = std::move(sum);
  return result;
}

LogLikelihoods calibrated_scores(const Model& model, const RowBlock& rows,
                                 const ScoreOptions& options, const Execution& execution) {
  if (!model.calibration()) return log_likelihood(model, rows, options, execution);
  return calibrated(block_scores(model, rows, options, execution), *model.calibration(), execution);
}

}  // namespace suffice
