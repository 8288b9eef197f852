#pragma once
// The candidates that a selection chooses among: the combinations of lists of options.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suffice/data/schema.hpp"
#include "suffice/models/estimate.hpp"

namespace suffice {

/// An empty list stands for the default of EstimateOptions (for no shrinkage where one row is left
/// out at a time); where all are empty there is a default grid.
struct Grid {
  std::vector<std::optional<Pca>> pca = {};
  std::vector<std::optional<Index>> lda = {};
  std::vector<Covariance> covariance = {};
  std::vector<std::optional<Shrinkage>> shrinkage = {};
  std::vector<std::optional<Target>> target = {};
  std::vector<double> towards_tied = {};
  std::vector<Inference> inference = {};
  std::vector<Normalize> normalize = {};
  std::vector<double> smoothing = {};
};

/// All combinations of the grid's lists that are possible and differ from each other, in the order
/// of the lists. What has no effect on this schema does not make them differ (a covariance where
/// there are no numbers, smoothing where there is nothing else). Without any list:
///   covariance full, tied, diag, tied-diag × shrinkage 0, auto where there are numbers (the first
///   two up to 1000 of them), smoothing 0.01, 0.1, 1, 10 where there are none. With one row left
///   out at a time, which auto has no form for, the shares 0, 0.1 and 0.5 instead (up to 100
///   numbers).
/// Throws InvalidArgument, with the reason of the first, where no combination is possible.
std::vector<EstimateOptions> candidates_of(const Grid& grid, const Schema& schema,
                                           bool one_at_a_time = false);

/// The same before a schema is known, for what can be said against the lists.
void require_candidates(const Grid& grid);

/// How people and programs call the options: covariance, normalize, smoothing, shrinkage, estimate,
/// and those of target, towards_tied, pca and lda that say something.
std::vector<std::pair<std::string, std::string>> named(const EstimateOptions& options);

}  // namespace suffice
