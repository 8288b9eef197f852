#include "cli/line/option_table.hpp"

#include <algorithm>

#include "cli/line/option_values.hpp"

namespace suffice::cli {
namespace {

constexpr Verbs fit_ = 1, predict_ = 2, evaluate_ = 4, stats_ = 8, merge_ = 16, subtract_ = 32,
                show_ = 64, sample_ = 128, select_ = 256, all_ = 511;
constexpr Verbs training = fit_ | stats_ | select_, scoring = predict_ | evaluate_,
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
    {select_, "select", "DATA… --label COLUMN [-o model.suffice]",
     "choose a model by cross-validation",
     "Compares all combinations of the model flags, which take lists here (--covariance full,tied "
     "--pca none,10,50 --shrinkage 0,auto), on rows that had no part in estimating them, and "
     "writes the best one, estimated from all rows. A flag that is not given has the one value "
     "that fit takes; without any model flag it compares the covariances full, tied, diag and "
     "tied-diag, each without and with shrinkage auto (and the smoothings 0.01, 0.1, 1 and 10 "
     "where no column has numbers). DATA is read twice unless it is small.",
     false, 1, any_number},
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
constexpr suffice::Target targets[] = {suffice::Target::diag, suffice::Target::spherical};
constexpr Estimator estimators[] = {Estimator::plugin, Estimator::map, Estimator::bayes};
constexpr Criterion criteria[] = {Criterion::error, Criterion::log_loss, Criterion::cost};

void append(std::vector<std::string>& to, std::vector<std::string> names) {
  to.insert(to.end(), names.begin(), names.end());
}

/// Each of a list of values; "none" is one where nothing is an answer.
template <class Value, class Read>
void append_values(std::vector<Value>& to, std::string_view flag, const std::string& list,
                   const Read& read) {
  for (const std::string& text : list_of(flag, list)) to.push_back(read(text));
}

/// The engine's own words for an option of the model.
const OptionText& text(std::string_view name) { return estimate_option_text(name); }

void store_output(Options& o, std::string_view, const std::string& value) { o.output = value; }

const OptionRow options[] = {
    // Data
    {"--labels", "FILE", Group::data, training | evaluate_,
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
    {"--weight", "COLUMN", Group::columns, training | evaluate_,
     "The column that says how many rows a row stands for.", "1 each", false,
     [](Options& o, std::string_view, const std::string& v) { o.columns.weight = v; }},
    {"--family", "COLUMN=FAMILY", Group::columns, training,
     "The distribution of a column, by name or pattern ('*=categorical'): gaussian, bernoulli, "
     "categorical, poisson or multinomial; the last match wins.",
     "numbers gaussian, words categorical", true,
     [](Options& o, std::string_view flag, const std::string& v) {
       for (auto& entry : families_of(flag, v)) o.columns.families.push_back(std::move(entry));
     }},
    {"--transform", "COLUMN=TRANSFORMATION", Group::columns, training,
     "What is done to a column of numbers first, by name or pattern: log, log1p, sqrt, logit or "
     "none; densities stay those of the numbers as they are.",
     "none", true,
     [](Options& o, std::string_view flag, const std::string& v) {
       for (auto& entry : transforms_of(flag, v)) o.columns.transforms.push_back(std::move(entry));
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
    {"--pca", text("pca").values, Group::model, fit_, text("pca").description, text("pca").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.pca = pca_of(flag, v);
     }},
    {"--lda", text("lda").values, Group::model, fit_, text("lda").description, text("lda").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.lda = whole_number_of(flag, v, 1);
     }},
    {"--shrinkage", text("shrinkage").values, Group::model, fit_, text("shrinkage").description, text("shrinkage").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.shrinkage_by_leave_one_out = v == "loo";
       o.estimate.shrinkage = v == "loo" ? Shrinkage{Shrinkage::Kind::rows, 1}
                                         : shrinkage_of(flag, v);
       if (o.estimate.shrinkage.kind == Shrinkage::Kind::oas)
         o.estimate.target = suffice::Target::spherical;
     }},
    {"--target", text("target").values, Group::model, fit_, text("target").description, text("target").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.target = targets[choice_of(flag, v, words_of(targets))];
     }},
    {"--towards-tied", text("towards_tied").values, Group::model, fit_, text("towards_tied").description, text("towards_tied").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.towards_tied = share_of(flag, v);
     }},
    {"--estimate", text("estimate").values, Group::model, fit_, text("estimate").description, text("estimate").default_value, false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.estimate.estimate = estimators[choice_of(flag, v, words_of(estimators))];
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
    // Model, as lists
    {"--covariance", "STRUCTURES", Group::model, select_,
     "Covariances of the numbers in each class: full, tied, diag, tied-diag, spherical or "
     "tied-spherical, separated by commas.",
     "full, or the default grid", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.covariance, flag, v, [&](const std::string& text) {
         return covariances[choice_of(flag, text, words_of(covariances))];
       });
     }},
    {"--pca", "LIST", Group::model, select_,
     "Numbers of principal components (K) or shares of the variance (P%); none is without.", "none",
     false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.pca, flag, v, [&](const std::string& text) {
         return text == "none" ? std::nullopt : std::optional(pca_of(flag, text));
       });
     }},
    {"--lda", "LIST", Group::model, select_,
     "Numbers of directions in which the classes are apart, after --pca; none is without.", "none",
     false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.lda, flag, v, [&](const std::string& text) {
         return text == "none" ? std::nullopt
                               : std::optional<Index>(whole_number_of(flag, text, 1));
       });
     }},
    {"--shrinkage", "LIST", Group::model, select_,
     "Strengths of shrinkage: auto, oas, or shares of the --target from 0 to 1.",
     "auto (0 with --folds loo), or the default grid", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.shrinkage, flag, v,
                     [&](const std::string& text) { return shrinkage_of(flag, text); });
     }},
    {"--target", "LIST", Group::model, select_,
     "What shares of shrinkage draw towards: diag, spherical.", "diag", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.target, flag, v, [&](const std::string& text) {
         return targets[choice_of(flag, text, words_of(targets))];
       });
     }},
    {"--towards-tied", "LIST", Group::model, select_,
     "How far each class's covariance is drawn towards the one of all classes, from 0 to 1.", "0",
     false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.towards_tied, flag, v,
                     [&](const std::string& text) { return share_of(flag, text); });
     }},
    {"--estimate", "LIST", Group::model, select_, "Kinds of estimates: plugin, map, bayes.",
     "plugin", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.estimate, flag, v, [&](const std::string& text) {
         return estimators[choice_of(flag, text, words_of(estimators))];
       });
     }},
    {"--normalize", "LIST", Group::model, select_,
     "Whether scatter is divided by the number of rows (mle), or by one less (unbiased).", "mle",
     false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.normalize, flag, v, [&](const std::string& text) {
         return normalizations[choice_of(flag, text, words_of(normalizations))];
       });
     }},
    {"--smoothing", "LIST", Group::model, select_,
     "Pseudo-counts added to each level, word or event.", "1, or the default grid", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       append_values(o.choice.grid.smoothing, flag, v,
                     [&](const std::string& text) { return at_least_zero(flag, text); });
     }},
    // Choice
    {"--folds", "K|loo", Group::choice, select_,
     "Deals the rows of each class to K folds, by --seed; each is scored by the models of the "
     "others. loo leaves out one row at a time.",
     "5", false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.choice.folds = v == "loo" ? 0 : whole_number_of(flag, v, 2);
     }},
    {"--fold-column", "COLUMN", Group::choice, select_,
     "The column that names the fold of each row, instead of --folds.", "", false,
     [](Options& o, std::string_view, const std::string& v) { o.columns.fold = v; }},
    {"--criterion", "error|log-loss|cost", Group::choice, select_,
     "What is compared: the error rate, the log-loss, or the mean cost under --cost.", "error",
     false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.choice.criterion = criteria[choice_of(flag, v, words_of(criteria))];
     }},
    {"--one-se", "", Group::choice, select_,
     "Chooses the model with the fewest parameters within one standard error of the best.", "",
     false,
     [](Options& o, std::string_view, const std::string&) {
       o.choice.one_standard_error = true;
     }},
    // Decision
    {"--prior", "PRIOR", Group::decision, scoring | sample_ | select_,
     "Probabilities of the classes before a row is seen: train, uniform, or a=0.9,b=0.1.", "train",
     false,
     [](Options& o, std::string_view flag, const std::string& v) {
       o.decision.prior = prior_of(flag, v);
     }},
    {"--cost", "COSTS", Group::decision, scoring | select_,
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
    {"-o,--out", "FILE", Group::output, fit_ | select_, "The model file to write.", "model.suffice", false,
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
    case Group::choice:
      return "Choice";
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
