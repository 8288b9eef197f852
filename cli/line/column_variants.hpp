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

/// All combinations of the lists, in order; the columns as they are where there are no lists.
std::vector<ColumnVariant> column_variants(const Options& options);

/// Throws UsageError for more combinations than can be compared in reasonable time.
void check_column_lists(const Options& options);

}  // namespace suffice::cli
