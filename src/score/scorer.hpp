#pragma once
// Scoring one block of features: adds its log p(x | class) to a tile of rows. A scorer belongs to
// one call and is shared by the workers; what a worker writes is in its own workspace.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "factor/factors.hpp"
#include "score/projected_rows.hpp"
#include "score/unscored.hpp"
#include "suffice/score/log_likelihood.hpp"

namespace suffice {

/// A few consecutive rows and where their scores go.
struct Tile {
  Index first, count;  ///< count ≤ kernels::rows_at_once
  double* out;         ///< count × K
  bool add;            ///< to what is there; otherwise it is overwritten
};

/// Rows that a worker prepares at a time: a multiple of rows_at_once.
struct Chunk {
  Index first, count;
};

class BlockScorer {
 public:
  /// What one worker needs for one block.
  struct Workspace {
    virtual ~Workspace() = default;
  };

  virtual ~BlockScorer() = default;
  virtual std::unique_ptr<Workspace> workspace(Index chunk_rows) const = 0;
  /// Reads the rows of a chunk.
  virtual void prepare(const Chunk& chunk, Workspace& workspace) const = 0;
  /// Scores some of its rows. Throws DataError for a value that the family cannot have.
  virtual void score(const Tile& tile, Workspace& workspace) const = 0;
};

struct ScorerInput {
  const Model& model;
  std::size_t block;
  const RowBlock& rows;
  bool relative;
  Missing missing;
  Workers& workers;
  Unscored* unscored;
  ProjectedRows projected = {};  ///< those of the projected block, where they are known

  const Block& schema_block() const { return model.schema().blocks()[block]; }
  const std::string& feature_name(Index position) const {
    return model.schema().feature(schema_block().features[position]).name;
  }
  /// A missing value: returns where these are allowed.
  void require_present(Index position, Index row) const {
    if (missing == Missing::refuse) throw_missing(feature_name(position), row);
  }
};

/// Dense or sparse.
std::unique_ptr<BlockScorer> make_gaussian_scorer(const ScorerInput& input);
/// Of a reader whose rows are sparse, for the structures that take features one by one.
std::unique_ptr<BlockScorer> make_sparse_gaussian_scorer(const ScorerInput& input,
                                                         NumberReader reader);
/// Of a Gaussian block with thin covariances.
std::unique_ptr<BlockScorer> make_thin_scorer(const ScorerInput& input);
/// Dense or sparse.
std::unique_ptr<BlockScorer> make_count_scorer(const ScorerInput& input);
std::unique_ptr<BlockScorer> make_categorical_scorer(const ScorerInput& input);
std::unique_ptr<BlockScorer> make_text_scorer(const ScorerInput& input);
/// Of a discriminative twin, whatever the family.
std::unique_ptr<BlockScorer> make_logistic_scorer(const ScorerInput& input);

/// Where a scorer writes a tile: straight to its place, or to `buffer` (rows_at_once × K) if the
/// scores are to be added to those of other blocks.
inline double* target_of(const Tile& tile, Vector& buffer) {
  return tile.add ? buffer.data() : tile.out;
}
/// Scores are numbers or −inf. A score that is neither comes from products that overflowed: of a
/// row's classes those with +inf are the best, and equal; what is no number is as good as
/// impossible.
inline void bound_scores(double* scores, Index rows, Index classes) {
  constexpr double most = std::numeric_limits<double>::max();
  bool good = true;
  for (Index k = 0; k < rows * classes; ++k) good &= scores[k] <= most;
  if (good) return;
  for (Index r = 0; r < rows; ++r, scores += classes) {
    const bool above = std::any_of(scores, scores + classes, [](double s) { return s > most; });
    for (Index c = 0; c < classes; ++c) {
      if (above) scores[c] = scores[c] > most ? 0 : -infinity;
      if (!(scores[c] <= most)) scores[c] = -infinity;
    }
  }
}

/// Relative scores of a row whose products overflow: score(c), in the wide range of a long double,
/// less the largest one of a class with a weight.
template <class Score>
void score_far(const Vector& weights, double* scores, const Score& score) {
  long double most = -std::numeric_limits<long double>::infinity();
  std::vector<long double> sums(static_cast<std::size_t>(weights.size()), most);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (!(weights[static_cast<Index>(c)] > 0)) continue;
    sums[c] = score(static_cast<Index>(c));
    most = std::max(most, sums[c]);
  }
  for (std::size_t c = 0; c < sums.size(); ++c) scores[c] = static_cast<double>(sums[c] - most);
}

/// Adds what was written to the buffer.
inline void settle(const Tile& tile, Index classes, const double* scores) {
  if (!tile.add) return;
  for (Index k = 0; k < tile.count * classes; ++k) tile.out[k] += scores[k];
}

}  // namespace suffice
