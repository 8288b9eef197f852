#include "cli/verbs/scoring.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/output/text.hpp"

namespace suffice::cli {
namespace {

void warn_of_unknown_levels(const Schema& schema, const std::vector<double>& cells,
                            Terminal& terminal) {
  for (Index j = 0; j < std::ssize(cells); ++j)
    if (const double count = cells[static_cast<std::size_t>(j)]; count > 0) {
      if (schema.feature(j).family == Family::text) {
        terminal.note("column '" + schema.feature(j).name + "' has " + counted(count, "word") +
                      " that the model does not know; they have no part in the scores");
        continue;
      }
      const Boxed<Indicator>& indicator = schema.feature(j).indicator;
      terminal.warn("column '" + schema.feature(j).column() + "' has " + counted(count, "value") +
                    " that the model has not seen in training; such cells count as " +
                    (indicator ? "'" + indicator->reference + "', the most frequent one"
                               : std::string("missing")));
    }
}

/// Enough that each of many threads has several tasks; but the scores of a block take 16 MB, or 32
/// for many classes. Sparse rows of many columns would fill large blocks.
Index rows_of_scores(const Model& model, bool sparse) {
  const Index classes = model.labels().size();
  constexpr Index usual = Index{1} << 21, at_most = Index{1} << 22, many_rows = 16384;
  if (sparse) return std::max(std::min(many_rows, at_most / classes), Index{64});
  return std::max({usual / classes, std::min(many_rows, at_most / classes), Index{64}});
}

}  // namespace

void score_table(const Context& context, Table& table, const Plan& plan, const Model& model,
                 const Decision& decision, const Wanted& wanted,
                 const std::function<void(const ScoredRows&)>& use, Index numbers) {
  if (wanted.log_likelihoods) require_densities(model, "--output loglik");
  if (wanted.log_densities) require_densities(model, "--output logpx");
  Predictor predictor(model, {.priors = decision.priors,
                              .costs = decision.costs,
                              .reject = decision.reject,
                              .outlier = decision.outlier,
                              .wanted = wanted,
                              .seed = context.options.seed});
  table.select(plan.selection);
  std::vector<double> unknown_levels;  // per feature; empty: none
  double unprojected_rows = 0;
  constexpr Index most_numbers = Index{1} << 22;
  const Index rows_at_once = std::min(rows_of_scores(model, table.is_sparse()),
                                      std::max<Index>(most_numbers / numbers, 64));
  for (Rows rows = table.make_rows(rows_at_once); table.next(rows);) {
    const RowBlock block = view(plan, rows);
    const Predictions* answers = nullptr;
    with_places(rows, [&] { answers = &predictor(block, context.execution); });
    for (std::size_t j = 0; j < answers->unknown_levels.size(); ++j) {
      if (answers->unknown_levels[j] == 0) continue;
      unknown_levels.resize(answers->unknown_levels.size());
      unknown_levels[j] += static_cast<double>(answers->unknown_levels[j]);
    }
    unprojected_rows += static_cast<double>(answers->unprojected_rows);
    use({rows, block, *answers});
    const Extent extent = table.extent();
    context.terminal.progress("scoring", {extent.done, extent.total, table.rows_read()});
  }
  context.terminal.end_progress();
  warn_of_unknown_levels(model.schema(), unknown_levels, context.terminal);
  if (table.skipped_values() > 0)
    context.terminal.note(counted(static_cast<double>(table.skipped_values()), "value") +
                          " in columns that the model does not have; they have no part in the "
                          "scores");
  if (unprojected_rows > 0)
    context.terminal.warn(counted(unprojected_rows, "row") +
                          (unprojected_rows == 1 ? " lacks" : " lack") +
                          " a number that the projection needs; only the other columns and the "
                          "prior decide there");
}

}  // namespace suffice::cli
