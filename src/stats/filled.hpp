#pragma once
// Sums that lack what a density needs, completed by what other classes and columns tell:
//   - a class without a value in a column gets weight, mean and variance of all values there;
//   - a column that has one value within each class, and not one in all, gets the deviation
//     gap/√12 of rounding within them, where gap is the smallest difference between its values. If
//     no class has two values there, nothing says that values repeat, and it is that of all values.

#include <optional>
#include <vector>

#include "suffice/core/error.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

struct Filled {
  Statistics statistics;
  std::vector<Sentence> notes;  ///< what was put in, for people
  std::vector<Index> columns;   ///< positions of the features that lacked something, in order
  std::vector<double> values;   ///< per block: the weight of the values that stand for missing ones
};

/// Nothing where the sums lack nothing. The weights of the classes stay. Thin scatters become
/// diagonal ones.
std::optional<Filled> filled(const Statistics& statistics);

}  // namespace suffice
