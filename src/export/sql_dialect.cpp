#include "export/sql_dialect.hpp"

#include <algorithm>
#include <cmath>

#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// The rows of the table are called suffice_row, and suffice_source is a row as one value.
constexpr SqlSyntax duckdb_syntax{.engine = "DuckDB",
                                  .real = "DOUBLE",
                                  .text = "VARCHAR",
                                  .infinity = "CAST('Infinity' AS DOUBLE)",
                                  .nan = "CAST('NaN' AS DOUBLE)",
                                  .largest = "greatest",
                                  .smallest = "least",
                                  .materialized = "",
                                  .row = "suffice_row",
                                  .columns_of_row = "suffice_source.*",
                                  .array = "[",
                                  .array_end = "]",
                                  .element = "v[n]",
                                  .type_of = "typeof(",
                                  .type_end = ")",
                                  .once = "MATERIALIZED ",
                                  .inlined = "NOT MATERIALIZED ",
                                  .total = "fsum",
                                  .most_columns = 100'000,
                                  // More take minutes to plan, and DuckDB 2.0 ends the process
                                  // at some 10,000.
                                  .most_sums = 5'500};
constexpr SqlSyntax postgres_syntax{.engine = "PostgreSQL",
                                    .real = "DOUBLE PRECISION",
                                    .text = "TEXT",
                                    .infinity = "CAST('Infinity' AS DOUBLE PRECISION)",
                                    .nan = "CAST('NaN' AS DOUBLE PRECISION)",
                                    .largest = "greatest",
                                    .smallest = "least",
                                    .materialized = "MATERIALIZED ",
                                    .row = "suffice_row",
                                    .columns_of_row = "(suffice_source).*",
                                    .array = "ARRAY[",
                                    .array_end = "]",
                                    .element = "v[n]",
                                    .type_of = "CAST(pg_typeof(",
                                    .type_end = ") AS TEXT)",
                                    .once = "MATERIALIZED ",
                                    .inlined = "NOT MATERIALIZED ",
                                    .fence = " OFFSET 0",
                                    .ignores_case = false,
                                    .overflow_fails = true,
                                    .most_columns = 1600,
                                    .most_sums = 25'000,
                                    .longest_name = 63};
constexpr SqlSyntax sqlite_syntax{.engine = "SQLite",
                                  .real = "REAL",
                                  .text = "TEXT",
                                  .infinity = "9e999",
                                  .nan = "",
                                  .largest = "max",
                                  .smallest = "min",
                                  .materialized = "MATERIALIZED ",
                                  .row = "suffice_row._rowid_",
                                  .columns_of_row = "",
                                  .most_columns = 1990};
constexpr SqlSyntax spark_syntax{.engine = "Spark SQL",
                                 .quote = '`',
                                 .real = "DOUBLE",
                                 .text = "STRING",
                                 .infinity = "CAST('Infinity' AS DOUBLE)",
                                 .nan = "CAST('NaN' AS DOUBLE)",
                                 .largest = "greatest",
                                 .smallest = "least",
                                 .materialized = "",
                                 .row = "struct(suffice_row.*)",
                                 .columns_of_row = "suffice_source.*",
                                 .array = "array(",
                                 .array_end = ")",
                                 .element = "element_at(v, n)",
                                 .type_of = "typeof(",
                                 .type_end = ")",
                                 .most_columns = 20'000,
                                 .most_sums = 5'000};

/// Between terms, as a tree of little depth.
std::string joined(const std::vector<std::string>& terms, std::size_t first, std::size_t last,
                   std::string_view between) {
  if (last - first == 1) return terms[first];
  std::string text = "(";
  if (last - first <= 8) {
    for (std::size_t i = first; i < last; ++i)
      text += (i == first ? "" : std::string(between)) + terms[i];
    return text + ")";
  }
  const std::size_t half = first + (last - first) / 2;
  return text + joined(terms, first, half, between) + std::string(between) +
         joined(terms, half, last, between) + ")";
}

}  // namespace

const SqlSyntax& syntax_of(SqlDialect dialect) {
  switch (dialect) {
    case SqlDialect::duckdb:
      return duckdb_syntax;
    case SqlDialect::postgres:
      return postgres_syntax;
    case SqlDialect::sqlite:
      return sqlite_syntax;
    case SqlDialect::spark:
      return spark_syntax;
  }
  return duckdb_syntax;
}

std::string sql_name(const SqlSyntax& syntax, std::string_view name) {
  const std::string quote(1, syntax.quote);
  return quote + replaced(name, quote, quote + quote) + quote;
}

std::string sql_string(const SqlSyntax& syntax, std::string_view text) {
  if (syntax.quote == '`')  // Spark's strings have escapes, and two quotes join two strings
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
  return "'" + replaced(text, "'", "''") + "'";
}

std::string sql_table(const SqlSyntax& syntax, std::string_view name) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '"') {
      if (quoted && i + 1 < name.size() && name[i + 1] == '"')
        parts.back() += name[++i];
      else
        quoted = !quoted;
    } else if (name[i] == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += name[i];
    }
  }
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty() || quoted)
      throw InvalidArgument(
          "the name of the table, '" + std::string(name) + "', has an empty part or an open quote",
          "write table, schema.table or \"a name with . in it\"");
    text += (text.empty() ? "" : ".") + sql_name(syntax, part);
  }
  return text;
}

std::string sql_number(const SqlSyntax& syntax, double value) {
  if (std::isinf(value))
    return value > 0 ? std::string(syntax.infinity) : "(-" + std::string(syntax.infinity) + ")";
  const std::string digits = exponent_text(value);
  return digits[0] == '-' ? "(" + digits + ")" : digits;
}

std::string sql_sum(const std::vector<std::string>& terms) {
  return terms.empty() ? "0e0" : joined(terms, 0, terms.size(), " + ");
}

std::string sql_any(const std::vector<std::string>& conditions) {
  return joined(conditions, 0, conditions.size(), " OR ");
}

std::string sql_array(const SqlSyntax& syntax, const std::vector<std::string>& elements) {
  std::string text(syntax.array);
  for (std::size_t i = 0; i < elements.size(); ++i) text += (i == 0 ? "" : ", ") + elements[i];
  return text + std::string(syntax.array_end);
}

std::string sql_call(std::string_view function, const std::vector<std::string>& arguments) {
  constexpr std::size_t at_most = 50;
  if (arguments.size() == 1) return arguments[0];
  if (arguments.size() > at_most) {
    std::vector<std::string> groups;
    for (std::size_t i = 0; i < arguments.size(); i += at_most) {
      const auto end = std::min(i + at_most, arguments.size());
      groups.push_back(sql_call(function, {arguments.begin() + static_cast<std::ptrdiff_t>(i),
                                           arguments.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    return sql_call(function, groups);
  }
  std::string text(function);
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "(" : ", ") + arguments[i];
  return text + ")";
}

}  // namespace suffice
