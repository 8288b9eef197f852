#pragma once
// What can be wrong with rows, whichever reader meets it.

#include <string>

#include "suffice/data/row_block.hpp"
#include "suffice/data/schema.hpp"

namespace suffice {

/// Checks that `rows` has the schema's number of columns. Throws InvalidArgument.
void require_features(const Schema& schema, const RowBlock& rows);

/// Throws DataError: missing values are refused, and this feature has one.
[[noreturn]] void throw_missing(const std::string& feature, Index row);
/// Throws DataError: an infinite value is no category.
[[noreturn]] void throw_infinite_category(const std::string& feature, Index row);

}  // namespace suffice
