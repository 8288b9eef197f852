#include "suffice/score/log_likelihood.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "score/scorer.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

namespace {

using kernels::rows_at_once;

std::vector<std::unique_ptr<BlockScorer>> make_scorers(const Model& model, const RowBlock& rows,
                                                       const ScoreOptions& options,
                                                       const ProjectedRows& projected,
                                                       Workers& workers,
                                                       UnknownLevels& unknown_levels) {
  std::vector<std::unique_ptr<BlockScorer>> scorers;
  for (std::size_t b = 0; b < model.schema().blocks().size(); ++b) {
    const Block& block = model.schema().blocks()[b];
    const ScorerInput input{
        model, b, rows, options.relative, options.missing, workers, &unknown_levels, projected};
    if (block.family == Family::gaussian) {
      scorers.push_back(make_gaussian_scorer(input));
    } else if (block.family == Family::categorical) {
      scorers.push_back(make_categorical_scorer(input));
    } else {
      scorers.push_back(make_count_scorer(input));
    }
  }
  return scorers;
}

/// Scores all rows; `finish(first, count, scores)` gets each tile, count × K. `out` is where a
/// tile's scores are put: the destination itself, or null for a buffer of the worker's own.
template <class Finish>
UnknownLevels score_rows(const Model& model, const RowBlock& rows, const ScoreOptions& options,
                         const ProjectedRows& projected, const Execution& execution, double* out,
                         const Finish& finish) {
  require_features(model.schema(), rows);
  const Index n = rows.rows(), classes = model.labels().size(), d = model.schema().size();
  UnknownLevels unknown(d);
  if (n == 0) return unknown;
  std::vector<Index> empty_classes;
  for (Index c = 0; c < classes; ++c) {
    if (model.weights()[c] == 0) empty_classes.push_back(c);
  }
  // Rows that a worker takes at a time; few where there are many features, so that its buffers are
  // small.
  const Index chunk_rows = std::clamp<Index>(65536 / d, 1, 32) * rows_at_once;
  const Index chunks = (n + chunk_rows - 1) / chunk_rows;
  const double work = static_cast<double>(n) * static_cast<double>(d * classes);
  Workers workers(execution, work < 1e5 ? 1 : chunks);
  Progress progress(execution, static_cast<double>(n));
  const auto scorers = make_scorers(model, rows, options, projected, workers, unknown);

  struct Own {
    std::vector<std::unique_ptr<BlockScorer::Workspace>> blocks;
    Vector tile;
  };
  std::vector<Own> own(static_cast<std::size_t>(workers.size()));
  const auto score_chunk = [&](Own& mine, Index first_row) {
    const Chunk chunk{first_row, std::min(chunk_rows, n - first_row)};
    for (std::size_t b = 0; b < scorers.size(); ++b) scorers[b]->prepare(chunk, *mine.blocks[b]);
    for (Index i = 0; i < chunk.count; i += rows_at_once) {
      const Index first = chunk.first + i, count = std::min(rows_at_once, chunk.count - i);
      double* scores = out ? out + first * classes : mine.tile.data();
      // Stores wait for their cache lines one after the other: ask for all of them before the work.
      for (Index k = 0; k < std::min<Index>(count * classes, 1024); k += 8)
        __builtin_prefetch(scores + k, 1);
      for (std::size_t b = 0; b < scorers.size(); ++b) {
        scorers[b]->score({first, count, scores, b > 0}, *mine.blocks[b]);
      }
      for (const Index c : empty_classes) {
        for (Index r = 0; r < count; ++r) scores[r * classes + c] = -infinity;
      }
      finish(first, count, scores);
    }
    progress.advance(static_cast<double>(chunk.count));
  };
  // A worker takes many chunks in a row: if two wrote side by side into memory that is new, the
  // system would provide its huge pages twice.
  const Index per_run = std::max<Index>(1, chunks / (8 * workers.size()));
  workers.run((chunks + per_run - 1) / per_run, [&](Index run, int worker) {
    Own& mine = own[worker];
    if (mine.blocks.empty()) {
      for (const auto& scorer : scorers)
        mine.blocks.push_back(scorer->workspace(std::min(n, chunk_rows)));
      mine.tile = Vector(out ? 0 : rows_at_once * classes);
    }
    for (Index k = run * per_run; k < std::min(chunks, (run + 1) * per_run); ++k) {
      if (execution.stop.stop_requested()) throw Cancelled();
      score_chunk(mine, k * chunk_rows);
    }
  });
  progress.finish();
  return unknown;
}

}  // namespace

LogLikelihoods log_likelihood(const Model& model, const RowBlock& rows,
                              const ProjectedRows& projected, const ScoreOptions& options,
                              const Execution& execution) {
  LogLikelihoods result;
  result.values = Matrix(rows.rows(), model.labels().size());
  result.labels = model.labels();
  result.relative = options.relative;
  result.unknown_levels = score_rows(model, rows, options, projected, execution,
                                     result.values.data(), [](Index, Index, const double*) {})
                              .counts();
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
               for (Index i = 0; i < count; ++i) {
                 Index at = -1;
                 double highest = -infinity;
                 for (Index c = 0; c < classes; ++c) {
                   const double score =
                       scores[i * classes + c] + (offset.empty() ? 0.0 : offset[c]);
                   if (score > highest) {
                     highest = score;
                     at = c;
                   }
                 }
                 best[first + i] = at;
               }
             });
  return best;
}

std::vector<Index> best_class(const Model& model, const RowBlock& rows,
                              std::span<const double> offset, const Execution& execution) {
  return best_class(model, rows, offset, ScoreOptions{}, execution);
}

}  // namespace suffice
