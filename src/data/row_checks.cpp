#include "data/row_checks.hpp"

#include <string>

#include "suffice/core/error.hpp"
#include "suffice/core/names.hpp"

namespace suffice {

void require_features(const Schema& schema, const RowBlock& rows) {
  if (rows.feature_count() == schema.column_count()) return;
  throw InvalidArgument("the rows have " + std::to_string(rows.feature_count()) +
                        " features, but the schema has " + std::to_string(schema.column_count()) +
                        ": " + list_for_message(schema.columns()));
}

void throw_missing(const std::string& feature, Index row) {
  throw DataError({.row = row, .features = {feature}}, "the value is missing",
                  "fill it in, leave the row out, or allow missing values");
}

void throw_infinite_category(const std::string& feature, Index row) {
  throw DataError({.row = row, .features = {feature}}, "a category cannot be infinite",
                  "use a name or a finite number, or make the value missing (NaN)");
}

}  // namespace suffice
