#include "cli/verbs/verb_flags.hpp"

#include <cmath>

#include "cli/line/fail.hpp"
#include "cli/line/option_values.hpp"

namespace suffice::cli {
namespace {

/// Those that queries of sums are written for.
constexpr SqlDialect sums_dialects[] = {SqlDialect::duckdb, SqlDialect::postgres,
                                        SqlDialect::spark};

constexpr Criterion criteria[] = {Criterion::error, Criterion::log_loss, Criterion::cost};

Flag safe_csv_flag() {
  return {.names = "--safe-csv",
          .description =
              "For spreadsheets: a label, level or column name that begins with =, +, - or @ "
              "and is no number has an apostrophe before it, so that it is no formula.",
          .store = [](Options& o, std::string_view, const std::string&) { o.safe_csv = true; }};
}

}  // namespace

FlagGroup choice_flags() {
  return {
      "Choice",
      {
          {.names = "--folds",
           .value = "K|loo",
           .description = "Deals the rows of each class to K folds, by --seed; each is scored by "
                          "the models of the "
                          "others. loo leaves out one row at a time.",
           .fallback = "5",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.choice.folds = v == "loo" ? 0 : whole_number_of(flag, v, 2);
               }},
          {.names = "--fold-column",
           .value = "COLUMN",
           .description = "The column that names the fold of each row, instead of --folds.",
           .store = [](Options& o, std::string_view, const std::string& v) { o.columns.fold = v; }},
          {.names = "--criterion",
           .value = "error|log-loss|cost",
           .description =
               "What is compared: the error rate, the log-loss, or the mean cost under --cost.",
           .fallback = "log-loss",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.choice.criterion = criteria[choice_of(flag, v, {"error", "log-loss", "cost"})];
               }},
          {.names = "--calibration",
           .value = "auto|none",
           .description = "auto calibrates each candidate on the scores of the rows that it was "
                          "not estimated from: a scale per block and an offset per class. none "
                          "leaves the scores as they are.",
           .fallback = "auto",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.choice.calibrate = choice_of(flag, v, {"auto", "none"}) == 0;
               }},
          {.names = "--one-se",
           .description = "Chooses the model with the fewest parameters within one standard error "
                          "of the best.",
           .store = [](Options& o, std::string_view,
                       const std::string&) { o.choice.one_standard_error = true; }},
          {.names = "--predictions",
           .value = "FILE",
           .description = "Also writes what the chosen model says of each row when the row's fold "
                          "is left out, as CSV (or .tsv, .parquet, .arrow): the row's number, its "
                          "class and fold, then the decision and the probabilities as predict has "
                          "them.",
           .store = [](Options& o, std::string_view,
                       const std::string& v) { o.choice.predictions = v; }},
      }};
}

FlagGroup fit_calibration_flag() {
  return {"Model",
          {
              {.names = "--calibration",
               .value = "auto|none|FILE",
               .description =
                   "auto finds a scale per block and an offset per class that make probabilities "
                   "trustworthy, by scores of rows that had no part in estimating (leave-one-out "
                   "where that is exact and cheap, otherwise 5 folds). It reads DATA again, except "
                   "with --covariance auto. A FILE (or several, with several flags) has rows "
                   "that calibrate instead, as in suffice calibrate.",
               .fallback = "auto with --covariance auto, otherwise none",
               .repeatable = true,
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     if (v.find_first_of("./-") != std::string::npos)
                       o.calibration_files.push_back(v);
                     else
                       o.fit.calibrate = choice_of(flag, v, {"auto", "none"}) == 0;
                   }},
          }};
}

FlagGroup fit_category_flag() {
  return {"Columns",
          {
              {.names = "--categories",
               .value = "apart|within|auto",
               .description =
                   "apart: categorical columns are independent of all others, given the class. "
                   "within: indicators (0 or 1) of their levels join the numbers in the "
                   "the numbers, which reads DATA a second time. auto: within if it predicts "
                   "better.",
               .fallback = "apart; auto where fit chooses the model",
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     o.fit.categories =
                         static_cast<Categories>(choice_of(flag, v, {"apart", "within", "auto"}));
                   }},
          }};
}

FlagGroup priors_flags() {
  return {"Output",
          {
              {.names = "--confidence",
               .value = "P",
               .description = "The probability with which an interval holds the share.",
               .fallback = "0.95",
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     o.confidence = number_of(flag, v);
                     if (!(o.confidence > 0 && o.confidence < 1))
                       fail("{} must lie between 0 and 1, not {}", flag, v);
                   }},
          }};
}

FlagGroup fit_missing_flags() {
  return {
      "Missing numbers",
      {
          {.names = "--missing",
           .value = "auto|em|complete",
           .description =
               "What full and tied covariances do about rows that lack a number. em uses all of "
               "them: the EM algorithm reads DATA several times and replaces what is missing by "
               "its expectation given the row's other numbers. complete leaves such rows out. auto "
               "is em if a class would lose more than a tenth of its rows, complete otherwise. "
               "Other structures use every number that is present.",
           .fallback = "auto",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.fit.missing =
                     static_cast<MissingNumbers>(choice_of(flag, v, {"auto", "em", "complete"}));
               }},
          {.names = "--missing-indicators",
           .value = "auto|yes|no",
           .description =
               "yes: beside each column with missing values there is a feature (bernoulli) that "
               "says whether the value is missing, for tables where that depends on the class. "
               "auto: if it predicts better. DATA is read another time.",
           .fallback = "no; auto where fit chooses the model",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.fit.missing_indicators =
                     static_cast<MissingIndicators>(choice_of(flag, v, {"no", "yes", "auto"}));
               }},
          {.names = "--iterations",
           .value = "N",
           .description = "Passes of EM at most.",
           .fallback = "200",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.fit.passes.iterations = whole_number_of(flag, v, 1);
               }},
          {.names = "--tolerance",
           .value = "NUMBER",
           .description = "EM stops where a pass changes the log-likelihood by no more than that "
                          "many nats per row.",
           .fallback = "1e-6",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.fit.passes.tolerance = number_of(flag, v);
                 if (!(o.fit.passes.tolerance >= 0))
                   fail("{} must not be negative, not {}", flag, v);
               }},
      }};
}

FlagGroup fit_restarts_flag() {
  return {"Model",
          {{.names = "--restarts",
            .value = "N",
            .description = "For --components: starts of EM that are tried on a sample of the rows; "
                           "the best one is continued on all rows.",
            .fallback = "5",
            .store = [](Options& o, std::string_view flag, const std::string& v) {
              o.fit.restarts = whole_number_of(flag, v, 1);
            }}}};
}

FlagGroup fit_unlabelled_flags() {
  return {
      "Rows",
      {
          {.names = "--max-rows",
           .value = "N",
           .description = "Learns from N rows that have a label, drawn at random by --seed: the "
                          "same for all formats and numbers of threads. They are kept in memory.",
           .fallback = "all rows",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.fit.max_rows = whole_number_of(flag, v, 1); }},
          {.names = "--unlabelled",
           .value = "use|ignore",
           .description = "Rows without a label: use has them improve the densities, by EM. The "
                          "frequencies of the classes stay those of the labelled rows.",
           .fallback = "ignore",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.fit.use_unlabelled = choice_of(flag, v, {"use", "ignore"}) == 0;
               }},
          {.names = "--unlabelled-weight",
           .value = "W",
           .description =
               "How much a row without a label counts, compared with one that has a label.",
           .fallback = "1",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.fit.unlabelled_weight = number_of(flag, v);
                 if (!(o.fit.unlabelled_weight > 0) || !std::isfinite(o.fit.unlabelled_weight))
                   fail("{} must be positive, not {}", flag, v);
               }},
      }};
}

FlagGroup calibrate_flags() {
  return {
      "Calibration",
      {
          {.names = "--method",
           .value = "affine|isotonic",
           .description = "affine: a scale per block and an offset per class. isotonic, for two "
                          "classes: then also a rising step function of the log-likelihood "
                          "ratio; it takes some hundred rows of each class.",
           .fallback = "affine",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.method = choice_of(flag, v, {"affine", "isotonic"}) == 0
                                ? CalibrationMethod::affine
                                : CalibrationMethod::isotonic;
               }},
      }};
}

FlagGroup fit_fold_flag() {
  return {
      "Choice",
      {
          {.names = "--fold-column",
           .value = "COLUMN",
           .description = "Rows with the same value here belong together (a person, a video): "
                          "they are left out together when the model is chosen and calibrated. "
                          "It reads DATA twice more.",
           .store = [](Options& o, std::string_view, const std::string& v) { o.columns.fold = v; }},
      }};
}

FlagGroup fit_flags() {
  return {"Output",
          {
              {.names = "--training-error",
               .description =
                   "Reads DATA a second time and says how many of its rows the model gets wrong.",
               .store = [](Options& o, std::string_view,
                           const std::string&) { o.training_error = true; }},
          }};
}

FlagGroup reservoir_flag() {
  return {
      "Rows",
      {
          {.names = "--reservoir",
           .value = "N",
           .description = "Also keeps a sample of N rows in the file, with which fit can choose "
                          "and calibrate a model. They are rows of the data as they are, for "
                          "everyone who has the file.",
           .fallback = "0, sums only",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.reservoir = whole_number_of(flag, v, 1); }},
      }};
}

namespace {

Flag keep_flag() {
  return {.names = "--keep",
          .value = "COLUMNS",
          .description =
              "Columns of DATA, such as an id, that are carried along before the "
              "answers; patterns such as 'id*' are possible.",
          .repeatable = true,
          .store = [](Options& o, std::string_view flag, const std::string& v) {
            for (std::string& name : list_of(flag, v)) o.kept_columns.push_back(std::move(name));
          }};
}

Flag digits_flag() {
  return {.names = "--digits",
          .value = "N|full",
          .description =
              "How many significant digits numbers have in CSV, TSV and JSON; full "
              "writes as many as are needed to read the same number back.",
          .fallback = "6 for probabilities in CSV and TSV, full for all else",
          .store = [](Options& o, std::string_view flag, const std::string& v) {
            o.digits = v == "full" ? 0 : static_cast<int>(whole_number_of(flag, v, 1));
          }};
}

}  // namespace

FlagGroup predict_flags() {
  return {"Output",
          {
              {.names = "--output",
               .value = "COLUMNS",
               .description =
                   "Columns to write after the label: proba, loglik, llr (per class), logpx, "
                   "outlier, set (the classes that remain possible), evidence (per "
                   "column of DATA) and typicality (per class), separated by commas.",
               .repeatable = true,
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     for (const std::string& name : list_of(flag, v))
                       o.output_columns.push_back(static_cast<OutputColumn>(
                           choice_of(flag, name,
                                     {"proba", "loglik", "llr", "logpx", "outlier", "set",
                                      "evidence", "typicality"})));
                     std::sort(o.output_columns.begin(), o.output_columns.end());
                     o.output_columns.erase(
                         std::unique(o.output_columns.begin(), o.output_columns.end()),
                         o.output_columns.end());
                   }},
              keep_flag(),
              digits_flag(),
              {.names = "--compat",
               .description = "With two classes A and B the column of log-likelihood ratios is "
                              "called llr, as in earlier versions, instead of llr:A/B.",
               .store = [](Options& o, std::string_view, const std::string&) { o.compat = true; }},
              safe_csv_flag(),
          }};
}

FlagGroup set_flags() {
  return {
      "Sets",
      {
          {.names = "--coverage",
           .value = "SHARE",
           .description = "How often sets of classes contain the true one, of rows like those that "
                          "were held out: 0.8, 0.95.",
           .fallback = "0.9 in predict --output set; evaluate reports on sets if it is given",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.sets.coverage = number_of(flag, v);
                 if (!(*o.sets.coverage > 0 && *o.sets.coverage < 1))
                   fail("{}: {} is not between 0 and 1", flag, v);
               }},
          {.names = "--per-class",
           .description = "So often of the rows of each class, whatever the shares of the classes.",
           .store = [](Options& o, std::string_view,
                       const std::string&) { o.sets.per_class = true; }},
          {.names = "--allow-empty",
           .description = "A row that is unlike all classes may have an empty set; otherwise the "
                          "most probable class is in every set.",
           .store = [](Options& o, std::string_view,
                       const std::string&) { o.sets.allow_empty = true; }},
      }};
}

FlagGroup suspects_flags() {
  return {
      "Output",
      {
          {.names = "--all",
           .description = "All rows, in the order of DATA; otherwise those that are suspect, "
                          "the worst first.",
           .store = [](Options& o, std::string_view, const std::string&) { o.all_rows = true; }},
          {.names = "--reasons",
           .value = "N",
           .description = "How many columns of DATA the reasons name.",
           .fallback = "3",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.evidence.reasons = whole_number_of(flag, v, 0); }},
          keep_flag(),
          digits_flag(),
          safe_csv_flag(),
      }};
}

namespace {

std::vector<Flag> contrast_flags() {
  return {
      {.names = "--between",
       .value = "A,B",
       .description = "Evidence for class A against class B.",
       .fallback = "the decided class against the runner-up",
       .store = [](Options& o, std::string_view, const std::string& v) { o.evidence.between = v; }},
      {.names = "--for",
       .value = "A",
       .description = "Evidence for class A against all others, mixed by their priors.",
       .store = [](Options& o, std::string_view, const std::string& v) { o.evidence.of = v; }},
      {.names = "--unit",
       .value = "nats|bits|db",
       .description = "Of evidence: natural logarithms, logarithms to the base 2, or "
                      "decibels.",
       .fallback = "nats",
       .store =
           [](Options& o, std::string_view flag, const std::string& v) {
             o.evidence.unit =
                 static_cast<EvidenceUnit>(choice_of(flag, v, {"nats", "bits", "db"}));
           }},
  };
}

}  // namespace

FlagGroup evidence_flags() {
  FlagGroup group = {
      "Evidence",
      {{.names = "--reasons",
        .value = "N",
        .description = "Also a column 'reasons': the N columns of DATA with the most "
                       "evidence as text, each with its value.",
        .store = [](Options& o, std::string_view flag, const std::string& v) {
          o.evidence.reasons = whole_number_of(flag, v, 1);
        }}}};
  for (Flag& flag : contrast_flags()) group.flags.push_back(std::move(flag));
  return group;
}

FlagGroup explain_flags() {
  FlagGroup group = {"Evidence",
                     {{.names = "--row",
                       .value = "N",
                       .description = "Which row of DATA; 1 is the first.",
                       .fallback = "1",
                       .store = [](Options& o, std::string_view flag, const std::string& v) {
                         o.row = whole_number_of(flag, v, 1);
                       }}}};
  for (Flag& flag : contrast_flags()) group.flags.push_back(std::move(flag));
  return group;
}

FlagGroup show_flags() {
  return {
      "Output",
      {
          {.names = "--top",
           .value = "N",
           .description =
               "How many features to show: those that tell the classes apart best; 0 is all.",
           .fallback = "10",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.top = whole_number_of(flag, v, 0); }},
          {.names = "--discriminant",
           .description =
               "Also the linear or quadratic function of each class behind the decisions, or "
               "the log-odds of two classes.",
           .store = [](Options& o, std::string_view,
                       const std::string&) { o.discriminant = true; }},
          {.names = "--tests",
           .description =
               "Of a statistics file: the tables of a discriminant analysis. Wilks' Λ, F and η² of "
               "each column, the multivariate tests, canonical correlations, standardised "
               "coefficients, distances of the classes, and Box's M.",
           .store = [](Options& o, std::string_view, const std::string&) { o.tests = true; }},
          {.names = "--boundary",
           .description = "Also the points along --feature where the decision changes, under "
                          "--prior and --cost; the other columns are not known.",
           .store = [](Options& o, std::string_view, const std::string&) { o.boundary = true; }},
          {.names = "--feature",
           .value = "COLUMN",
           .description = "The column of --boundary, a number.",
           .store = [](Options& o, std::string_view, const std::string& v) { o.feature = v; }},
      }};
}

FlagGroup sample_flags() {
  return {
      "Output",
      {
          {.names = "-n",
           .value = "N",
           .description = "How many rows to draw.",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.count = whole_number_of(flag, v, 1); }},
          {.names = "--class",
           .value = "LABEL",
           .description = "Draws rows of this class only.",
           .fallback = "all classes, by --prior",
           .store = [](Options& o, std::string_view, const std::string& v) { o.class_label = v; }},
          {.names = "--document-length",
           .value = "N",
           .description = "Words of each row in a multinomial block.",
           .fallback = "100",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.document_length = whole_number_of(flag, v, 0); }},
          safe_csv_flag(),
      }};
}

FlagGroup export_flags() {
  return {
      "Export",
      {
          {.names = "--to",
           .value = "c|sql|onnx|json",
           .description = "The form: a C99 header, an SQL query, an ONNX graph or a description "
                          "in JSON.",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.exported.to =
                     static_cast<ExportTarget>(choice_of(flag, v, {"c", "sql", "onnx", "json"}));
               }},
          {.names = "--name",
           .value = "NAME",
           .description = "What all names of a C header begin with, or the name of an ONNX graph.",
           .fallback = "model",
           .store = [](Options& o, std::string_view,
                       const std::string& v) { o.exported.options.name = v; }},
          {.names = "--real",
           .value = "double|float",
           .description = "The type of the numbers in C and ONNX.",
           .fallback = "double",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.exported.options.real =
                     static_cast<Real>(choice_of(flag, v, {"double", "float"}));
               }},
          {.names = "--dialect",
           .value = "duckdb|postgres|sqlite|spark",
           .description = "The engine that an SQL query is for.",
           .fallback = "duckdb",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.exported.options.dialect = static_cast<SqlDialect>(
                     choice_of(flag, v, {"duckdb", "postgres", "sqlite", "spark"}));
               }},
          {.names = "--table",
           .value = "TABLE",
           .description = "The table with the rows of an SQL query: table or schema.table.",
           .fallback = "data",
           .store = [](Options& o, std::string_view,
                       const std::string& v) { o.exported.options.table = v; }},
          {.names = "--input",
           .value = "columns|matrix",
           .description = "What an ONNX graph is given: one input for each column, or one matrix "
                          "with the numbers of levels.",
           .fallback = "columns",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.exported.options.input =
                     static_cast<OnnxInput>(choice_of(flag, v, {"columns", "matrix"}));
               }},
          {.names = "--relative",
           .description = "Leaves out of the log-likelihoods what all classes share: shorter and "
                          "faster, with the same posteriors and decisions.",
           .store = [](Options& o, std::string_view,
                       const std::string&) { o.exported.options.relative = true; }},
      }};
}

FlagGroup report_flags() {
  return {"Page",
          {
              {.names = "--live",
               .description =
                   "Adds the engine, statistics and a sample of at most 10,000 rows of DATA to the "
                   "page, in which priors, costs and the estimate can then be changed. The rows "
                   "are in the file, for everyone who has it.",
               .store = [](Options& o, std::string_view, const std::string&) { o.live = true; }},
          }};
}

FlagGroup plot_flags() {
  return {
      "Picture",
      {
          {.names = "--what",
           .value = "PICTURE",
           .description = "densities, posteriors, regions, ellipses, correlations; of an "
                          "evaluation on DATA: confusion, bayes-error, det, roc, reliability, "
                          "ratios; of a row of DATA: evidence.",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.plot = static_cast<PlotKind>(choice_of(
                     flag, v,
                     {"densities", "posteriors", "regions", "ellipses", "correlations", "confusion",
                      "bayes-error", "det", "roc", "reliability", "ratios", "evidence"}));
               }},
          {.names = "--features",
           .value = "NAMES",
           .description = "The features on the axes, separated by commas. By default those "
                          "that separate the classes best, or the plane of the discriminant "
                          "directions.",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.columns.features = list_of(flag, v); }},
      }};
}

FlagGroup sql_flags() {
  return {
      "Database",
      {
          {.names = "--sql",
           .value = "duckdb|postgres|spark",
           .description =
               "Writes an SQL query that computes the sums in the database, to -o or to "
               "standard output. Columns and families are those of --like, of DATA (some rows "
               "of the table as a file), or of --features and --family.",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.sql.dialect = sums_dialects[choice_of(flag, v, {"duckdb", "postgres", "spark"})];
               }},
          {.names = "--table",
           .value = "TABLE",
           .description = "The table or view that the query of --sql reads: table or "
                          "schema.table.",
           .fallback = "data",
           .store = [](Options& o, std::string_view, const std::string& v) { o.sql.table = v; }},
          {.names = "--from-sql",
           .description = "DATA is the answer of a query that --sql wrote, as CSV or Parquet. "
                          "It says itself what its columns mean.",
           .store = [](Options& o, std::string_view, const std::string&) { o.sql.answer = true; }},
      }};
}

}  // namespace suffice::cli
