#pragma once
// The terms of a discriminative twin (models/logistic.hpp), row by row: what its weights are
// multiplied with. Missing values, and levels that the model does not know, are filled in with what
// the densities expect.

#include <memory>
#include <span>

#include "score/scorer.hpp"

namespace suffice {

/// What is subtracted from a block's numbers before they are multiplied, and from its terms.
struct TermFrame {
  std::span<const double> origin, center;
};

/// The terms of one block. Belongs to one call and is shared by the workers; what a worker writes
/// is in its own scratch.
class BlockTerms {
 public:
  struct Scratch {
    virtual ~Scratch() = default;
  };

  virtual ~BlockTerms() = default;
  virtual Index count() const = 0;
  virtual std::unique_ptr<Scratch> scratch(Index rows) const = 0;
  /// Terms minus their centers of rows [first, first + count), to out[i * stride + t]. Returns how
  /// many values were filled in. Throws DataError for a value that the family cannot have, and for
  /// a missing one where these are refused.
  virtual Index read(Index first, Index count, Scratch& scratch, double* out,
                     Index stride) const = 0;
};

/// Keeps views of all that it is given.
std::unique_ptr<BlockTerms> make_block_terms(const ScorerInput& input,
                                             const ExpectedCells& expected, const TermFrame& frame);

/// Where missing values are refused and where a number is impossible, for families of independent
/// features. Never returns.
[[noreturn]] void throw_bad_value(const ScorerInput& input, Index row, Index j, double value);

}  // namespace suffice
