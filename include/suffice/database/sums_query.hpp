#pragma once
// Statistics that a database computes where the rows are: an SQL query for the sums of a table. Its
// answer becomes Statistics again (suffice/database/sums_answer.hpp).
//
// One query goes over the table twice. The first pass finds a center c per class and feature, near
// the mean; the second adds up w (x − c) and w (x_i − c_i)(x_j − c_j), which loses no digits where
// the mean is large beside the deviations. Rows without a label are counted and left out, NULL and
// NaN are missing values, and rows that are complete in a Gaussian block are kept apart from those
// that are not, as in Statistics.

#include <string>
#include <string_view>
#include <vector>

#include "suffice/data/schema.hpp"
#include "suffice/export/export.hpp"
#include "suffice/stats/statistics.hpp"

namespace suffice {

struct SumsQueryOptions {
  SqlDialect dialect = SqlDialect::duckdb;  ///< not SQLite, which has no arrays
  std::string table = "data";               ///< table, schema.table or "a name with . in it"
  std::string weight = {};                  ///< the column of weights; empty: 1 each
  Scatter scatter = Scatter::dense;
  /// Where the schema has no label: the class that all rows are of.
  std::string one_class = {};
};

/// The query; schema.label() is the column that has the classes. Throws InvalidArgument where the
/// engine cannot answer it: indicators, names that are not text, more sums than it can plan.
std::string sums_query(const Schema& schema, const SumsQueryOptions& options = {});

/// A query without rows that has the columns of a table.
std::string columns_query(SqlDialect dialect, std::string_view table);
/// A query whose one row has the type of each column, as the engine calls it. No row: the table is
/// empty.
std::string types_query(SqlDialect dialect, std::string_view table,
                        const std::vector<std::string>& columns);

/// What values of a type are for a schema.
enum class SqlValues {
  numbers,
  names,        ///< text and booleans
  unsupported,  ///< a type that no family describes: a time, a list
};
SqlValues values_of_sql_type(std::string_view type);

}  // namespace suffice
