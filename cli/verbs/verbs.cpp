#include "cli/verbs/verbs.hpp"

#include <algorithm>
#include <limits>

#include "cli/line/flags.hpp"
#include "cli/line/model_flags.hpp"
#include "cli/verbs/verb_flags.hpp"

namespace suffice::cli {

// Each is defined in the file of its verb.
void fit(const Context& context);
void predict(const Context& context);
void explain(const Context& context);
void evaluate(const Context& context);
void select_model(const Context& context);
void calibrate_model(const Context& context);
void find_suspects(const Context& context);
void stats(const Context& context);
void merge_files(const Context& context);
void subtract_files(const Context& context);
void show(const Context& context);
void compare_files(const Context& context);
void sample_rows(const Context& context);
void plot_model(const Context& context);
void report(const Context& context);
void play(const Context& context);
void estimate_priors(const Context& context);
void export_file(const Context& context);

void check_fit(const Command& command);
void check_predict(const Command& command);
void check_explain(const Command& command);
void check_evaluate(const Command& command);
void check_select(const Command& command);
void check_suspects(const Command& command);
void check_stats(const Command& command);
void check_merge(const Command& command);
void check_subtract(const Command& command);
void check_show(const Command& command);
void check_drift(const Command& command);
void check_sample(const Command& command);
void check_plot(const Command& command);
void check_export(const Command& command);

namespace {

constexpr Output model_file = {.kind = "model",
                               .description = "The model file to write.",
                               .fallback = "model.suffice",
                               .ending = ".suffice"};
constexpr Output statistics_file = {
    .kind = "statistics", .description = "The statistics file to write.", .ending = ".stats"};
constexpr Output calibrated_file = {.kind = "model",
                                    .description = "The model file to write.",
                                    .fallback = "calibrated.suffice",
                                    .ending = ".suffice"};
constexpr Output table_file = {
    .kind = "CSV",
    .description =
        "The file to write: CSV, or by its ending TSV (.tsv), both also compressed (.csv.gz, "
        ".csv.zst), Parquet (.parquet) or Arrow (.arrow, .feather).",
    .fallback = "-",
    .is_table = true};

constexpr Output export_output = {
    .kind = "export", .description = "The file to write.", .fallback = "-"};

constexpr Output priors_file = {.kind = "table",
                                .description = "A file for --prior, with each class and its share.",
                                .fallback = "-",
                                .ending = ".csv",
                                .is_extra = true};

constexpr Output suspects_file = {
    .kind = "CSV",
    .description =
        "The file to write, beside what is printed: CSV, TSV, Parquet or Arrow by its ending, as "
        "predict does.",
    .fallback = "-",
    .is_extra = true,
    .is_table = true};

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
                 fit_category_flag(), weight_flag(), text_flags(), estimate_flags(),
                 fit_restarts_flag(), fit_calibration_flag(), fit_missing_flags(),
                 fit_unlabelled_flags(), fit_fold_flag(), fit_flags(),
                 verbose_flag("Also prints the classes and columns, and how the model was "
                              "regularised, calibrated and chosen.")},
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
       .flags = {table_flags(), prior_flag(), cost_flag(), rejection_flags(), predict_flags(),
                 set_flags(), evidence_flags()},
       .check = check_predict,
       .run = predict},
      {.name = "explain",
       .usage = "MODEL DATA… [--row N]",
       .summary = "why a row is decided so: what each column says",
       .text = "Prints, for one row, each column with its value, what is usual in the two classes "
               "that are compared, and its evidence: what it adds to the logarithm of the ratio of "
               "the classes. Evidence adds up to the ratio; priors are not part of it.",
       .has_model = true,
       .data = one_or_more,
       .flags = {table_flags(), prior_flag(), cost_flag(), explain_flags()},
       .check = check_explain,
       .run = explain},
      {.name = "evaluate",
       .usage = "MODEL DATA…",
       .summary = "compare decisions with known labels",
       .text = "Error rate with its interval, log-loss, Brier score, confusion matrix, recall and "
               "precision, under the priors and costs of your application.",
       .has_model = true,
       .data = one_or_more,
       .flags = {labels_file_flag(), table_flags(), known_label_flag(), weight_flag(), prior_flag(),
                 cost_flag(), rejection_flags(), set_flags()},
       .check = check_evaluate,
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
       .text =
           "Compares all combinations of the model flags, which take lists here (--covariance "
           "full,tied --pca none,10,50 --shrinkage 0,auto), by cross-validation, and writes the "
           "best model, estimated from all rows. A model flag that is not given keeps its "
           "default. Without any model flag, select compares the covariances full, tied, diag "
           "and tied-diag, each without shrinkage and with shrinkage auto; if no column has "
           "numbers, it compares the smoothings 0.01, 0.1, 1 and 10. DATA is read twice unless "
           "it is small.",
       .data = one_or_more,
       .output = model_file,
       .flags = {labels_file_flag(), table_flags(), selection_column_flags(), weight_flag(),
                 text_flags(), grid_flags(), fit_restarts_flag(), fit_missing_flags(),
                 choice_flags(), prior_flag(), cost_flag(),
                 verbose_flag("Also shows the options that have their default values.")},
       .check = check_select,
       .run = select_model},
      {.name = "suspects",
       .usage = "DATA… --label COLUMN [-o suspects.csv]",
       .summary = "find labels that are probably wrong",
       .text =
           "Judges each row by the model of all other rows: a label is suspect where another class "
           "is more probable, and as probable as that class usually is where it is certain. The "
           "strongest suspects are then subtracted, and all rows are judged once more, since wrong "
           "labels spoil the model that finds them. Nothing is changed in DATA.",
       .data = one_or_more,
       .output = suspects_file,
       .flags = {labels_file_flag(), table_flags(), training_column_flags(), weight_flag(),
                 text_flags(), suspects_flags()},
       .check = check_suspects,
       .run = find_suspects},
      {.name = "stats",
       .usage = "DATA… --label COLUMN -o part.stats",
       .summary = "sum up tables: all that any later fit needs",
       .text = "Keeps the sums over the rows of each class. Such files can be merged and "
               "subtracted, and every model is fitted from them without the rows. A database can "
               "sum up its own table: --sql writes the query, and --from-sql reads its answer.",
       .data = {0, std::numeric_limits<std::size_t>::max()},
       .output = statistics_file,
       .flags = {labels_file_flag(), table_flags(), training_column_flags(), no_label_flag(),
                 weight_flag(), text_flags(), scatter_flag(), reservoir_flag(), sql_flags()},
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
       .text = "Means, deviations and probabilities per class, the features that tell the classes "
               "apart, how many parameters there are, and the error that no decision can avoid if "
               "the model is right.",
       .has_model = true,
       .flags = {show_flags(),
                 verbose_flag("Also shows the options that have their default values."),
                 prior_flag(), cost_flag()},
       .check = check_show,
       .run = show},
      {.name = "drift",
       .usage = "OLD NEW [--label COLUMN]",
       .summary = "say what has changed between two files",
       .text = "Compares two statistics files or tables: each column, all columns together, "
               "correlations, classes, missing values and levels. A change is found where a test "
               "finds it, and flagged where it is also large enough to matter. Statistics files "
               "are compared without reading a row.",
       .data = {2, 2},
       .flags = {table_flags(), training_column_flags(), weight_flag(), drift_flags()},
       .check = check_drift,
       .run = compare_files},
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
                 prior_flag(), cost_flag(), explain_flags()},
       .check = check_plot,
       .run = plot_model},
      {.name = "report",
       .usage = "MODEL [MODEL] [DATA…] [-o report.html]",
       .summary = "write a page with figures and pictures",
       .text = "Writes one HTML file that opens without a network: how good the model's answers "
               "are on DATA, and what the model looks like. Without DATA it shows the model alone. "
               "A second model of the same classes is shown next to the first.",
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
