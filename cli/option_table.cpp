#include "cli/option_table.hpp"

#include <algorithm>

#include "cli/option_values.hpp"

namespace suffice::cli {
namespace {

constexpr Verbs fit_ = 1, predict_ = 2, evaluate_ = 4, stats_ = 8, merge_ = 16, subtract_ = 32,
                show_ = 64, sample_ = 128, all_ = 255;
constexpr Verbs training = fit_ | stats_, scoring = predict_ | evaluate_,
                tables = training | scoring;
constexpr std::size_t any_number = static_cast<std::size_t>(-1);

constexpr VerbRow verbs[] = {
    {fit_, "fit", "DATA… --label COLUMN [-o model.suffice]",
     "learn a model from tables or from statistics",
     "Learns the density of each class in one pass and writes the model. DATA may also be .stats "
     "files, whose rows are not needed again.",
     false, 1, any_number},
    {predict_, "predict", "MODEL DATA… [-o predictions.csv]", "decide the class of each row",
     "Writes one line of CSV for each row of DATA, in its order: the class under the priors and "
     "costs of your application, and what else --output asks for. The model is not fitted again "
     "for them.",
     true, 1, any_number},
    {evaluate_, "evaluate", "MODEL DATA…", "compare decisions with known labels",
     "Error rate with its interval, log-loss, Brier score, confusion matrix, recall and precision, "
     "under the priors and costs of your application.",
     true, 1, any_number},
    {stats_, "stats", "DATA… --label COLUMN -o part.stats",
     "sum up tables: all that any later fit needs",
     "Keeps the sums over the rows of each class. Such files can be merged and subtracted, and "
     "every model is fitted from them without the rows.",
     false, 1, any_number},
    {merge_, "merge", "A.stats B.stats… -o all.stats", "add statistics of several parts",
     "The result is as if all rows had been in one table. Classes and levels are joined by name.",
     false, 1, any_number},
    {subtract_, "subtract", "ALL.stats PART.stats -o rest.stats",
     "take the rows of one part out again",
     "What remains of ALL when the rows of PART are taken out. Fails where that is impossible, and "
     "warns where digits are lost.",
     false, 2, 2},
    {show_, "show", "FILE", "a model or statistics, for a person",
     "Means, deviations and probabilities per class, and the features that tell the classes apart.",
     true, 0, 0},
    {sample_, "sample", "MODEL -n N [--seed S] [-o rows.csv]", "draw rows from a model",
     "Writes N rows as CSV, with the label as the last column. The same seed gives the same rows.",
     true, 0, 0},
};

const std::vector<std::string> formats = {"csv", "tsv", "parquet", "arrow", "npy", "idx", "libsvm"};

template <class T, std::size_t count>
std::vector<std::string> words_of(const T (&values)[count]) {
  std::vector<std::string> words;
  for (const T value : values) words.emplace_back(to_string(value));
  return words;
}

constexpr Covariance covariances[] = {Covariance::full,      Covariance::tied,
                                      Covariance::diag,      Covariance::tied_diag,
                                      Covariance::spherical, Covariance::tied_spherical};
constexpr Normalize normalizations[] = {Normalize::mle, Normalize::unbiased};

void append(std::vector<std::string>& to, std::vector<std::string> names) {
  to.insert(to.end(), names.begin(), names.end());
}

double at_least_zero(std::string_view flag, const std::string& value) {
  const double number = number_of(flag, value);
  if (number < 0) throw UsageError(std::string(flag) + " must be at least 0, not " + value);
  return number;
}

double between_zero_and_one(std::string_view flag, const std::string& value) {
  const double number = number_of(flag, value);
  if (!(number > 0 && number < 1))
    throw UsageError(std::string(flag) + " must lie between 0 and 1, not " + value);
  return number;
}

/// The engine's own words for an option of the model.
const OptionText& text(std::string_view name) { return estimate_option_text(name); }

void store_output(Options& o, std::string_view, const std::string& value) { o.output = value; }

const OptionRow options[] = {
    // Data
    {"--labels", "FILE", Group::data, fit_ | stats_ | evaluate_,
     "Labels in a file of their own, one for each row of DATA (IDX, NPY, CSV with one column).", "",
     false, [](Options& o, std::string_view, const std::string& v) { o.input.labels_file = v; }},
    {"--format", "FORMAT", Group::data, tables,
     "What DATA is written in, whatever its name: csv, tsv, parquet, arrow, npy, idx or libsvm.",
     "by name and content", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.input.format = formats[choice_of(flag, v, formats)];
     }},
    {"--no-header", "", Group::data, tables,
     "The first line is a row like the others; columns are x0, x1, …", "", false,
     [](Options& o, std::string_view, const std::string&) { o.input.header = false; }},
    {"--separator", "CHARACTER", Group::data, tables,
     "What stands between the cells of a line; tab is written as tab.", "detected", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.input.separator = separator_of(flag, v);
     }},
    {"--na", "TOKEN", Group::data, tables,
     "A further word for a missing value, beside empty, NA, NaN, null and ?.", "", true,
     [](Options& o, std::string_view, const std::string& v) { o.input.na.push_back(v); }},
    {"--index-base", "0|1", Group::data, tables,
     "The number of the first feature in a LIBSVM file.", "1", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.input.index_base = static_cast<int>(choice_of(flag, v, {"0", "1"}));
     }},
    // Columns
    {"--label", "COLUMN", Group::columns, training, "The column that has the classes.", "", false,
     [](Options& o, std::string_view, const std::string& v) { o.columns.label = v; }},
    {"--label", "COLUMN", Group::columns, evaluate_, "The column that has the classes.",
     "the one the model was fitted with", false,
     [](Options& o, std::string_view, const std::string& v) { o.columns.label = v; }},
    {"--features", "COLUMNS", Group::columns, training,
     "The columns to learn from: names or patterns with * and ?, separated by commas.",
     "all but the label and the weight", true,
     [](Options& o, std::string_view flag, const std::string& v) {
       append(o.columns.features, list_of(flag, v));
     }},
    {"--ignore", "COLUMNS", Group::columns, training,
     "Columns to leave out: names or patterns, separated by commas.", "", true,
     [](Options& o, std::string_view flag, const std::string& v) {
       append(o.columns.ignore, list_of(flag, v));
     }},
    {"--weight", "COLUMN", Group::columns, fit_ | stats_ | evaluate_,
     "The column that says how many rows a row stands for.", "1 each", false,
     [](Options& o, std::string_view, const std::string& v) { o.columns.weight = v; }},
    {"--family", "COLUMN=FAMILY", Group::columns, training,
     "The distribution of a column, by name or pattern ('*=categorical'): gaussian, bernoulli, "
     "categorical, poisson or multinomial; the last match wins.",
     "numbers gaussian, words categorical", true,
     [](Options& o, std::string_view flag, const std::string& v) {
       for (auto& entry : families_of(flag, v)) o.columns.families.push_back(std::move(entry));
     }},
    {"--like", "FILE", Group::columns, training,
     "Takes columns and families from a model or statistics file, so that parts read apart fit "
     "together.",
     "", false, [](Options& o, std::string_view, const std::string& v) { o.columns.like = v; }},
    // Model
    {"--covariance", "STRUCTURE", Group::model, fit_, text("covariance").description,
     text("covariance").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.covariance = covariances[choice_of(flag, v, words_of(covariances))];
     }},
    {"--covariance", "full|diag", Group::model, stats_,
     "What is kept of the numbers' covariances: diag is small, and enough for diag and spherical "
     "models.",
     "full", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.covariance =
           choice_of(flag, v, {"full", "diag"}) == 0 ? Covariance::full : Covariance::diag;
     }},
    {"--normalize", text("normalize").values, Group::model, fit_, text("normalize").description,
     text("normalize").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.normalize = normalizations[choice_of(flag, v, words_of(normalizations))];
     }},
    {"--smoothing", "ALPHA", Group::model, fit_, text("smoothing").description,
     text("smoothing").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.smoothing = at_least_zero(flag, v);
     }},
    // Decision
    {"--prior", "PRIOR", Group::decision, scoring | sample_,
     "Probabilities of the classes before a row is seen: train, uniform, or a=0.9,b=0.1.", "train",
     false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.decision.prior = prior_of(flag, v);
     }},
    {"--cost", "COSTS", Group::decision, scoring,
     "What mistakes cost: 'bad>good=5,good>bad=1' (true>decided=cost), or a file with the columns "
     "true, decided, cost, or with a matrix of true × decided labels.",
     "1 for each mistake", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.decision.cost = cost_of(flag, v);
     }},
    {"--reject", "COST", Group::decision, scoring,
     "The cost of no decision; rows whose best decision would cost more are rejected.", "", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.decision.reject = at_least_zero(flag, v);
     }},
    {"--outlier", "ALPHA", Group::decision, scoring,
     "Rows whose outlier score (a tail probability) is below ALPHA are outliers.", "", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.decision.outlier = between_zero_and_one(flag, v);
     }},
    // Output
    {"-o,--out", "FILE", Group::output, fit_, "The model file to write.", "model.suffice", false,
     store_output},
    {"-o,--out", "FILE", Group::output, stats_ | merge_ | subtract_,
     "The statistics file to write.", "", false, store_output},
    {"-o,--out", "FILE", Group::output, predict_ | sample_, "The CSV file to write.",
     "standard output", false, store_output},
    {"--output", "COLUMNS", Group::output, predict_,
     "Columns beside the label: proba, loglik, llr (per class), logpx and outlier, separated by "
     "commas.",
     "", true,
     [](Options& o, std::string_view flag, const std::string& v) {
       for (const std::string& name : list_of(flag, v))
         o.output_columns.push_back(static_cast<OutputColumn>(
             choice_of(flag, name, {"proba", "loglik", "llr", "logpx", "outlier"})));
       std::sort(o.output_columns.begin(), o.output_columns.end());
       o.output_columns.erase(std::unique(o.output_columns.begin(), o.output_columns.end()),
                              o.output_columns.end());
     }},
    {"--training-error", "", Group::output, fit_,
     "Reads DATA a second time and says how many of its rows the model gets wrong.", "", false,
     [](Options& o, std::string_view, const std::string&) { o.training_error = true; }},
    {"--top", "N", Group::output, show_,
     "How many features to show: those that tell the classes apart best; 0 is all.", "10", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.top = whole_number_of(flag, v, 0);
     }},
    {"--discriminant", "", Group::output, show_,
     "Also the linear or quadratic function of each class behind the decisions.", "", false,
     [](Options& o, std::string_view, const std::string&) { o.discriminant = true; }},
    {"-n", "N", Group::output, sample_, "How many rows to draw.", "", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.count = whole_number_of(flag, v, 1);
     }},
    {"--class", "LABEL", Group::output, sample_, "Draws rows of this class only.",
     "all classes, by --prior", false,
     [](Options& o, std::string_view, const std::string& v) { o.class_label = v; }},
    {"--document-length", "N", Group::output, sample_, "Words of each row in a multinomial block.",
     "100", false,
     [](Options& o, std::string_view flag,
        const std::string& v) { o.document_length = whole_number_of(flag, v, 0); }},
    // Everywhere
    {
        "--threads", "N", Group::everywhere, all_,
        "Worker threads; also SUFFICE_THREADS. The result does not depend on it.",
        "the CPUs that there are", false,
        [](Options& o, std::string_view flag, const std::string& v) {
          o.threads = static_cast<int>(std::min<std::int64_t>(whole_number_of(flag, v, 1), 4096));
        }},
    {"--seed", "S", Group::everywhere, all_, "The seed of everything random.", "0", false,
     [](Options& o, std::string_view flag, const std::string& v) { o.seed = seed_of(flag, v); }},
    {"--quiet", "", Group::everywhere, all_, "No notes and no warnings.", "", false,
     [](Options& o, std::string_view, const std::string&) { o.quiet = true; }},
    {"--json", "", Group::everywhere, all_,
     "Prints one JSON object on standard output and nothing else.", "", false,
     [](Options& o, std::string_view, const std::string&) { o.json = true; }},
    {"-h,--help", "", Group::everywhere, all_, "Shows this help.", "", false,
     [](Options&, std::string_view, const std::string&) {}},
};

}  // namespace

std::span<const VerbRow> verb_table() { return verbs; }
std::span<const OptionRow> option_table() { return options; }

std::string_view to_string(Group group) {
  switch (group) {
    case Group::data:
      return "Data";
    case Group::columns:
      return "Columns";
    case Group::model:
      return "Model";
    case Group::decision:
      return "Decision";
    case Group::output:
      return "Output";
    case Group::everywhere:
      break;
  }
  return "Everywhere";
}

std::string_view OptionRow::name() const { return names.substr(names.find(',') + 1); }

}  // namespace suffice::cli
