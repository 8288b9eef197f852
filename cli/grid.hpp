#pragma once
// The candidates that `select` chooses among.

#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace suffice::cli {

/// All combinations of the grid's lists that are possible and differ from each other, in the order
/// of the lists. What has no effect on this schema does not make them differ (a covariance where
/// there are no numbers, smoothing where there is nothing else). Without any list:
///   covariance full, tied, diag, tied-diag × shrinkage 0, auto where there are numbers (the first
///   two up to 1000 of them), smoothing 0.01, 0.1, 1, 10 where there are none. With one row left
///   out at a time, which auto has no form for, the shares 0, 0.1 and 0.5 instead (up to 100
///   numbers).
/// Throws UsageError, with the reason of the first, where no combination is possible.
std::vector<EstimateOptions> candidates_of(const ChoiceOptions& choice, const Schema& schema);

/// The same before a schema is known, for what can be said against the command.
void require_candidates(const Grid& grid);

/// How people and programs call the options: covariance, normalize, smoothing, shrinkage, estimate,
/// and those of target, towards_tied, pca and lda that say something.
std::vector<std::pair<std::string, std::string>> named(const EstimateOptions& options);

}  // namespace suffice::cli
