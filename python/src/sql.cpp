// Sums that a database computes: the query, and statistics from its answer.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "bindings.hpp"
#include "suffice/core/error.hpp"
#include "suffice/database/sums_answer.hpp"
#include "suffice/database/sums_query.hpp"

namespace suffice::python {
namespace {

using namespace nb::literals;

template <class T>
T cell_or(nb::handle cell, T otherwise) {
  return cell.is_none() ? otherwise : nb::cast<T>(cell);
}

/// Rows in the order of sums_answer_columns, as tuples; and how many rows had no label.
std::pair<Statistics, double> statistics_from_answer(const nb::list& rows) {
  SumsAnswer answer;
  for (const nb::handle given : rows) {
    const auto row = nb::cast<nb::sequence>(given);
    const auto text = [&](int column) {
      const nb::object cell = row[column];
      return cell.is_none() ? std::nullopt : std::optional(nb::cast<std::string>(cell));
    };
    const auto number = [&](int column) { return cell_or<Index>(row[column], -1); };
    const std::optional<std::string> label = text(0), kind = text(2), name = text(5);
    const double value = cell_or(row[6], std::numeric_limits<double>::quiet_NaN());
    answer.add({.label = label ? std::optional<std::string_view>(*label) : std::nullopt,
                .part = number(1),
                .kind = kind ? std::string_view(*kind) : std::string_view(),
                .i = number(3),
                .j = number(4),
                .name = name ? std::optional<std::string_view>(*name) : std::nullopt,
                .value = value});
  }
  Statistics statistics = answer.statistics();
  return {std::move(statistics), answer.unlabelled_rows()};
}

std::string values_of(const std::string& type) {
  switch (values_of_sql_type(type)) {
    case SqlValues::numbers:
      return "number";
    case SqlValues::names:
      return "name";
    case SqlValues::unsupported:
      break;
  }
  return "unsupported";
}

}  // namespace

void bind_sql(nb::module_& module) {
  module.def(
      "sums_query",
      [](const Schema& schema, const std::string& dialect, const std::string& table,
         const std::string& weight, bool dense) {
        return sums_query(schema, {.dialect = sql_dialect_from_string(dialect),
                                   .table = table,
                                   .weight = weight,
                                   .scatter = dense ? Scatter::dense : Scatter::diagonal});
      },
      "schema"_a, "dialect"_a, "table"_a, "weight"_a, "dense"_a);
  module.def("statistics_from_answer", statistics_from_answer, "rows"_a);
  module.def(
      "columns_query",
      [](const std::string& dialect, const std::string& table) {
        return columns_query(sql_dialect_from_string(dialect), table);
      },
      "dialect"_a, "table"_a);
  module.def(
      "types_query",
      [](const std::string& dialect, const std::string& table,
         const std::vector<std::string>& columns) {
        return types_query(sql_dialect_from_string(dialect), table, columns);
      },
      "dialect"_a, "table"_a, "columns"_a);
  module.def("values_of_sql_type", values_of, "type"_a);
}

}  // namespace suffice::python
