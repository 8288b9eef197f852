#include "score/score_rows.hpp"

#include <utility>
#include <vector>

#include "core/constants.hpp"
#include "data/indicator_reader.hpp"
#include "data/row_checks.hpp"
#include "score/mixed_scores.hpp"
#include "score/tiles.hpp"

namespace suffice {
namespace {

struct MakeScorer {
  const ScorerInput& input;

  auto operator()(const GaussianFactor& factor) const {
    return factor.thin.empty() ? make_gaussian_scorer(input) : make_thin_scorer(input);
  }
  auto operator()(const CountFactor&) const { return make_count_scorer(input); }
  auto operator()(const CategoricalFactor&) const { return make_categorical_scorer(input); }
  auto operator()(const TextFactor&) const { return make_text_scorer(input); }
};

/// Scores the components tile by tile, and hands on the scores of their classes.
Unscored score_mixture(const ScoreRequest& request, const Execution& execution, double* out,
                       const std::function<void(Index, Index, const double*)>& finish) {
  const MixedScores mixed(request.model);
  const Index classes = mixed.classes(), components = mixed.components();
  ScoreRequest of_components{.model = request.model.components(),
                             .rows = request.rows,
                             .options = request.options,
                             .projected = request.projected,
                             .make = request.make};
  return score_rows(of_components, execution, nullptr, {},
                    [&](Index first, Index count, const double* scores) {
                      Vector own(out ? 0 : count * classes);
                      double* const tile = out ? out + first * classes : own.data();
                      for (Index r = 0; r < count; ++r)
                        mixed(scores + r * components, tile + r * classes);
                      finish(first, count, tile);
                    });
}

}  // namespace

std::unique_ptr<BlockScorer> make_scorer(const ScorerInput& input) {
  if (input.model.logistic()) return make_logistic_scorer(input);
  return std::visit(MakeScorer{input}, input.model.factors().blocks[input.block]);
}

Unscored score_rows(const ScoreRequest& request, const Execution& execution, double* out,
                    std::vector<double*> apart,
                    const std::function<void(Index, Index, const double*)>& finish) {
  const Model& model = request.model;
  const RowBlock& rows = request.rows;
  if (model.mixture())
    return score_mixture(request, execution, apart.empty() ? out : apart.front(), finish);
  require_features(model.schema(), rows);
  if (request.options.missing == Missing::refuse) require_names_present(model.schema(), rows);
  const Index classes = model.labels().size(), d = model.schema().size();
  Unscored unscored(d);
  std::vector<Index> empty_classes;
  for (Index c = 0; c < classes; ++c)
    if (model.weights()[c] == 0) empty_classes.push_back(c);
  score_tiles(
      {rows.rows(), d, classes, out, std::move(apart)}, execution,
      [&](Workers& workers) {
        Scorers scorers;
        for (std::size_t b = 0; b < model.schema().blocks().size(); ++b)
          scorers.push_back(
              request.make({model, b, rows, request.options.relative, request.options.missing,
                            workers, &unscored, request.projected}));
        return scorers;
      },
      [&](Index first, Index count, double* scores) {
        bound_scores(scores, count, classes);
        for (const Index c : empty_classes)
          for (Index r = 0; r < count; ++r) scores[r * classes + c] = -infinity;
        finish(first, count, scores);
      });
  return unscored;
}

void score_rows(const ScoreRequest& request, const Execution& execution, LogLikelihoods& result) {
  const Index rows = request.rows.rows(), classes = request.model.labels().size();
  result.labels = request.model.labels();
  if (result.values.rows() != rows || result.values.cols() != classes)
    result.values = Matrix(rows, classes);
  result.relative = request.options.relative || request.model.logistic();
  score_rows(request, execution, result.values.data(), {}, [](Index, Index, const double*) {
  }).tell(result);
}

LogLikelihoods score_rows(const ScoreRequest& request, const Execution& execution) {
  LogLikelihoods result;
  score_rows(request, execution, result);
  return result;
}

BlockScores score_blocks(const ScoreRequest& request, const Execution& execution) {
  BlockScores result;
  result.labels = request.model.labels();
  result.relative = request.options.relative || request.model.logistic();
  std::vector<double*> places;
  for (Index b = 0; b < score_parts(request.model.parts()); ++b)
    result.values.emplace_back(request.rows.rows(), result.labels.size());
  for (Matrix& values : result.values) places.push_back(values.data());
  score_rows(request, execution, nullptr, std::move(places), [](Index, Index, const double*) {
  }).tell(result);
  return result;
}

}  // namespace suffice
