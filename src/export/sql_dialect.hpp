#pragma once
// What the dialects of SQL differ in.

#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/matrix.hpp"
#include "suffice/export/export.hpp"

namespace suffice {

struct SqlSyntax {
  std::string_view engine;             ///< for messages
  char quote = '"';                    ///< of names
  std::string_view real, text;         ///< types
  std::string_view infinity, nan;      ///< numbers; no nan: NULL stands for it
  std::string_view largest, smallest;  ///< of several numbers
  std::string_view materialized;       ///< keeps a WITH query from being merged into the next one
  std::string_view row;                ///< a row of the table as one value
  std::string_view columns_of_row;     ///< its columns again; empty: rows are joined by `row`
  std::string_view array = {},
                   array_end = {};  ///< around the elements of an array; empty: it has none
  std::string_view element = {};    ///< element n, from 1, of the array v
  std::string_view type_of = {}, type_end = {};  ///< around an expression whose type is asked for
  std::string_view once = {},
                   inlined = {};   ///< of WITH queries: computed once, or in each place of use
  std::string_view total = "sum";  ///< of doubles, with as little rounding as the engine has
  std::string_view fence = {};     ///< ends a subquery whose columns are computed once a row
  bool ignores_case = true;        ///< of quoted names
  bool overflow_fails = false;     ///< a product that is too large ends the query
  Index most_columns = 0;          ///< of a query
  Index most_sums = 0;             ///< of a query with GROUP BY
  std::size_t longest_name = 0;    ///< bytes; 0: any
};

const SqlSyntax& syntax_of(SqlDialect dialect);

/// Names and strings in quotes.
std::string sql_name(const SqlSyntax& syntax, std::string_view name);
std::string sql_string(const SqlSyntax& syntax, std::string_view text);
/// "schema.table", each part in quotes; a part in double quotes may have dots.
std::string sql_table(const SqlSyntax& syntax, std::string_view name);
/// A double: "4.2e+01", "(-1e+00)".
std::string sql_number(const SqlSyntax& syntax, double value);

/// a + b + …, without deep nesting: engines refuse or crash on long chains. 0 for none.
std::string sql_sum(const std::vector<std::string>& terms);
std::string sql_any(const std::vector<std::string>& conditions);
/// [a, b, …] as the engine writes arrays.
std::string sql_array(const SqlSyntax& syntax, const std::vector<std::string>& elements);
/// function(a, b, …), in groups where there are many; the expression itself for one.
std::string sql_call(std::string_view function, const std::vector<std::string>& arguments);

}  // namespace suffice
