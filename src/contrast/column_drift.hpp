#pragma once
// One column of old rows against that of new rows.

#include <vector>

#include "suffice/contrast/drift.hpp"

namespace suffice {

/// The columns of the schema in its order, tested by themselves; `two` has the classes `before` and
/// `after`. Nothing is adjusted or judged yet.
std::vector<ColumnDrift> column_drifts(const Statistics& two, Index before, Index after);

/// G = 2 Σ O log(O / E) of a table with two rows, whose rare columns (expected in a row fewer than
/// 5 times) are counted as one. An expectation of 0 is nothing.
struct TableTest {
  double g = 0, df = 0, p = 1;
  double total_variation = 0;  ///< of the rows as shares, with rare columns as one
  double auc = 0.5;            ///< of the ratio of these shares
};
TableTest table_test(const Vector& before, const Vector& after);

/// The two-sample test of Kolmogorov and Smirnov of the numbers that both reservoirs have; its p
/// is the asymptotic one. Columns without numbers have none.
void add_rank_tests(const Reservoir& before, const Reservoir& after,
                    std::vector<ColumnDrift>& columns);

/// Holm's method: p_(i) times the number of tests that are left, no less than the one before.
void adjust(const std::vector<Change*>& changes, double level);

}  // namespace suffice
