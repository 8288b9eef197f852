#pragma once
// Columns of a few whole numbers, as categories: codes, counts, grades.

#include <optional>
#include <span>

#include "suffice/select/variants.hpp"

namespace suffice {

/// Those of `columns` (positions of Gaussian features without a transformation) that have at most
/// `most_values` different numbers in the sample, all of them whole. Nothing where none has more
/// than two.
std::optional<SchemaVariant> whole_numbers_as_categories(const Schema& schema,
                                                         const SampledRows& sample,
                                                         std::span<const Index> columns,
                                                         Index most_values);

}  // namespace suffice
