#include "score/score_rows.hpp"

#include <vector>

#include "core/constants.hpp"
#include "data/row_checks.hpp"
#include "score/tiles.hpp"

namespace suffice {
namespace {

struct MakeScorer {
  const ScorerInput& input;

  auto operator()(const GaussianFactor&) const { return make_gaussian_scorer(input); }
  auto operator()(const CountFactor&) const { return make_count_scorer(input); }
  auto operator()(const CategoricalFactor&) const { return make_categorical_scorer(input); }
};

Scorers make_scorers(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                     const ProjectedRows& projected, Workers& workers, Unscored& unscored) {
  Scorers scorers;
  for (std::size_t b = 0; b < model.schema().blocks().size(); ++b) {
    const ScorerInput input{model,           b,       rows,      options.relative,
                            options.missing, workers, &unscored, projected};
    scorers.push_back(std::visit(MakeScorer{input}, model.factors().blocks[b]));
  }
  return scorers;
}

}  // namespace

Unscored score_rows(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                    const ProjectedRows& projected, const Execution& execution, double* out,
                    const std::function<void(Index, Index, const double*)>& finish) {
  require_features(model.schema(), rows);
  const Index n = rows.rows(), classes = model.labels().size(), d = model.schema().size();
  Unscored unscored(d);
  std::vector<Index> empty_classes;
  for (Index c = 0; c < classes; ++c) {
    if (model.weights()[c] == 0) empty_classes.push_back(c);
  }
  score_tiles(
      {n, d, classes, out}, execution,
      [&](Workers& workers) {
        return make_scorers(model, rows, options, projected, workers, unscored);
      },
      [&](Index first, Index count, double* scores) {
        for (const Index c : empty_classes) {
          for (Index r = 0; r < count; ++r) scores[r * classes + c] = -infinity;
        }
        finish(first, count, scores);
      });
  return unscored;
}

LogLikelihoods log_likelihood(const Model& model, const RowBlock& rows,
                              const ProjectedRows& projected, const ScoreOptions& options,
                              const Execution& execution) {
  LogLikelihoods result;
  result.values = Matrix(rows.rows(), model.labels().size());
  result.labels = model.labels();
  result.relative = options.relative;
  score_rows(model, rows, options, projected, execution, result.values.data(),
             [](Index, Index, const double*) {})
      .tell(result);
  return result;
}

}  // namespace suffice
