#pragma once
// What remains of a block's sums without one of their rows, and how that row scores by it. Each
// family has its own file; leave_one_out.cpp adds the blocks up.

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/numeric.hpp"
#include "score/scorer.hpp"
#include "suffice/evaluate/leave_one_out.hpp"

namespace suffice {

/// What leaves with one row. Nothing where the weight is 0.
struct TakenOut {
  Index label = -1;
  double weight = 0;
};

/// The labels and weights of some rows.
class TakenRows {
 public:
  /// Throws DataError for a row whose label is missing or not among `labels`, or that is heavier
  /// than its class.
  TakenRows(const RowBlock& rows, const Names& labels, const Vector& class_weights);
  TakenOut operator[](Index row) const {
    if (code_[row] < 0) return {};
    return {code_[row], weight_ ? weight_[row] : 1.0};
  }
  /// The rows with which all of their class goes, rising.
  const std::vector<Index>& last_of_class() const { return last_; }

 private:
  std::vector<std::int32_t> code_;
  Vector scratch_;
  const double* weight_ = nullptr;
  std::vector<Index> last_;
};

class BlockRest {
 public:
  virtual ~BlockRest() = default;
  /// Scores each row by what remains without it. Where nothing remains of the row's own class, the
  /// score of that class is of no use.
  virtual std::unique_ptr<BlockScorer> scorer(const ScorerInput& input,
                                              const TakenRows& taken) const = 0;
};

/// What the rest of a block is worked out from. Model and options must outlive it.
struct RestInput {
  const Statistics& statistics;
  const EstimateOptions& options;
  const Model& model;  ///< of all rows
  std::size_t block;

  const Block& schema_block() const { return model.schema().blocks()[block]; }
};
std::unique_ptr<BlockRest> make_gaussian_rest(const RestInput& input);
std::unique_ptr<BlockRest> make_count_rest(const RestInput& input);
std::unique_ptr<BlockRest> make_categorical_rest(const RestInput& input);

/// The rows have a value, or as much weight, that the sums do not hold.
[[noreturn]] void throw_not_among(Index row, const std::string& what);

/// The blocks of a model; Gaussian ones are null where they are not wanted.
std::vector<std::unique_ptr<BlockRest>> make_rests(const Statistics& statistics,
                                                   const EstimateOptions& options,
                                                   const Model& model, bool with_gaussian);

}  // namespace suffice
