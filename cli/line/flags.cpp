#include "cli/line/flags.hpp"

#include <algorithm>

#include "cli/line/fail.hpp"
#include "cli/line/option_values.hpp"

namespace suffice::cli {
namespace {

std::string_view family_text() {
  static const std::string text = [] {
    std::string names;
    for (const Family family : families())
      names += (names.empty()                 ? ""
                : family == families().back() ? " or "
                                              : ", ") +
               std::string(to_string(family));
    return "The distribution of a column, by name or pattern ('*=categorical'): " + names +
           "; the last match wins.";
  }();
  return text;
}

void append(std::vector<std::string>& to, std::vector<std::string> names) {
  to.insert(to.end(), names.begin(), names.end());
}

std::vector<std::string> formats() {
  return {"csv", "tsv", "ndjson", "parquet", "arrow", "npy", "idx", "libsvm"};
}

}  // namespace

FlagGroup labels_file_flag() {
  return {"Data",
          {
              {.names = "--labels",
               .value = "FILE",
               .description = "Labels in a file of their own, one for each row of DATA (IDX, NPY, "
                              "CSV with one column).",
               .store = [](Options& o, std::string_view,
                           const std::string& v) { o.input.labels_file = v; }},
          }};
}

FlagGroup table_flags() {
  return {
      "Data",
      {
          {.names = "--format",
           .value = "FORMAT",
           .description = "What DATA is written in, whatever its name: csv, tsv, ndjson, parquet, "
                          "arrow, npy, idx or libsvm.",
           .fallback = "by name and content",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.input.format = formats()[choice_of(flag, v, formats())];
               }},
          {.names = "--no-header",
           .description = "The first line is a row like the others; columns are x0, x1, …",
           .store = [](Options& o, std::string_view,
                       const std::string&) { o.input.header = false; }},
          {.names = "--separator",
           .value = "CHARACTER",
           .description = "What stands between the cells of a line; tab is written as tab.",
           .fallback = "detected",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.input.separator = separator_of(flag, v); }},
          {.names = "--na",
           .value = "TOKEN",
           .description =
               "Another word for a missing value, in addition to empty, NA, NaN, null and ?.",
           .repeatable = true,
           .store = [](Options& o, std::string_view,
                       const std::string& v) { o.input.na.push_back(v); }},
          {.names = "--index-base",
           .value = "0|1",
           .description = "The number of the first feature in a LIBSVM file.",
           .fallback = "1",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.input.index_base = static_cast<int>(choice_of(flag, v, {"0", "1"}));
               }},
          {.names = "--names",
           .value = "FILE",
           .description = "The names of the columns of DATA that has none (LIBSVM, NPY, IDX, "
                          "--no-header), one per line.",
           .fallback = "x0, x1, …",
           .store = [](Options& o, std::string_view,
                       const std::string& v) { o.input.names_file = v; }},
      }};
}

FlagGroup training_column_flags() {
  return {
      "Columns",
      {
          {.names = "--label",
           .value = "COLUMN",
           .description = "The column that has the classes.",
           .store = [](Options& o, std::string_view,
                       const std::string& v) { o.columns.label = v; }},
          {.names = "--features",
           .value = "COLUMNS",
           .description =
               "The columns to learn from: names or patterns with * and ?, separated by commas.",
           .fallback = "all but the label and the weight",
           .repeatable = true,
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { append(o.columns.features, list_of(flag, v)); }},
          {.names = "--ignore",
           .value = "COLUMNS",
           .description = "Columns to leave out: names or patterns, separated by commas.",
           .repeatable = true,
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { append(o.columns.ignore, list_of(flag, v)); }},
          {.names = "--family",
           .value = "COLUMN=FAMILY",
           .description = family_text(),
           .fallback = "numbers gaussian, words categorical",
           .repeatable = true,
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 for (auto& entry : families_of(flag, v))
                   o.columns.families.push_back(std::move(entry));
               }},
          {.names = "--transform",
           .value = "COLUMN=TRANSFORMATION",
           .description =
               "What is done to a column of numbers first, by name or pattern: log, "
               "log1p, sqrt, logit, signed-log:SCALE (sign(x) log(1 + |x| / SCALE)) or "
               "none; densities stay those of the numbers as they are. In fit also auto: "
               "a signed logarithm if it predicts better. Alone, auto and none are for "
               "all columns.",
           .fallback = "none; auto where fit chooses the model",
           .repeatable = true,
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 for (auto& entry : transforms_of(flag, v))
                   o.columns.transforms.push_back(std::move(entry));
               }},
          {.names = "--like",
           .value = "FILE",
           .description = "Takes columns and families from a model or statistics file, so that "
                          "parts read apart fit "
                          "together.",
           .store = [](Options& o, std::string_view, const std::string& v) { o.columns.like = v; }},
      }};
}

namespace {

/// A flag of text columns; `set` may throw InvalidArgument.
Flag text_flag(std::string_view names, std::string_view value, std::string_view description,
               std::string_view fallback,
               void (*set)(TextOptions&, std::string_view flag, const std::string& value)) {
  return {.names = names,
          .value = value,
          .description = description,
          .fallback = fallback,
          .store = [set](Options& o, std::string_view flag, const std::string& v) {
            try {
              set(o.columns.text, flag, v);
            } catch (const InvalidArgument& error) {
              throw UsageError(std::string(flag) + ": " + error.sentence(), error.advice());
            }
            o.columns.text_flag = flag;
          }};
}

}  // namespace

FlagGroup text_flags() {
  return {
      "Text columns (--family COLUMN=text)",
      {
          text_flag("--tokens", "TOKENS",
                    "What the words of a document are: words by Unicode's rules (UAX #29); alnum, "
                    "runs of letters, digits and _; whitespace, what stands between white space; "
                    "chars:A-B, sequences of A to B characters; pairs, word:count pairs between "
                    "white space, which are counted already.",
                    "words",
                    [](TextOptions& text, std::string_view, const std::string& v) {
                      set_tokens(text, v);
                    }),
          text_flag("--ngrams", "A-B", "Counts sequences of A to B words instead of single words.",
                    "1",
                    [](TextOptions& text, std::string_view, const std::string& v) {
                      text.ngrams = lengths_from_string(v);
                    }),
          text_flag("--lowercase", "yes|no", "Whether capital and small letters are the same.",
                    "yes",
                    [](TextOptions& text, std::string_view flag, const std::string& v) {
                      text.lowercase = choice_of(flag, v, {"yes", "no"}) == 0;
                    }),
          text_flag("--min-length", "N", "Leaves out words of fewer than N characters.", "1",
                    [](TextOptions& text, std::string_view flag, const std::string& v) {
                      text.min_length = static_cast<int>(
                          std::min<std::int64_t>(whole_number_of(flag, v, 1), 1000));
                    }),
          text_flag("--presence", "", "Counts a word once per document, however often it is there.",
                    "",
                    [](TextOptions& text, std::string_view, const std::string&) {
                      text.presence = true;
                    }),
          text_flag(
              "--hash-bits", "B",
              "Counts words under one of 2^B numbers, found by hashing, so that the memory is "
              "bounded whatever the words are. Words with the same number count as one; show "
              "names the heaviest.",
              "0, words are kept",
              [](TextOptions& text, std::string_view flag, const std::string& v) {
                text.hash_bits =
                    static_cast<int>(std::min<std::int64_t>(whole_number_of(flag, v, 0), 1000));
                check({.hash_bits = text.hash_bits});
              }),
      }};
}

FlagGroup selection_column_flags() {
  FlagGroup group = training_column_flags();
  for (Flag& flag : group.flags) {
    const bool is_family = flag.names == "--family";
    if (!is_family && flag.names != "--transform") continue;
    flag.description = is_family ? "The distribution of a column, by name or pattern, as in fit; "
                                   "'COLUMN=gaussian|poisson' compares several."
                                 : "What is done to a column of numbers first, by name or pattern, "
                                   "as in fit; 'COLUMN=none|log' compares several.";
    flag.fallback = is_family ? flag.fallback : "none";
    flag.store = [store = flag.store](Options& o, std::string_view name, const std::string& v) {
      std::string rest = v;
      for (ColumnList& list : column_lists_of(name, rest)) {
        Options unused;
        for (const std::string& word : list.words) store(unused, name, list.column + "=" + word);
        if (unused.columns.finds_transforms())
          fail("{}: auto cannot stand in a list; name the transformations", name);
        o.choice.columns.push_back(std::move(list));
      }
      if (!rest.empty()) store(o, name, rest);
    };
  }
  return group;
}

FlagGroup no_label_flag() {
  return {"Columns",
          {
              {.names = "--no-label",
               .description = "DATA has no classes. All rows are of one class, 'inlier', whose "
                              "density finds outliers (predict --outlier).",
               .store = [](Options& o, std::string_view,
                           const std::string&) { o.columns.unlabelled = true; }},
          }};
}

FlagGroup known_label_flag() {
  return {"Columns",
          {
              {.names = "--label",
               .value = "COLUMN",
               .description = "The column that has the classes.",
               .fallback = "the one the model was fitted with",
               .store = [](Options& o, std::string_view,
                           const std::string& v) { o.columns.label = v; }},
          }};
}

FlagGroup weight_flag() {
  return {"Columns",
          {
              {.names = "--weight",
               .value = "COLUMN",
               .description = "The column that says how many rows a row stands for.",
               .fallback = "1 each",
               .store = [](Options& o, std::string_view,
                           const std::string& v) { o.columns.weight = v; }},
          }};
}

FlagGroup prior_flag() {
  return {
      "Decision",
      {
          {.names = "--prior",
           .value = "PRIOR",
           .description =
               "Probabilities of the classes before a row is seen: train (the frequencies in "
               "training), train:ALPHA or train:a=2,b=5 (these with pseudo-counts), uniform, "
               "a=0.9,b=0.1, numbers in the order of the classes (3,1), or a file with a line for "
               "each class. They are scaled to sum to 1. A name with a comma or = stands in double "
               "quotes.",
           .fallback = "train",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.decision.prior = prior_of(flag, v); }},
      }};
}

FlagGroup cost_flag() {
  return {"Decision",
          {
              {.names = "--cost",
               .value = "COSTS",
               .description = "What mistakes cost: 'bad>good=5,good>bad=1' (true>decided=cost; a "
                              "name with a comma, > or = stands in double quotes), or a file with "
                              "a matrix of true × decided classes, or with the columns true, "
                              "decided, cost.",
               .fallback = "1 for each mistake",
               .store = [](Options& o, std::string_view flag,
                           const std::string& v) { o.decision.cost = cost_of(flag, v); }},
          }};
}

FlagGroup rejection_flags() {
  return {
      "Decision",
      {
          {.names = "--reject",
           .value = "COST",
           .description =
               "The cost of no decision; rows whose best decision would cost more are rejected.",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.decision.reject = at_least_zero(flag, v); }},
          {.names = "--outlier",
           .value = "ALPHA",
           .description =
               "Rows whose outlier score (a tail probability) is below ALPHA are outliers.",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.decision.outlier = between_zero_and_one(flag, v);
               }},
      }};
}

FlagGroup output_flag(const Output& output) {
  return {"Output",
          {{.names = "-o,--out",
            .value = "FILE",
            .description = output.description,
            .fallback = output.is_extra          ? "none"
                        : output.fallback == "-" ? "standard output"
                                                 : output.fallback,
            .store = [](Options& o, std::string_view, const std::string& v) { o.output = v; }}}};
}

FlagGroup verbose_flag(const char* description) {
  return {"Output",
          {{.names = "--verbose",
            .description = description,
            .store = [](Options& o, std::string_view, const std::string&) { o.verbose = true; }}}};
}

FlagGroup common_flags() {
  return {
      "Everywhere",
      {
          {.names = "--threads",
           .value = "N",
           .description = "Worker threads; also SUFFICE_THREADS. The result does not depend on it.",
           .fallback = "the CPUs that there are",
           .store =
               [](Options& o, std::string_view flag, const std::string& v) {
                 o.threads =
                     static_cast<int>(std::min<std::int64_t>(whole_number_of(flag, v, 1), 4096));
               }},
          {.names = "--seed",
           .value = "S",
           .description = "The seed of everything random.",
           .fallback = "0",
           .store = [](Options& o, std::string_view flag,
                       const std::string& v) { o.seed = o.fit.passes.seed = seed_of(flag, v); }},
          {.names = "--quiet",
           .description = "No notes and no warnings.",
           .store = [](Options& o, std::string_view, const std::string&) { o.quiet = true; }},
          {.names = "--json",
           .description = "Prints one JSON object on standard output and nothing else.",
           .store = [](Options& o, std::string_view, const std::string&) { o.json = true; }},
          {.names = "-h,--help",
           .description = "Shows this help.",
           .store = [](Options&, std::string_view, const std::string&) {}},
      }};
}

}  // namespace suffice::cli
