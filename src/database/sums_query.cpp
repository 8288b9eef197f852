#include "suffice/database/sums_query.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/at.hpp"
#include "data/family.hpp"
#include "database/answer_kind.hpp"
#include "export/formula.hpp"
#include "export/sql_dialect.hpp"
#include "export/sql_terms.hpp"
#include "export/sql_values.hpp"
#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// The first pass has up to this many sums for a number of the answer.
constexpr Index sums_of_a_number = 4;
/// Complete rows of each Gaussian block are told apart by a bit.
constexpr std::size_t most_gaussian_blocks = 20;

constexpr const char* largest_double = "1.7976931348623157e308";

void require_sql_text(const std::string& name, const char* what) {
  if (name.find('\0') == std::string::npos && is_utf8(name)) return;
  throw InvalidArgument(std::string("the name of ") + what + " is not UTF-8 text", "rename it");
}

const SqlSyntax& syntax_with_arrays(SqlDialect dialect) {
  const SqlSyntax& syntax = syntax_of(dialect);
  if (syntax.array.empty())
    throw InvalidArgument(std::string(syntax.engine) + " has no arrays, which the query needs",
                          "use duckdb, postgres or spark, or read the rows: suffice stats DATA");
  return syntax;
}

std::string sql_table_of(const SqlSyntax& syntax, std::string_view table) {
  require_sql_text(std::string(table), "the table");
  std::string bare(table);
  std::ranges::transform(bare, bare.begin(), [](unsigned char c) { return std::tolower(c); });
  if (bare.starts_with("suffice_"))
    throw InvalidArgument("the query uses the name '" + std::string(table) + "' itself",
                          "name the table with its schema, such as main." + std::string(table));
  return sql_table(syntax, table) + " AS suffice_row";
}

std::string sql_cell(const SqlSyntax& syntax, const std::string& column) {
  return "suffice_row." + sql_name(syntax, column);
}

std::string sql_type(const SqlSyntax& syntax, const std::string& column) {
  return std::string(syntax.type_of) + sql_cell(syntax, column) + std::string(syntax.type_end);
}

/// An element of an array of the answer, and what stands beside it.
struct Sum {
  std::string expression;
  AnswerKind kind;
  Index i = -1, j = -1;
};

class SumsQuery {
 public:
  SumsQuery(const Schema& schema, const SumsQueryOptions& options)
      : schema_(schema),
        options_(options),
        syntax_(syntax_with_arrays(options.dialect)),
        table_(sql_table_of(syntax_, options.table)),
        weighted_(!options.weight.empty()) {
    require_expressible();
    for (const Block& block : schema_.blocks())
      if (block.family == Family::gaussian) gaussian_.push_back(&block);
    if (is_dense() && gaussian_.size() > most_gaussian_blocks)
      throw InvalidArgument("the schema has " + std::to_string(gaussian_.size()) +
                                " Gaussian blocks, and a query can keep " +
                                std::to_string(most_gaussian_blocks) + " apart",
                            "use " + Option{"covariance", "diag"});
    list_first_sums();
    list_second_sums();
    const Index sums = std::max(sums_of_a_number * std::ssize(first_), std::ssize(second_));
    if (sums <= syntax_.most_sums) return;
    throw InvalidArgument("the query would have " + std::to_string(sums) + " sums, and " +
                              std::string(syntax_.engine) + " computes at most " +
                              std::to_string(syntax_.most_sums),
                          (is_dense() ? "use " + Option{"covariance", "diag"} + ", fewer columns, "
                                      : Sentence("use fewer columns, ")) +
                              "or read the rows instead of a query");
  }

  std::string write() {
    text_ = "-- Written by suffice stats for " + std::string(syntax_.engine) +
            ": the sums of a table, per class. suffice stats --from-sql reads the answer.\nWITH";
    write_description();
    write_cells();
    write_rows();
    write_means();
    if (!second_.empty()) write_centered_sums();
    const bool has_levels = write_counts();
    write_answer(has_levels);
    return std::move(text_);
  }

 private:
  bool is_dense() const { return options_.scatter == Scatter::dense; }
  bool has_label() const { return options_.one_class.empty(); }
  std::string real(const std::string& text) const {
    return "CAST(" + text + " AS " + std::string(syntax_.real) + ")";
  }
  std::string text(const std::string& value) const {
    return "CAST(" + value + " AS " + std::string(syntax_.text) + ")";
  }
  std::string null(std::string_view type) const {
    return "CAST(NULL AS " + std::string(type) + ")";
  }
  std::string string(std::string_view value) const { return sql_string(syntax_, value); }
  /// A literal name, in the quotes that names of the answer have.
  std::string name(const std::string& value) const { return string("'" + value + "'"); }
  /// The same of an expression.
  std::string in_quotes(const std::string& value) const {
    return string("'") + " || " + value + " || " + string("'");
  }
  static std::string x(Index j) { return sql_numbered("x", j); }
  static std::string c(Index j) { return sql_numbered("c", j); }
  std::string total(const std::string& value) const {
    return std::string(syntax_.total) + "(" + value + ")";
  }
  std::string weighted(const std::string& value) const {
    return weighted_ ? "w * " + value : value;
  }
  const FamilyDescription family(Index j) const { return describe(schema_.feature(j).family); }

  void require_expressible() const {
    const auto check = [](const std::string& column) { require_sql_text(column, "a column"); };
    if (schema_.has_indicators())
      throw InvalidArgument(
          "columns with indicators, of levels or of missing values, cannot be summed up by a query",
          "take the columns as they are: " + Option{"like"} + " a file without indicators");
    for (const Feature& feature : schema_.features()) {
      check(feature.name);
      for (const std::string& level : feature.levels) require_sql_text(level, "a level");
      if (feature.name == schema_.label() && has_label())
        throw InvalidArgument({.features = {feature.name}},
                              "the column is the label and a feature at once");
    }
    check(options_.weight);
    check(schema_.label());
    if (has_label() && schema_.label().empty())
      throw InvalidArgument("the column that has the classes is unknown",
                            "name it with " + Option{"label"});
  }

  /// The weight of the rows in which feature j is present.
  std::string weight_of(Index j) const {
    return weighted_
               ? "coalesce(" + total("CASE WHEN " + x(j) + " IS NOT NULL THEN w END") + ", 0e0)"
               : real("count(" + x(j) + ")");
  }
  /// Near the mean. Where all values are equal it is that value, so that the scatter is exactly 0.
  std::string center_of(Index j) const {
    const std::string present = total("CASE WHEN " + x(j) + " IS NOT NULL THEN w END");
    const std::string mean =
        weighted_ ? total("w * " + x(j)) + " / " + present : "avg(" + x(j) + ")";
    return "CASE WHEN min(" + x(j) + ") = max(" + x(j) + ") THEN min(" + x(j) + ") ELSE " + mean +
           " END";
  }

  void list_first_sums() {
    using enum AnswerKind;
    first_ = {{real("count(*)"), rows},
              {weighted_ ? total("w") : real("count(*)"), weight},
              {weighted_ ? total("w * w") : real("count(*)"), squared_weight},
              {real("count(bad)"), bad_rows},
              {real("min(bad)"), first_bad}};
    for (Index j = 0; j < schema_.size(); ++j) {
      if (!family(j).documents) first_.push_back({weight_of(j), weight, j});
      switch (family(j).sums) {
        case SumsKind::gaussian:
          first_.push_back({center_of(j), center, j});
          break;
        case SumsKind::counts:
          first_.push_back({"coalesce(" + total(weighted(x(j))) + ", 0e0)", sum, j});
          break;
        case SumsKind::categorical:
        case SumsKind::text:  // refused before
          break;
      }
    }
  }

  /// Whether the product of each value and its weight is a column: where it is used more than once.
  bool has_weighted_columns() const { return weighted_ && is_dense(); }

  /// Of centered values: xJ, and uJ with its weight.
  void list_second_sums() {
    for (const Block* block : gaussian_)
      for (std::size_t a = 0; a < block->features.size(); ++a) {
        const Index i = block->features[a];
        const std::string u = has_weighted_columns() ? sql_numbered("u", i) : weighted(x(i));
        second_.push_back({total(u), AnswerKind::deviation, i});
        for (std::size_t b = is_dense() ? 0 : a; b <= a; ++b) {
          const Index j = block->features[b];
          second_.push_back({total(u + " * " + x(j)), AnswerKind::product, i, j});
        }
      }
  }

  /// Begins a WITH query.
  void with(const std::string& head, std::string_view how = {}) {
    text_ += std::string(text_.ends_with("WITH") ? "" : ",") + "\nsuffice_" + head + " AS " +
             std::string(how) + "(";
  }

  /// A table of literals, of which the first row gives the types.
  void write_layout(const std::string& table, const std::vector<Sum>& sums) {
    with(table + "(n, kind, i, j)");
    text_ += "VALUES";
    for (std::size_t n = 0; n < sums.size(); ++n) {
      const auto cell = [&](Index i) {
        return i >= 0 ? std::to_string(i) : n == 0 ? null("INTEGER") : "NULL";
      };
      text_ += std::string(n == 0 ? "" : ",") + (n % 6 == 0 ? "\n  (" : " (") +
               std::to_string(n + 1) + ", " + string(to_string(sums[n].kind)) + ", " +
               cell(sums[n].i) + ", " + cell(sums[n].j) + ")";
    }
    text_ += ")";
  }

  void write_description() {
    with("description(kind, i, j, name, value)");
    text_ += "VALUES\n  ('suffice', " + null("INTEGER") + ", " + null("INTEGER") + ", " +
             null(syntax_.text) + ", 1e0)";
    Index described = 0;
    const auto row = [&](const char* kind, Index i, Index j, const std::string& named,
                         const std::string& value = "NULL") {
      const auto cell = [](Index k) { return k < 0 ? std::string("NULL") : std::to_string(k); };
      text_ += std::string(",\n  ('") + kind + "', " + cell(i) + ", " + cell(j) + ", " +
               name(named) + ", " + value + ")";
      ++described;
    };
    row("scatter", -1, -1, is_dense() ? "dense" : "diagonal");
    row("label", -1, -1, has_label() ? schema_.label() : "");
    for (Index b = 0; b < std::ssize(schema_.blocks()); ++b)
      for (Index place = 0; const Index j : schema_.blocks()[at(b)].features) {
        const Feature& feature = schema_.feature(j);
        row("feature", j, b, feature.name, std::to_string(place++) + "e0");
        row("family", j, -1, std::string(to_string(feature.family)));
        if (feature.transform != Transform::none)
          row("transform", j, -1, to_string(feature.transform));
        for (const std::string& level : feature.levels) row("level", j, -1, level);
      }
    text_ += ",\n  ('description', NULL, NULL, NULL, " + std::to_string(described) + "e0))";
    // Names of numbers depend on their type: 1.0 is the class 1.
    if (has_label()) typed_.push_back(-1);
    for (Index j = 0; j < schema_.size(); ++j)
      if (schema_.feature(j).family == Family::categorical) typed_.push_back(j);
    if (typed_.empty()) return;
    std::vector<std::string> types;
    for (const Index j : typed_)
      types.push_back(sql_type(syntax_, j < 0 ? schema_.label() : schema_.feature(j).name));
    with("types");
    text_ += "\n  SELECT " + sql_array(syntax_, types) + " AS v\n  FROM " + table_ + " LIMIT 1)";
    with("typed(n, i)");
    text_ += "VALUES";
    for (std::size_t n = 0; n < typed_.size(); ++n)
      text_ += std::string(n == 0 ? " (" : ", (") + std::to_string(n + 1) + ", " +
               (typed_[n] < 0 ? null("INTEGER") : std::to_string(typed_[n])) + ")";
    text_ += ")";
  }

  /// A number; NaN becomes NULL.
  std::string number_in(const std::string& column, Family of = Family::gaussian) const {
    const std::string cell = sql_cell(syntax_, column);
    std::string value = real(cell);
    if (of == Family::bernoulli)  // PostgreSQL makes no number of a boolean
      value = "CASE " + text(cell) + " WHEN 'true' THEN 1e0 WHEN 'false' THEN 0e0 ELSE " +
              real(text(cell)) + " END";
    return "nullif(" + value + ", " + std::string(syntax_.nan) + ")";
  }

  /// Bad rows are told; they must not end the query before that.
  static std::string finite(const std::string& value) {
    return "CASE WHEN abs(" + value + ") <= " + largest_double + " THEN " + value + " END";
  }

  void write_cells() {
    with("cells", syntax_.inlined);
    text_ += "\n  SELECT " +
             (has_label() ? text(sql_cell(syntax_, schema_.label()))
                          : text(string(options_.one_class))) +
             " AS y";
    if (weighted_) text_ += ",\n    " + number_in(options_.weight) + " AS w";
    for (Index j = 0; j < schema_.size(); ++j) {
      const Feature& feature = schema_.feature(j);
      text_ += ",\n    " +
               (feature.family == Family::categorical ? text(sql_cell(syntax_, feature.name))
                                                      : number_in(feature.name, feature.family)) +
               " AS " + x(j);
    }
    text_ += "\n  FROM " + table_ + ")";
  }

  /// The first thing that is wrong with a row, by number: −1 the weight, j a value that feature j
  /// cannot have, d + j a missing word. Then transformed values, and which blocks are complete.
  void write_rows() {
    std::string wrong;
    if (weighted_)
      wrong += " WHEN w IS NULL OR w < 0e0 OR w > " + std::string(largest_double) + " THEN -1";
    for (Index j = 0; j < schema_.size(); ++j) {
      const Feature& feature = schema_.feature(j);
      if (family(j).documents)
        wrong += " WHEN " + x(j) + " IS NULL THEN " + std::to_string(schema_.size() + j);
      const FormulaColumn column{
          .name = {}, .family = feature.family, .transform = feature.transform};
      if (const std::string outside = sql_outside(column.domain(), x(j)); !outside.empty())
        wrong += "\n      WHEN " + outside + " THEN " + std::to_string(j);
    }
    std::string part = "0";
    if (is_dense() && !gaussian_.empty()) {
      part.clear();
      for (std::size_t b = 0; b < gaussian_.size(); ++b) {
        std::vector<std::string> missing;
        for (const Index j : gaussian_[b]->features) missing.push_back(x(j) + " IS NULL");
        part += std::string(b == 0 ? "" : " + ") + "CASE WHEN " + sql_any(missing) +
                " THEN 0 ELSE " + std::to_string(Index{1} << b) + " END";
      }
    }
    with("rows", syntax_.inlined);
    text_ += "\n  SELECT y, " +
             (weighted_ ? "CASE WHEN w > 0e0 AND w <= " + std::string(largest_double) +
                              " THEN w END AS w, "
                        : "") +
             part + " AS part,\n    " +
             (wrong.empty() ? null("INTEGER") : "CASE" + wrong + " END") + " AS bad";
    for (Index j = 0; j < schema_.size(); ++j) {
      const Feature& feature = schema_.feature(j);
      const bool has_names = feature.family == Family::categorical;
      text_ += ",\n    " +
               (has_names ? x(j)
                : feature.transform == Transform::none
                    ? finite(x(j))
                    : sql_transformed(syntax_, feature.transform, x(j))) +
               " AS " + x(j);
    }
    text_ += "\n  FROM suffice_cells";
    if (weighted_) text_ += "\n  WHERE w IS NULL OR w <> 0e0";  // their values are not looked at
    text_ += std::string(syntax_.fence) + ")";
  }

  void write_means() {
    with("means", syntax_.once);
    std::vector<std::string> sums;
    for (const Sum& sum : first_) sums.push_back(sum.expression);
    text_ += "\n  SELECT y, part, " + sql_array(syntax_, sums) + " AS v";
    for (const Block* block : gaussian_)
      for (const Index j : block->features) text_ += ",\n    " + center_of(j) + " AS " + c(j);
    text_ += "\n  FROM suffice_rows GROUP BY y, part)";
    write_layout("first", first_);
  }

  void write_centered_sums() {
    with("sums");
    std::vector<std::string> sums;
    for (const Sum& sum : second_) sums.push_back(sum.expression);
    text_ += "\n  SELECT y, part, " + sql_array(syntax_, sums) +
             " AS v\n  FROM (\n    SELECT r.y, r.part" + (weighted_ && !is_dense() ? ", r.w" : "");
    for (const Block* block : gaussian_)
      for (const Index j : block->features) {
        const std::string centered = "r." + x(j) + " - m." + c(j);
        text_ += ",\n      " + centered + " AS " + x(j);
        if (has_weighted_columns())
          text_ += ", r.w * (" + centered + ") AS " + sql_numbered("u", j);
      }
    text_ +=
        "\n    FROM suffice_rows AS r JOIN suffice_means AS m ON r.y = m.y AND r.part = m.part" +
        std::string(syntax_.fence) + ") AS suffice_centered\n  GROUP BY y, part)";
    write_layout("second", second_);
  }

  bool write_counts() {
    std::vector<Index> levels;
    for (Index j = 0; j < schema_.size(); ++j)
      if (schema_.feature(j).family == Family::categorical) levels.push_back(j);
    if (levels.empty()) return false;
    const auto by_set = [&](auto&& value) {
      std::string cases = "CASE";
      for (const Index j : levels)
        cases += "\n      WHEN grouping(" + x(j) + ") = 0 THEN " + value(j);
      return cases + " END";
    };
    with("counts");
    text_ += "\n  SELECT y,\n    " + by_set([](Index j) { return std::to_string(j); }) +
             " AS i,\n    " + by_set(x) + " AS level,\n    " +
             (weighted_ ? total("w") : real("count(*)")) +
             " AS value\n  FROM suffice_rows WHERE y IS NOT NULL\n  GROUP BY GROUPING SETS (";
    for (std::size_t k = 0; k < levels.size(); ++k)
      text_ += std::string(k == 0 ? "" : ", ") + "(y, " + x(levels[k]) + ")";
    text_ += "))";
    return true;
  }

  void write_answer(bool has_levels) {
    const std::string element(syntax_.element);
    text_ += "\nSELECT " + null(syntax_.text) + " AS class, " + null("INTEGER") +
             " AS part, kind, i, j, name, value FROM suffice_description\n"
             "UNION ALL SELECT NULL, NULL, 'groups', NULL, NULL, NULL, " +
             real("count(*)") + " FROM suffice_means WHERE y IS NOT NULL\n";
    if (!typed_.empty())
      text_ += "UNION ALL SELECT NULL, NULL, 'type', i, NULL, " + in_quotes(element) +
               ", NULL FROM suffice_types CROSS JOIN suffice_typed\n";
    text_ += "UNION ALL SELECT " + in_quotes("y") + ", part, kind, i, j, NULL, " + element +
             " FROM suffice_means CROSS JOIN suffice_first WHERE y IS NOT NULL OR n = 1\n";
    if (!second_.empty())
      text_ += "UNION ALL SELECT " + in_quotes("y") + ", part, kind, i, j, NULL, " + element +
               " FROM suffice_sums CROSS JOIN suffice_second\n";
    if (has_levels)
      text_ += "UNION ALL SELECT " + in_quotes("y") + ", NULL, 'count', i, NULL, " +
               in_quotes("level") + ", value FROM suffice_counts WHERE level IS NOT NULL\n";
    text_.back() = ';';
    text_ += '\n';
  }

  const Schema& schema_;
  const SumsQueryOptions& options_;
  const SqlSyntax& syntax_;
  std::string table_;
  bool weighted_;
  std::vector<const Block*> gaussian_ = {};
  std::vector<Sum> first_ = {}, second_ = {};
  std::vector<Index> typed_ = {};  ///< features whose type is asked for; −1: the label
  std::string text_ = {};
};

}  // namespace

std::string sums_query(const Schema& schema, const SumsQueryOptions& options) {
  for (const Feature& feature : schema.features())
    if (feature.family == Family::text)
      throw InvalidArgument("a database cannot sum up the text column '" + feature.name +
                                "': it does not find the words of a document as this program does",
                            "leave the column out, or sum up the rows here");
  return SumsQuery(schema, options).write();
}

std::string columns_query(SqlDialect dialect, std::string_view table) {
  return "SELECT * FROM " + sql_table_of(syntax_with_arrays(dialect), table) + " LIMIT 0";
}

std::string types_query(SqlDialect dialect, std::string_view table,
                        const std::vector<std::string>& columns) {
  const SqlSyntax& syntax = syntax_with_arrays(dialect);
  std::string text = "SELECT ";
  for (std::size_t j = 0; j < columns.size(); ++j)
    text += (j == 0 ? "" : ", ") + sql_type(syntax, columns[j]) + " AS " +
            sql_numbered("t", static_cast<Index>(j));
  return text + " FROM " + sql_table_of(syntax, table) + " LIMIT 1";
}

SqlValues values_of_sql_type(std::string_view type) {
  std::string name(type.substr(0, type.find('(')));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  // Lists ("integer[]", "DECIMAL(9,2)[]") are neither.
  if (type.ends_with("]")) return SqlValues::unsupported;
  constexpr std::string_view numbers[] = {
      "tinyint",  "smallint",  "integer",  "int",     "bigint",   "hugeint",
      "utinyint", "usmallint", "uinteger", "ubigint", "uhugeint", "bignum",
      "decimal",  "numeric",   "real",     "float",   "double",   "double precision",
      "byte",     "short",     "long"};
  constexpr std::string_view names[] = {"varchar",   "text", "character varying",
                                        "character", "char", "\"char\"",
                                        "bpchar",    "name", "citext",
                                        "string",    "enum", "boolean",
                                        "uuid"};
  if (std::ranges::find(numbers, name) != std::end(numbers)) return SqlValues::numbers;
  if (std::ranges::find(names, name) != std::end(names)) return SqlValues::names;
  return SqlValues::unsupported;
}

}  // namespace suffice
