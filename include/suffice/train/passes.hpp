#pragma once
// Training that takes several passes over the rows: the way through the rows, and when EM stops.

#include <cstdint>
#include <functional>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// Calls `use` with all rows, block by block, in the same order and cut in the same way each time.
using RowPass = std::function<void(const std::function<void(const RowBlock&)>& use)>;

/// The same rows with the columns of another schema, which are among those of theirs.
RowPass narrowed(RowPass rows, const Schema& from, const Schema& to);

struct PassOptions {
  Index iterations = 200;  ///< passes at most
  /// EM stops where a pass changes the log-likelihood by no more than that many nats per row.
  double tolerance = 1e-6;
  /// Of what EM begins once more with, where it may have stopped at a saddle point.
  std::uint64_t seed = 0;
};

/// Throws InvalidArgument for fewer than one pass, and for a tolerance that is negative.
void require_possible(const PassOptions& options);

/// What the passes of EM came to.
struct EmPasses {
  /// Per pass: log p of the rows by the model before it.
  std::vector<double> log_likelihood = {};
  bool converged = false;
};

/// Repeats `pass`, which makes the next model and returns the log-likelihood of rows of that weight
/// by the one before it, until it changes no more. Throws what `pass` throws, Cancelled, and
/// DataError for a likelihood that is no number.
EmPasses run_em(const PassOptions& options, double weight, const std::function<double()>& pass,
                const Execution& execution = {});

}  // namespace suffice
