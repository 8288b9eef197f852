#include "cli/commands/verbs.hpp"

#include <algorithm>
#include <limits>

#include "cli/commands/stats_sql.hpp"
#include "cli/line/flags.hpp"
#include "cli/line/model_flags.hpp"
#include "cli/line/option_values.hpp"

namespace suffice::cli {

// Each is defined in the file of its verb.
void fit(const Context& context);
void predict(const Context& context);
void evaluate(const Context& context);
void select_model(const Context& context);
void calibrate_model(const Context& context);
void stats(const Context& context);
void merge_files(const Context& context);
void subtract_files(const Context& context);
void show(const Context& context);
void sample_rows(const Context& context);
void plot_model(const Context& context);
void report(const Context& context);
void play(const Context& context);
void estimate_priors(const Context& context);
void export_file(const Context& context);

void check_fit(const Command& command);
void check_select(const Command& command);
void check_stats(const Command& command);
void check_merge(const Command& command);
void check_subtract(const Command& command);
void check_sample(const Command& command);
void check_plot(const Command& command);
void check_export(const Command& command);

namespace {

constexpr Criterion criteria[] = {Criterion::error, Criterion::log_loss, Criterion::cost};

constexpr Output model_file = {
    .kind = "model", .description = "The model file to write.", .fallback = "model.suffice"};
constexpr Output statistics_file = {.kind = "statistics",
                                    .description = "The statistics file to write."};
constexpr Output calibrated_file = {
    .kind = "model", .description = "The model file to write.", .fallback = "calibrated.suffice"};
constexpr Output table_file = {
    .kind = "CSV",
    .description =
        "The file to write: CSV, also compressed (.csv.gz, .csv.zst), or by its ending "
        "Parquet (.parquet) or Arrow (.arrow, .feather).",
    .fallback = "-",
    .is_table = true};

constexpr Output export_output = {
    .kind = "export", .description = "The file to write.", .fallback = "-"};

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
                          "is left out, as CSV (or .parquet, .arrow): the row's number, its class "
                          "and fold, then the "
                          "decision and the probabilities as predict has them.",
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
                       o.calibrate = choice_of(flag, v, {"auto", "none"}) == 0;
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
                   "within: indicators (0 or 1) of their levels lie in the Gaussian block beside "
                   "the numbers, which reads DATA a second time. auto: within if it predicts "
                   "better.",
               .fallback = "apart; auto where fit chooses the model",
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     o.columns.categories = static_cast<ColumnOptions::Categories>(
                         choice_of(flag, v, {"apart", "within", "auto"}));
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
                 o.missing =
                     static_cast<MissingNumbers>(choice_of(flag, v, {"auto", "em", "complete"}));
               }},
          {.names = "--iterations",
           .value = "N",
           .description = "Passes of EM at most.",
           .fallback = "200",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.iterations = whole_number_of(flag, v, 1); }},
          {.names = "--tolerance",
           .value = "NUMBER",
           .description = "EM stops where a pass changes the log-likelihood by no more than that "
                          "many nats per row.",
           .fallback = "1e-6",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.tolerance = number_of(flag, v);
                 if (!(o.tolerance >= 0)) fail("{} must not be negative, not {}", flag, v);
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

Flag safe_csv_flag() {
  return {.names = "--safe-csv",
          .description =
              "For spreadsheets: a label, level or column name that begins with =, +, - or @ "
              "and is no number has an apostrophe before it, so that it is no formula.",
          .store = [](Options& o, std::string_view, const std::string&) { o.safe_csv = true; }};
}

FlagGroup predict_flags() {
  return {"Output",
          {
              {.names = "--output",
               .value = "COLUMNS",
               .description = "Columns beside the label: proba, loglik, llr (per class), logpx and "
                              "outlier, separated by "
                              "commas.",
               .repeatable = true,
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     for (const std::string& name : list_of(flag, v))
                       o.output_columns.push_back(static_cast<OutputColumn>(
                           choice_of(flag, name, {"proba", "loglik", "llr", "logpx", "outlier"})));
                     std::sort(o.output_columns.begin(), o.output_columns.end());
                     o.output_columns.erase(
                         std::unique(o.output_columns.begin(), o.output_columns.end()),
                         o.output_columns.end());
                   }},
              {.names = "--keep",
               .value = "COLUMNS",
               .description = "Columns of DATA, such as an id, that are carried along before the "
                              "answers; patterns such as 'id*' are possible.",
               .repeatable = true,
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     for (std::string& name : list_of(flag, v))
                       o.kept_columns.push_back(std::move(name));
                   }},
              {.names = "--digits",
               .value = "N|full",
               .description = "Significant digits of numbers in CSV and JSON; full is as many as "
                              "read back as the same number.",
               .fallback = "6 for probabilities in CSV, otherwise full",
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     o.digits = v == "full" ? 0 : static_cast<int>(whole_number_of(flag, v, 1));
                   }},
              {.names = "--compat",
               .description = "With two classes A and B the column of log-likelihood ratios is "
                              "called llr, as in earlier versions, instead of llr:A/B.",
               .store = [](Options& o, std::string_view, const std::string&) { o.compat = true; }},
              safe_csv_flag(),
          }};
}

FlagGroup show_flags() {
  return {"Output",
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

constexpr Output priors_file = {.kind = "table",
                                .description = "A file for --prior, with each class and its share.",
                                .fallback = "-",
                                .ending = ".csv"};

constexpr Output svg_file = {
    .kind = "picture", .description = "The SVG file to write.", .fallback = "-", .ending = ".svg"};

constexpr Output html_file = {.kind = "page",
                              .description = "The HTML file to write.",
                              .fallback = "report.html",
                              .ending = ".html"};

constexpr Output play_file = {.kind = "page",
                              .description = "The HTML file to write.",
                              .fallback = "play.html",
                              .ending = ".html"};

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
  return {"Picture",
          {
              {.names = "--what",
               .value = "PICTURE",
               .description = "densities, posteriors, regions, ellipses, correlations; of an "
                              "evaluation on DATA: confusion, bayes-error, det, roc, reliability, "
                              "ratios.",
               .store =
                   [](Options& o, std::string_view flag, const std::string& v) {
                     o.plot = static_cast<PlotKind>(choice_of(
                         flag, v,
                         {"densities", "posteriors", "regions", "ellipses", "correlations",
                          "confusion", "bayes-error", "det", "roc", "reliability", "ratios"}));
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

std::vector<Verb> rows() {
  return {
      {.name = "fit",
       .usage = "DATA… --label COLUMN [-o model.suffice]",
       .summary = "learn a model from tables or from statistics",
       .text =
           "Learns the density of each class in one pass and writes the model. DATA may also be "
           ".stats files, whose rows are not needed again. With one class, or with --no-label, "
           "the model tells how usual a row is: predict --outlier finds rows unlike those of DATA.",
       .data = one_or_more,
       .output = model_file,
       .flags = {labels_file_flag(), table_flags(), training_column_flags(), no_label_flag(),
                 fit_category_flag(), weight_flag(), estimate_flags(), fit_calibration_flag(),
                 fit_missing_flags(), fit_fold_flag(), fit_flags(), verbose_flag()},
       .check = check_fit,
       .run = fit},
      {.name = "predict",
       .usage = "MODEL DATA… [-o predictions.csv]",
       .summary = "decide the class of each row",
       .text = "Writes one row for each row of DATA, in its order: the class under the "
               "priors and costs of your application, and what else --output asks for. The model "
               "is not fitted again for them.",
       .has_model = true,
       .data = one_or_more,
       .output = table_file,
       .flags = {table_flags(), prior_flag(), cost_flag(), rejection_flags(), predict_flags()},
       .run = predict},
      {.name = "evaluate",
       .usage = "MODEL DATA…",
       .summary = "compare decisions with known labels",
       .text = "Error rate with its interval, log-loss, Brier score, confusion matrix, recall and "
               "precision, under the priors and costs of your application.",
       .has_model = true,
       .data = one_or_more,
       .flags = {labels_file_flag(), table_flags(), known_label_flag(), weight_flag(), prior_flag(),
                 cost_flag(), rejection_flags()},
       .run = evaluate},
      {.name = "priors",
       .usage = "MODEL DATA… [-o priors.csv]",
       .summary = "estimate the class shares of rows without labels",
       .text = "Finds the shares of the classes under which the rows of DATA are most probable, "
               "with intervals. They may differ from those in training; the densities of the "
               "classes must not. -o writes them as a file for --prior.",
       .has_model = true,
       .data = one_or_more,
       .output = priors_file,
       .flags = {table_flags(), weight_flag(), priors_flags()},
       .run = estimate_priors},
      {.name = "select",
       .usage = "DATA… --label COLUMN [-o model.suffice]",
       .summary = "choose a model by cross-validation",
       .text = "Compares all combinations of the model flags, which take lists here (--covariance "
               "full,tied --pca none,10,50 --shrinkage 0,auto), on rows that had no part in "
               "estimating them, and writes the best one, estimated from all rows. A flag that is "
               "not given has the one value that fit takes; without any model flag it compares the "
               "covariances full, tied, diag and tied-diag, each without and with shrinkage auto "
               "(and the smoothings 0.01, 0.1, 1 and 10 where no column has numbers). DATA is read "
               "twice unless it is small.",
       .data = one_or_more,
       .output = model_file,
       .flags = {labels_file_flag(), table_flags(), selection_column_flags(), weight_flag(),
                 grid_flags(), choice_flags(), prior_flag(), cost_flag(), verbose_flag()},
       .check = check_select,
       .run = select_model},
      {.name = "stats",
       .usage = "DATA… --label COLUMN -o part.stats",
       .summary = "sum up tables: all that any later fit needs",
       .text = "Keeps the sums over the rows of each class. Such files can be merged and "
               "subtracted, and every model is fitted from them without the rows. A database can "
               "sum up its own table: --sql writes the query, and --from-sql reads its answer.",
       .data = {0, std::numeric_limits<std::size_t>::max()},
       .output = statistics_file,
       .flags = {labels_file_flag(), table_flags(), training_column_flags(), no_label_flag(),
                 weight_flag(), scatter_flag(), reservoir_flag(), sql_flags()},
       .check = check_stats,
       .run = stats},
      {.name = "merge",
       .usage = "A.stats B.stats… -o all.stats",
       .summary = "add statistics of several parts",
       .text = "The result is as if all rows had been in one table. Classes and levels are joined "
               "by name.",
       .data = one_or_more,
       .output = statistics_file,
       .check = check_merge,
       .run = merge_files},
      {.name = "subtract",
       .usage = "ALL.stats PART.stats -o rest.stats",
       .summary = "take the rows of one part out again",
       .text = "What remains of ALL when the rows of PART are taken out. Fails where that is "
               "impossible, and warns where digits are lost.",
       .data = {2, 2},
       .output = statistics_file,
       .check = check_subtract,
       .run = subtract_files},
      {.name = "show",
       .usage = "FILE",
       .summary = "a model or statistics, for a person",
       .text = "Means, deviations and probabilities per class, and the features that tell the "
               "classes apart.",
       .has_model = true,
       .flags = {show_flags(), verbose_flag()},
       .run = show},
      {.name = "sample",
       .usage = "MODEL -n N [--seed S] [-o rows.csv]",
       .summary = "draw rows from a model",
       .text = "Writes N rows as CSV, with the label as the last column. The same seed gives the "
               "same rows.",
       .has_model = true,
       .output = table_file,
       .flags = {prior_flag(), sample_flags()},
       .check = check_sample,
       .run = sample_rows},
      {.name = "plot",
       .usage = "MODEL [DATA…] --what PICTURE [-o picture.svg]",
       .summary = "draw densities, posteriors, decision regions",
       .text = "Draws the model as an SVG picture, under the priors and costs of your application; "
               "with DATA, some of its rows are drawn on top.",
       .has_model = true,
       .data = {0, std::numeric_limits<std::size_t>::max()},
       .output = svg_file,
       .flags = {plot_flags(), labels_file_flag(), table_flags(), known_label_flag(), weight_flag(),
                 prior_flag(), cost_flag()},
       .check = check_plot,
       .run = plot_model},
      {.name = "report",
       .usage = "MODEL [MODEL] [DATA…] [-o report.html]",
       .summary = "write a page with figures and pictures",
       .text = "Writes one HTML file that opens without a network: how good the model's answers "
               "are on DATA, and what the model looks like. Without DATA it shows the model alone. "
               "A second model of the same classes stands beside the first.",
       .has_model = true,
       .data = {0, std::numeric_limits<std::size_t>::max()},
       .output = html_file,
       .flags = {report_flags(), labels_file_flag(), table_flags(), known_label_flag(),
                 weight_flag(), prior_flag(), cost_flag()},
       .run = report},
      {.name = "play",
       .usage = "[DATA] [-o play.html]",
       .summary = "write a page in which the engine runs",
       .text = "Writes one HTML file with the engine inside, which opens without a network: "
               "examples, or a table that is dropped there, with a model whose data, priors, costs "
               "and estimate can be changed by hand. With DATA, the page begins with it.",
       .data = {0, std::numeric_limits<std::size_t>::max()},
       .output = play_file,
       .flags = {table_flags()},
       .run = play},
      {.name = "calibrate",
       .usage = "MODEL DATA… -o calibrated.suffice",
       .summary = "make probabilities trustworthy, by rows of your own",
       .text =
           "Finds a scale per block and an offset per class from rows with labels that had no "
           "part in training, and writes the model with them. Posteriors, log-likelihood ratios "
           "and decisions use them; log p(x | class) stays as it is. The class frequencies of "
           "DATA are divided out, so priors and costs can still be chosen last. Prints the "
           "log-loss on DATA before and after.",
       .has_model = true,
       .data = one_or_more,
       .output = calibrated_file,
       .flags = {labels_file_flag(), table_flags(), known_label_flag(), weight_flag(),
                 calibrate_flags()},
       .run = calibrate_model},
      {.name = "export",
       .usage = "MODEL --to c|sql|onnx|json [-o FILE]",
       .summary = "write a model as C, SQL, ONNX or JSON",
       .text = "Writes the whole path from a row to a decision in a form that other programs run. "
               "Priors and costs are the defaults of the file and can still be changed where it is "
               "used. What a form cannot express is an error.",
       .has_model = true,
       .output = export_output,
       .flags = {export_flags(), prior_flag(), cost_flag()},
       .check = check_export,
       .run = export_file},
  };
}

}  // namespace

std::span<const Verb> verbs() {
  static const std::vector<Verb> table = with_common_flags(rows());
  return table;
}

}  // namespace suffice::cli
