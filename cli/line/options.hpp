#pragma once
// Everything a person can say on the command line, as values. Which flags a verb has, what they are
// called and what the help says of them is in cli/verbs/verbs.cpp and flags.hpp.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suffice/calibrate/calibrator.hpp"
#include "suffice/contrast/drift.hpp"
#include "suffice/decide/decide.hpp"
#include "suffice/evidence/evidence.hpp"
#include "suffice/export/export.hpp"
#include "suffice/fit/fit_options.hpp"
#include "suffice/select/grid.hpp"
#include "suffice/select/select.hpp"

namespace suffice::cli {

/// How tables are read. One reader serves all verbs.
struct InputOptions {
  std::vector<std::string> paths = {};  ///< files, globs, folders, "-"
  std::string labels_file = {};         ///< --labels: labels in a file of their own
  std::string format = {};  ///< --format: csv, tsv, parquet, …; empty: by name and content
  bool header = true;       ///< false: --no-header
  char separator = 0;       ///< --separator; 0: detected
  std::vector<std::string> na = {};  ///< --na: further tokens of a missing value
  int index_base = 1;                ///< --index-base: 0 or 1, of LIBSVM files
  std::string names_file = {};       ///< --names: of columns that have none
};

/// What the columns mean.
struct ColumnOptions {
  std::string label = {};
  bool unlabelled = false;  ///< --no-label: all rows are of one class
  std::string weight = {};
  std::vector<std::string> features = {};  ///< names or patterns; empty: all the rest
  std::vector<std::string> ignore = {};    ///< names or patterns
  /// Pattern, family; the last match wins.
  std::vector<std::pair<std::string, Family>> families = {};
  /// Pattern, transformation (none: found by the rows, "auto"); the last match wins.
  std::vector<std::pair<std::string, std::optional<Transform>>> transforms = {};
  /// --transform auto, of some column.
  bool finds_transforms() const {
    return std::ranges::any_of(transforms, [](const auto& rule) { return !rule.second; });
  }
  TextOptions text = {};       ///< --tokens and its companions: of all text columns
  std::string text_flag = {};  ///< the last of these that was given
  std::string fold = {};       ///< select: the column that names the folds
  std::string like = {};       ///< a model or statistics file
  /// select: columns that have an indicator of missing values beside them.
  std::vector<std::string> missing_indicators = {};
};

/// Priors and costs as written down; they meet the classes when the model is open.
struct PriorOption {
  /// pseudo_counts: training frequencies, with a number of rows more for each class (`listed` has
  /// one number) or for each class by itself.
  enum class Kind { train, uniform, given, listed, file, pseudo_counts };
  Kind kind = Kind::train;
  std::vector<std::pair<std::string, double>> given = {};  ///< weights by class
  std::vector<double> listed = {};                         ///< weights in the order of the classes
  std::string file = {};                                   ///< that has weights by class
};

struct CostOption {
  std::string file = {};                   ///< empty: `entries`
  std::vector<Costs::Entry> entries = {};  ///< empty and no file: every mistake costs 1
  bool is_given() const { return !file.empty() || !entries.empty(); }
};

struct DecisionOptions {
  PriorOption prior = {};
  CostOption cost = {};
  std::optional<double> reject = {};
  std::optional<double> outlier = {};
};

/// Columns that predict can write beside the label, in the order in which it writes them.
enum class OutputColumn { proba, loglik, llr, logpx, outlier, set, evidence, typicality };

/// predict: of which ratio the evidence is.
struct EvidenceChoice {
  std::string between = {};               ///< --between: "A,B"; empty: not given
  std::string of = {};                    ///< --for: a class against all others; empty: not given
  std::optional<EvidenceUnit> unit = {};  ///< unset: nats
  /// --reasons: columns with the most weight, as text. Unset: none; suspects names three.
  std::optional<std::int64_t> reasons = {};
};

/// predict and evaluate: sets of classes.
struct SetChoice {
  std::optional<double> coverage = {};  ///< --coverage; predict: 0.9
  bool per_class = false;
  bool allow_empty = false;
};

/// What plot draws.
enum class PlotKind {
  densities,
  posteriors,
  regions,
  ellipses,
  correlations,
  confusion,
  bayes_error,
  det,
  roc,
  reliability,
  ratios,
  evidence
};

/// select: families or transformations of a column, of which each is tried.
struct ColumnList {
  std::string flag;                ///< --family or --transform
  std::string column;              ///< a name or pattern
  std::vector<std::string> words;  ///< two or more
};

/// How select chooses.
struct ChoiceOptions {
  Grid grid = {};  ///< what it chooses among
  std::vector<ColumnList> columns = {};
  Index folds = 5;  ///< 0: one row at a time
  Criterion criterion = Criterion::log_loss;
  bool calibrate = true;  ///< --calibration auto
  bool one_standard_error = false;
  std::string predictions = {};  ///< --predictions: the file of out-of-fold answers
};

/// export: the target, and its options except priors and costs.
struct ExportChoice {
  std::optional<ExportTarget> to = {};
  ExportOptions options = {};
};

/// drift: what is compared, and what is large enough to matter.
struct DriftChoice {
  DriftOptions options = {};              ///< but the seed
  bool common = false;                    ///< --common: only the columns that both have
  std::optional<double> fail_above = {};  ///< --fail-above: an AUC
};

/// stats: sums that a database computes.
struct SqlOptions {
  std::optional<SqlDialect> dialect = {};  ///< --sql: the query for them is written
  std::string table = {};                  ///< --table
  bool answer = false;                     ///< --from-sql: DATA is the answer of such a query
};

struct Options {
  std::string command;  ///< the whole line, as a shell reads it
  std::string model;    ///< predict, evaluate, show, sample: the file that comes first
  std::string output;   ///< -o; empty: standard output, or the verb's default name
  InputOptions input;
  ColumnOptions columns;
  /// fit: all that is asked of training but what the columns and the seed say (verbs/fit.cpp).
  /// stats takes its covariance, of which only the scatter matters; select its passes, its restarts
  /// and what it does about missing numbers.
  FitOptions fit;
  DecisionOptions decision;
  ChoiceOptions choice;
  bool all_rows = false;                                 ///< suspects --all
  CalibrationMethod method = CalibrationMethod::affine;  ///< calibrate
  bool training_error = false;                           ///< fit
  double confidence = 0.95;                              ///< priors: of the intervals
  std::int64_t reservoir = 0;                            ///< stats: rows that are kept in the file
  /// fit --calibration FILE: tables whose rows calibrate.
  std::vector<std::string> calibration_files = {};
  std::vector<OutputColumn> output_columns;  ///< predict, sorted
  EvidenceChoice evidence = {};              ///< predict
  SetChoice sets = {};                       ///< predict, evaluate
  std::int64_t row = 1;                      ///< explain, plot --what evidence
  std::optional<PlotKind> plot = {};         ///< plot --what
  bool live = false;                         ///< report: a page that can be changed
  bool discriminant = false;                 ///< show
  bool tests = false;                        ///< show, of statistics
  bool boundary = false;                     ///< show, of `feature`
  std::string feature = {};
  std::int64_t top = 10;                  ///< show: features that tell the classes apart
  std::int64_t count = 0;                 ///< sample -n
  std::string class_label;                ///< sample --class; empty: classes by --prior
  std::int64_t document_length = 100;     ///< sample: words of a document
  bool safe_csv = false;                  ///< predict, sample
  std::vector<std::string> kept_columns;  ///< predict --keep: patterns of names
  std::optional<int> digits;  ///< predict --digits: significant digits of numbers; 0: all
  bool compat = false;        ///< predict --compat: former names of columns
  ExportChoice exported;      ///< export
  SqlOptions sql;             ///< stats
  DriftChoice drift = {};     ///< drift
  int threads = 0;            ///< 0: SUFFICE_THREADS, or the CPUs there are
  std::uint64_t seed = 0;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
};

}  // namespace suffice::cli
