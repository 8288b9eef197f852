#include "score/tiles.hpp"

#include <algorithm>

#include "core/kernels.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

using kernels::rows_at_once;

void score_tiles(const TileRun& shape, const Execution& execution,
                 const std::function<Scorers(Workers&)>& make,
                 const std::function<void(Index, Index, double*)>& finish) {
  const Index n = shape.rows, d = shape.features, classes = shape.classes;
  double* const out = shape.out;
  const auto& apart = shape.apart;
  if (n == 0) return;
  // Rows that a worker takes at a time; few where there are many features, so that its buffers are
  // small.
  const Index chunk_rows = std::clamp<Index>(65536 / d, 1, 32) * rows_at_once;
  const Index chunks = (n + chunk_rows - 1) / chunk_rows;
  const double work = static_cast<double>(n) * static_cast<double>(d * classes);
  Workers workers(execution, work < 1e5 ? 1 : chunks);
  Progress progress(execution, static_cast<double>(n));
  const Scorers scorers = make(workers);

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
      if (!apart.empty()) {
        for (std::size_t b = 0; b < scorers.size(); ++b) {
          double* scores = apart[b] + first * classes;
          scorers[b]->score({first, count, scores, false}, *mine.blocks[b]);
          finish(first, count, scores);
        }
        continue;
      }
      double* scores = out ? out + first * classes : mine.tile.data();
      // Stores wait for their cache lines one after the other: ask for all of them before the work.
      for (Index k = 0; k < std::min<Index>(count * classes, 1024); k += 8)
        __builtin_prefetch(scores + k, 1);
      for (std::size_t b = 0; b < scorers.size(); ++b) {
        scorers[b]->score({first, count, scores, b > 0}, *mine.blocks[b]);
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
      mine.tile = Vector(out || !apart.empty() ? 0 : rows_at_once * classes);
    }
    for (Index k = run * per_run; k < std::min(chunks, (run + 1) * per_run); ++k) {
      if (execution.stop.stop_requested()) throw Cancelled();
      score_chunk(mine, k * chunk_rows);
    }
  });
  progress.finish();
}

}  // namespace suffice
