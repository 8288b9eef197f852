#include "suffice/score/log_likelihood.hpp"

#include <cmath>

#include "core/numeric.hpp"
#include "data/row_checks.hpp"
#include "score/scorer.hpp"
#include "score/tiles.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

struct MakeScorer {
  const ScorerInput& input;

  auto operator()(const GaussianFactor&) const { return make_gaussian_scorer(input); }
  auto operator()(const CountFactor&) const { return make_count_scorer(input); }
  auto operator()(const CategoricalFactor&) const { return make_categorical_scorer(input); }
};

Scorers make_scorers(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                     const ProjectedRows& projected, Workers& workers, LeftOut& left_out) {
  Scorers scorers;
  for (std::size_t b = 0; b < model.schema().blocks().size(); ++b) {
    const ScorerInput input{model,           b,       rows,      options.relative,
                            options.missing, workers, &left_out, projected};
    scorers.push_back(std::visit(MakeScorer{input}, model.factors().blocks[b]));
  }
  return scorers;
}

/// Scores all rows; `finish(first, count, scores)` gets each tile, count × K. `out` is where the
/// scores are put, or null.
template <class Finish>
LeftOut score_rows(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                   const ProjectedRows& projected, const Execution& execution, double* out,
                   const Finish& finish) {
  require_features(model.schema(), rows);
  const Index n = rows.rows(), classes = model.labels().size(), d = model.schema().size();
  LeftOut left_out(d);
  std::vector<Index> empty_classes;
  for (Index c = 0; c < classes; ++c) {
    if (model.weights()[c] == 0) empty_classes.push_back(c);
  }
  score_tiles(
      {n, d, classes, out}, execution,
      [&](Workers& workers) {
        return make_scorers(model, rows, options, projected, workers, left_out);
      },
      [&](Index first, Index count, double* scores) {
        for (const Index c : empty_classes) {
          for (Index r = 0; r < count; ++r) scores[r * classes + c] = -infinity;
        }
        finish(first, count, scores);
      });
  return left_out;
}

}  // namespace

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

LogLikelihoods log_likelihood(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                              const Execution& execution) {
  return log_likelihood(model, rows, ProjectedRows{}, options, execution);
}

std::vector<Index> best_class(const Model& model, const RowBlock& rows,
                              std::span<const double> offset, const ScoreOptions& options,
                              const Execution& execution) {
  const Index classes = model.labels().size();
  if (!offset.empty() && static_cast<Index>(offset.size()) != classes) {
    throw InvalidArgument("best_class got " + std::to_string(offset.size()) + " offsets for " +
                          std::to_string(classes) + " classes; give one for each, or none");
  }
  for (const double o : offset) {
    if (std::isnan(o) || o == infinity) {
      throw InvalidArgument("an offset of best_class is " + name_of(o) +
                            "; it must be a number or -inf");
    }
  }
  std::vector<Index> best(static_cast<std::size_t>(rows.rows()));
  score_rows(model, rows, {.relative = true, .missing = options.missing}, {}, execution, nullptr,
             [&](Index first, Index count, const double* scores) {
               for (Index i = 0; i < count; ++i)
                 best[first + i] = best_of(scores + i * classes,
                                           offset.empty() ? nullptr : offset.data(), classes);
             });
  return best;
}

std::vector<Index> best_class(const Model& model, const RowBlock& rows,
                              std::span<const double> offset, const Execution& execution) {
  return best_class(model, rows, offset, ScoreOptions{}, execution);
}

}  // namespace suffice
