#include "accumulate/labelled_rows.hpp"

#include <cmath>

#include "data/family.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "data/transform.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

void require_present(const LabelledRows& rows, Index feature, Index row) {
  if (rows.missing == Missing::refuse)
    throw_missing(rows.schema.feature(feature).name, rows.first_row + row);
}

void throw_bad_value(const LabelledRows& rows, Index feature, Index row, double value) {
  const Feature& column = rows.schema.feature(feature);
  if (column.indicator)  // of a category that is an infinite number and has no name
    throw_infinite_category(column.indicator->column, rows.first_row + row);
  const std::string label = rows.labels[rows.code[row]];
  if (column.transform != Transform::none)
    value = number_at(rows.rows, rows.schema.column(feature), row);
  const FamilyDescription family = describe(column.family);
  const std::string advice = std::isnan(value) ? std::string(missing_word)
                             : family.sums == SumsKind::gaussian
                                 ? advice_for_number(column.transform, value)
                                 : std::string(family.values) + ": " + std::string(family.advice);
  throw DataError({.row = rows.first_row + row, .label = label, .features = {column.name}},
                  "the value is " + name_of(value), advice);
}

}  // namespace suffice
