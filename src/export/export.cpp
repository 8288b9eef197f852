#include "suffice/export/export.hpp"

#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "export/c.hpp"
#include "export/formula.hpp"
#include "export/json.hpp"
#include "export/onnx.hpp"
#include "export/sql.hpp"
#include "export/text.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// A target and what it has; the next one is a row here, and a file.
struct TargetRow {
  ExportTarget target;
  std::string_view name, ending;
  bool binary;
  std::vector<std::string_view> options;  ///< of those that some targets lack
  std::string (*write)(const Model&, const Formula&, const ExportOptions&, const Execution&);
};

const std::vector<TargetRow>& target_rows() {
  static const std::vector<TargetRow> rows = {
      {ExportTarget::c, "c", ".h", false, {"name", "real"}, write_c},
      {ExportTarget::sql,
       "sql",
       ".sql",
       false,
       {"dialect", "table"},
       [](const Model&, const Formula& formula, const ExportOptions& options, const Execution&) {
         return write_sql(formula, options);
       }},
      {ExportTarget::onnx,
       "onnx",
       ".onnx",
       true,
       {"name", "real", "input"},
       [](const Model&, const Formula& formula, const ExportOptions& options, const Execution&) {
         return write_onnx(formula, options);
       }},
      {ExportTarget::json,
       "json",
       ".json",
       false,
       {},
       [](const Model&, const Formula& formula, const ExportOptions&, const Execution&) {
         return write_json(formula);
       }},
  };
  return rows;
}

const TargetRow& row_of(ExportTarget target) {
  return target_rows()[static_cast<std::size_t>(target)];
}

constexpr std::array dialect_names = {"duckdb", "postgres", "sqlite", "spark"};
constexpr std::array real_names = {"double", "float"};
constexpr std::array input_names = {"columns", "matrix"};

template <class Enum, class List>
Enum from_list(const List& names, std::string_view name, const char* what) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
    all += (i ? ", " : "") + std::string(names[i]);
  }
  throw InvalidArgument(std::string("'") + std::string(name) + "' is no " + what,
                        "use one of " + all);
}

bool is_identifier(std::string_view name) {
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name)
    if (static_cast<unsigned char>(c) >= 128 ||
        !(std::isalnum(static_cast<unsigned char>(c)) || c == '_'))
      return false;
  return true;
}

}  // namespace

std::string_view to_string(ExportTarget target) { return row_of(target).name; }
std::string_view to_string(SqlDialect dialect) {
  return dialect_names[static_cast<std::size_t>(dialect)];
}
std::string_view to_string(Real real) { return real_names[static_cast<std::size_t>(real)]; }
std::string_view to_string(OnnxInput input) { return input_names[static_cast<std::size_t>(input)]; }

ExportTarget export_target_from_string(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TargetRow& row : target_rows()) names.push_back(row.name);
  return from_list<ExportTarget>(names, name, "export target");
}
SqlDialect sql_dialect_from_string(std::string_view name) {
  return from_list<SqlDialect>(dialect_names, name, "SQL dialect");
}
Real real_from_string(std::string_view name) {
  return from_list<Real>(real_names, name, "type of numbers");
}
OnnxInput onnx_input_from_string(std::string_view name) {
  return from_list<OnnxInput>(input_names, name, "kind of input");
}

std::span<const ExportTarget> export_targets() {
  static const std::vector<ExportTarget> targets = [] {
    std::vector<ExportTarget> list;
    for (const TargetRow& row : target_rows()) list.push_back(row.target);
    return list;
  }();
  return targets;
}
std::string_view ending_of(ExportTarget target) { return row_of(target).ending; }
bool is_binary(ExportTarget target) { return row_of(target).binary; }

void check_export(ExportTarget target, const ExportOptions& options) {
  const TargetRow& row = row_of(target);
  const auto check = [&](const char* name, bool given) {
    if (!given) return;
    std::string having;
    for (const TargetRow& other : target_rows())
      for (const std::string_view option : other.options)
        if (option == name) having += (having.empty() ? "" : " and ") + std::string(other.name);
    for (const std::string_view option : row.options)
      if (option == name) return;
    throw InvalidArgument(
        Sentence("an export to ") + std::string(row.name) + " has no " + Option{name},
        "it belongs to " + having);
  };
  check("name", options.name.has_value());
  check("table", options.table.has_value());
  check("dialect", options.dialect.has_value());
  check("real", options.real.has_value());
  check("input", options.input.has_value());
  if (options.name && target == ExportTarget::c && !is_identifier(*options.name))
    throw InvalidArgument("the name '" + *options.name + "' cannot begin the names of a C program",
                          "use a letter, then letters, digits and underscores");
  if (options.name && (options.name->empty() || !is_utf8(*options.name)))
    throw InvalidArgument("the name is empty or not UTF-8 text");
  if (options.table && (options.table->empty() || !is_utf8(*options.table) ||
                        options.table->find('\0') != std::string::npos))
    throw InvalidArgument("the name of the table is empty or not UTF-8 text");
}

std::vector<std::vector<std::string>> joint_columns(const Model& model) {
  const Formula formula = make_formula(model, {});
  std::vector<std::vector<std::string>> result;
  for (const FormulaBlock& block : formula.blocks) {
    if (!std::holds_alternative<JointTerms>(block.terms) || !block.projection.empty()) continue;
    std::vector<std::string> names;  // indicators are never missing
    for (const Index j : block.columns)
      if (const FormulaColumn& column = formula.columns[static_cast<std::size_t>(j)]; !column.level)
        names.push_back(column.name);
    if (!names.empty()) result.push_back(std::move(names));
  }
  return result;
}

std::string export_model(const Model& model, ExportTarget target, const ExportOptions& options,
                         const Execution& execution) {
  check_export(target, options);
  for (const Feature& feature : model.schema().features())
    if (feature.family == Family::text && target != ExportTarget::json)
      throw InvalidArgument(
          "the text column '" + feature.name + "' cannot be exported to " +
              std::string(row_of(target).name) +
              ", which does not find the words of a document as this program does",
          "export to json, which lists the words and their weights, or leave the column out");
  const Formula formula = make_formula(model, options);
  return row_of(target).write(model, formula, options, execution);
}

}  // namespace suffice
