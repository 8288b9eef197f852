#pragma once
// The candidates that a selection chooses among: the combinations of lists of options.

#include <map>
#include <string>
#include <vector>

#include "suffice/data/schema.hpp"
#include "suffice/models/estimate_options.hpp"

namespace suffice {

/// Values of options, by the names and texts of `estimate_options`:
///
///   const Grid grid{{"covariance", {"full", "tied"}}, {"shrinkage", {"0", "auto"}}};
///
/// An option that is not listed has the default of EstimateOptions (no shrinkage where one row is
/// left out at a time). An empty grid stands for the default one.
using Grid = std::map<std::string, std::vector<std::string>>;

/// All combinations of the grid's lists that are possible and differ from each other, resolved, in
/// the order of `estimate_options` and the lists. What has no effect on this schema does not make
/// them differ (a covariance where there are no numbers, smoothing where there is nothing else).
/// The default grid:
///   covariance full, tied, diag, tied-diag × shrinkage 0, auto where there are numbers (the first
///   two up to 1000 of them), smoothing 0.01, 0.1, 1, 10 where there are none. With one row left
///   out at a time, which auto has no form for, the shares 0, 0.1 and 0.5 instead (up to 100
///   numbers).
/// Throws InvalidArgument for an unknown option or value, and, with the reason of the first, where
/// no combination is possible.
std::vector<EstimateOptions> candidates_of(const Grid& grid, const Schema& schema,
                                           bool one_at_a_time = false);

/// The same before a schema is known, for what is wrong whatever the schema.
void require_candidates(const Grid& grid);

/// Whether an option plays a part in models of this schema: a covariance needs numbers, smoothing
/// something else.
bool has_effect(const EstimateOption& option, const Schema& schema);

}  // namespace suffice
