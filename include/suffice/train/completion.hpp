#pragma once
// Missing numbers of joint Gaussian blocks (full and tied covariances), by the EM algorithm: each
// pass over the rows adds up what the missing numbers are expected to add to the sums, and the next
// model is estimated from these. The observed numbers' likelihood never falls where the estimate is
// maximum likelihood; the limit is a stationary point, nearly always the maximum.
//
//   Statistics statistics(schema);
//   for (RowBlock rows : blocks) statistics.update(rows);
//   const Completion completion = complete(statistics, [&](const auto& use) {
//     for (RowBlock rows : blocks) use(rows);
//   }, {.estimate = {.covariance = Covariance::tied}});
//   Model model = completion.model();
//
// Other structures take features one by one and need no completion.

#include <memory>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/stats/statistics.hpp"
#include "suffice/train/passes.hpp"

namespace suffice {

/// What full and tied covariances do about rows in which a number is missing.
enum class MissingNumbers {
  automatic,  ///< em where some class would lose more than a tenth of its rows, complete otherwise
  em,         ///< the expected sums of what is missing
  complete,   ///< such rows have no part
};

struct CompletionOptions {
  EstimateOptions estimate =
      {};  ///< of the model; tails and projections have no part in the passes
  PassOptions passes = {};
};

struct Completion {
  /// All sums, of the kept features where the options choose among them; those of joint Gaussian
  /// blocks are of all rows that have a number there.
  Statistics statistics;
  EstimateOptions options;
  /// Per pass on the way to the result: log p of the numbers that are present, given the classes,
  /// by the model before it.
  std::vector<double> log_likelihood = {};
  bool converged = true;
  /// What of the rows is in the sums, used_rows to em_passes; and of which features they are.
  EstimateFound used = {};
  /// Per block, null where nothing was to be completed: by what density the sums were completed, of
  /// the block alone.
  std::vector<std::shared_ptr<const Model>> expectation = {};

  /// The estimate from the completed sums, with these figures among what was found.
  Model model(const Execution& execution = {}) const;
};

/// The share of rows that a joint Gaussian block cannot use without completion, since a number is
/// missing: of the class and block that lose most.
double incomplete_share(const Statistics& statistics);

/// Whether estimates with these options take completed sums. A row that lacks a number has no
/// projection, so that with `pca` or `lda` they only do where that was asked for.
bool needs_completion(const Statistics& statistics, const EstimateOptions& options,
                      MissingNumbers numbers);

/// What statistics alone can do: an estimate in which the means and variances of joint Gaussian
/// blocks are those of all values that are present, while correlations, and the weight behind a
/// covariance, are those of the complete rows. Classes without a complete row stay as they are.
/// Throws as estimate.
Model estimate_from_present(const Statistics& statistics, const EstimateOptions& options = {},
                            const Execution& execution = {});

/// `rows` are the labelled rows of the statistics. Throws InvalidArgument (a feature has no value
/// in some class; the rows are not those of the statistics), SingularError as estimate, Cancelled.
Completion complete(const Statistics& statistics, const RowPass& rows,
                    const CompletionOptions& options = {}, const Execution& execution = {});

}  // namespace suffice
