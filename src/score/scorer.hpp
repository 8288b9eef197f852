#pragma once
// Scoring one block of features: adds its log p(x | class) to a tile of rows. A scorer belongs to
// one call and is shared by the workers; what a worker writes is in its own workspace.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

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
/// Adds what was written to the buffer.
inline void settle(const Tile& tile, Index classes, const double* scores) {
  if (!tile.add) return;
  for (Index k = 0; k < tile.count * classes; ++k) tile.out[k] += scores[k];
}

}  // namespace suffice
