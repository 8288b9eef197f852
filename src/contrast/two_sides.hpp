#pragma once
// Old and new rows as the two classes of one Statistics.

#include <span>
#include <string>

#include "suffice/stats/statistics.hpp"

namespace suffice {

inline constexpr const char* old_side = "old";
inline constexpr const char* new_side = "new";

/// The sums of all classes as those of one.
Statistics as_one_class(const Statistics& statistics, const std::string& label);
/// Those of one class alone, under another name.
Statistics class_alone(const Statistics& statistics, Index label, const std::string& name);

/// Both sides as classes old_side and new_side. What only one has kept (the whole scatter) is left
/// out. Throws InvalidArgument where the schemas differ.
Statistics two_classes(const Statistics& before, const Statistics& after);

/// How far the classes of `two` are taken apart: 1 is as they are, 0 is without a difference.
struct Shares {
  double mean = 1, scatter = 1, tables = 1;
};
/// The same two classes with a part of their differences: what noise adds to them is taken out.
Statistics drawn_together(const Statistics& two, const Shares& shares);

}  // namespace suffice
