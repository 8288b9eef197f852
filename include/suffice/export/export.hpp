#pragma once
// A model in a form that other programs run: C, SQL, ONNX and JSON. Each has the whole path from a
// row to a decision:
//
//   columns → transformations → log p(x | c) → calibration → priors → posteriors → decision
//
// Rows that `log_likelihood` scores get the same scores, to rounding. A value that a column cannot
// have, and a missing value in a joint Gaussian block, give no scores and no decision instead of an
// error; everywhere else a missing value is left out, exactly. docs/export.md describes each form.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/core/execution.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/models/model.hpp"

namespace suffice {

enum class ExportTarget { c, sql, onnx, json };
enum class SqlDialect { duckdb, postgres, sqlite, spark };
/// The type of the numbers.
enum class Real { float64, float32 };
/// What the graph of an ONNX file is given.
enum class OnnxInput {
  columns,  ///< one input for each column: numbers, or names of levels
  matrix,   ///< one matrix of numbers; a categorical column has the numbers of levels
};

std::string_view to_string(ExportTarget target);
std::string_view to_string(SqlDialect dialect);
std::string_view to_string(Real real);  ///< "double", "float"
std::string_view to_string(OnnxInput input);
/// Each throws InvalidArgument, listing the values.
ExportTarget export_target_from_string(std::string_view name);
SqlDialect sql_dialect_from_string(std::string_view name);
Real real_from_string(std::string_view name);
OnnxInput onnx_input_from_string(std::string_view name);

/// An option that is not given has the default in its comment; one that the target does not have is
/// refused.
struct ExportOptions {
  std::optional<std::string> name = {};    ///< C: the prefix of all names; ONNX: the graph. "model"
  std::optional<std::string> table = {};   ///< SQL: the table with the rows. "data"
  std::optional<SqlDialect> dialect = {};  ///< SQL. duckdb
  std::optional<Real> real = {};           ///< C, ONNX. float64
  std::optional<OnnxInput> input = {};     ///< ONNX. columns
  /// Log-likelihoods without the terms that all classes share, as ScoreOptions::relative: tied
  /// covariances become linear. Posteriors and decisions stay as they are.
  bool relative = false;
  /// Other names of the classes and columns, in the order of the model's; empty: the model's. For
  /// models that number their classes.
  std::vector<std::string> labels = {}, columns = {};
  std::optional<Priors> priors = {};  ///< the default of the file: the training frequencies
  std::optional<Costs> costs = {};    ///< the default of the file: 1 for every mistake
};

/// All targets, in the order of the enumeration.
std::span<const ExportTarget> export_targets();
/// What a file of that target ends in: ".h".
std::string_view ending_of(ExportTarget target);
/// Whether the file is bytes rather than text.
bool is_binary(ExportTarget target);

/// Throws InvalidArgument where an option is given that the target does not have, or has a value
/// that it cannot have.
void check_export(ExportTarget target, const ExportOptions& options);

/// The columns of each joint density of several columns: a row that lacks some of them, but not
/// all, has no scores and no decision in the exported forms.
std::vector<std::vector<std::string>> joint_columns(const Model& model);

/// The whole file. Throws InvalidArgument as check_export, and where the target cannot express the
/// model: the message names the part and what to do.
std::string export_model(const Model& model, ExportTarget target, const ExportOptions& options = {},
                         const Execution& execution = {});

}  // namespace suffice
