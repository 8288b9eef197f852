#include "score/best_classes.hpp"

#include <algorithm>
#include <utility>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "score/pruned_classes.hpp"
#include "score/score_rows.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {

BestClasses best_classes(const Model& model, const RowBlock& rows, std::span<const double> offset,
                         Missing missing, const Execution& execution) {
  if (can_prune(model))
    if (auto best = pruned_best_class(model, rows, offset, execution)) return {*std::move(best)};
  const ScoreOptions options{.relative = true, .missing = missing};
  if (model.calibration()) {
    LogLikelihoods scores = calibrated_scores(model, rows, options, execution);
    return {best_classes(scores.values, offset, execution), std::move(scores.unknown_levels),
            scores.unprojected_rows};
  }
  BestClasses result{std::vector<Index>(static_cast<std::size_t>(rows.rows()))};
  const double* added = offset.empty() ? nullptr : offset.data();
  score_rows({.model = model, .rows = rows, .options = options}, execution, nullptr, {},
             [&](Index first, Index count, const double* scores) {
               kernels::best_of_rows(scores, count, model.labels().size(), added,
                                     result.classes.data() + first);
             })
      .tell(result);
  return result;
}

std::vector<Index> best_classes(const Matrix& scores, std::span<const double> offset,
                                const Execution& execution) {
  constexpr Index piece = 1024;
  const Index rows = scores.rows(), pieces = (rows + piece - 1) / piece;
  std::vector<Index> best(static_cast<std::size_t>(rows));
  Workers(execution, pieces).run(pieces, [&](Index p, int) {
    kernels::best_of_rows(scores.row(p * piece).data(), std::min(piece, rows - p * piece),
                          scores.cols(), offset.empty() ? nullptr : offset.data(),
                          best.data() + p * piece);
  });
  return best;
}

}  // namespace suffice
