#pragma once
// select: several meanings of the same columns, each of which is compared (--family
// 'visits=gaussian|poisson', --transform 'price=none|log').

#include <string>
#include <vector>

#include "cli/line/options.hpp"

namespace suffice::cli {

struct ColumnVariant {
  ColumnOptions columns;
  std::vector<std::pair<std::string, std::string>> values;  ///< column and word, for people
};

/// All combinations of the lists, in order; the columns as they are where there are no lists. With
/// --missing-indicators columns that have missing values, which are `missing`, have indicators of
/// them, or each combination is tried without and with these.
std::vector<ColumnVariant> column_variants(const Options& options,
                                           const std::vector<std::string>& missing = {});

/// Throws UsageError for more combinations than can be compared in reasonable time.
void check_column_lists(const Options& options);

}  // namespace suffice::cli
