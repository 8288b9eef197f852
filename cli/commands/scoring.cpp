#include "cli/commands/scoring.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/text.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/score/outlier.hpp"

namespace suffice::cli {
namespace {

void warn_of_unknown_levels(const Schema& schema, const std::vector<double>& cells,
                            Terminal& terminal) {
  for (Index j = 0; j < schema.size(); ++j)
    if (const double count = cells[static_cast<std::size_t>(j)]; count > 0) {
      const std::optional<Indicator>& indicator = schema.feature(j).indicator;
      terminal.warn("column '" + schema.feature(j).column() + "' has " + counted(count, "value") +
                    " that the model has not seen in training; such cells count as " +
                    (indicator ? "'" + indicator->reference + "', the most frequent one"
                               : std::string("missing")));
    }
}

/// A block's scores stay in the cache until they have been used.
Index rows_of_scores(const Model& model) {
  return std::max<Index>((Index{15} << 17) / (8 * model.labels().size()), 1024);
}

}  // namespace

void score_table(const Context& context, Table& table, const Plan& plan, const Model& model,
                 const Decision& decision, const Wanted& wanted,
                 const std::function<void(const ScoredRows&)>& use) {
  const bool needs_outlier_scores = wanted.outlier_scores || decision.outlier;
  const ScoreOptions score_options = {.relative = !wanted.log_likelihoods &&
                                                  !wanted.log_densities && !needs_outlier_scores};
  table.select(plan.selection);
  OutlierScorer score_outliers(
      model, decision.priors.probabilities(),
      {.seed = context.options.seed, .level = decision.outlier.value_or(0)});
  std::vector<double> unknown_levels(static_cast<std::size_t>(model.schema().size()));
  double unprojected_rows = 0;
  for (Rows rows = table.make_rows(rows_of_scores(model)); table.next(rows);) {
    const RowBlock block = view(plan, rows);
    LogLikelihoods plain, weighed;
    Vector outlier_scores, log_densities;
    with_places(rows, [&] {
      if (model.calibration()) {
        BlockScores blocks = block_scores(model, block, score_options, context.execution);
        if (wanted.uncalibrated || !score_options.relative) plain = added_up(blocks);
        weighed = calibrated(std::move(blocks), *model.calibration());
      } else {
        plain = log_likelihood(model, block, score_options, context.execution);
      }
      if (needs_outlier_scores) outlier_scores = score_outliers(block, plain, context.execution);
    });
    const LogLikelihoods& scores = model.calibration() ? weighed : plain;
    if (wanted.log_densities) log_densities = log_density(plain, decision.priors);
    for (std::size_t j = 0; j < scores.unknown_levels.size(); ++j)
      unknown_levels[j] += static_cast<double>(scores.unknown_levels[j]);
    unprojected_rows += static_cast<double>(scores.unprojected_rows);
    use({rows, scores, plain, log_densities, outlier_scores});
    const Extent extent = table.extent();
    context.terminal.progress("scoring", {extent.done, extent.total, table.rows_read()});
  }
  context.terminal.end_progress();
  warn_of_unknown_levels(model.schema(), unknown_levels, context.terminal);
  if (unprojected_rows > 0)
    context.terminal.warn(counted(unprojected_rows, "row") +
                          (unprojected_rows == 1 ? " lacks" : " lack") +
                          " a number that the projection needs; only the other columns and the "
                          "prior decide there");
}

}  // namespace suffice::cli
