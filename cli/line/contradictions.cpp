#include "cli/line/contradictions.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "cli/line/fail.hpp"
#include "cli/line/grid.hpp"
#include "cli/line/paths.hpp"
#include "suffice/evaluate/leave_one_out.hpp"

namespace suffice::cli {
namespace {

bool is_folder(const std::string& path) {
  struct stat there = {};
  return ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
}

bool is_statistics(const std::string& path) { return path.ends_with(".stats"); }

/// The name without .gz or .zst.
std::string_view unpacked(std::string_view path) {
  for (const std::string_view ending : {".gz", ".zst"})
    if (path.ends_with(ending)) path.remove_suffix(ending.size());
  return path;
}

void check_output(const Options& options, const VerbRow& verb) {
  const bool writes_csv = options.verb == "predict" || options.verb == "sample";
  if (options.output.empty()) {
    if (options.verb == "stats" || options.verb == "merge" || options.verb == "subtract")
      fail("{} needs -o FILE, the statistics file to write", options.verb);
    return;
  }
  if (options.output == "-") {
    if (writes_csv) return;
    fail("{} writes a file, not standard output; give -o a name", options.verb);
  }
  if (is_folder(options.output))
    fail("-o '{}' is a folder; give the name of a file in it", options.output);
  if (writes_csv)
    for (const std::string_view ending : {".gz", ".zst", ".parquet", ".arrow", ".feather", ".npy"})
      if (options.output.ends_with(ending))
        fail("-o '{}': {} writes plain CSV, not {}; give a name that ends in .csv", options.output,
             options.verb, ending);

  std::vector<std::string> inputs = options.input.paths;
  inputs.insert(inputs.end(), {options.model, options.input.labels_file, options.columns.like,
                               options.decision.cost.file});
  for (const std::string& input : inputs)
    if (!input.empty() && input != "-" && same_file(input, options.output)) {
      // Standard input and devices may be read and written at once.
      struct stat there = {};
      if (::stat(input.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) continue;
      fail("-o '{}' is also an input of {}; write to another file", options.output, verb.name);
    }
}

/// fit and stats need to know where the classes are.
void check_label(const Options& options) {
  if (!options.columns.label.empty() || !options.input.labels_file.empty() ||
      !options.columns.like.empty() || options.input.format == "libsvm")
    return;
  for (const std::string& path : options.input.paths)
    if (is_statistics(path) || unpacked(path).ends_with(".libsvm") || is_folder(path)) return;
  fail("{} needs --label COLUMN, the column that has the classes (or --labels FILE)", options.verb);
}

/// What the library has against the model flags, whatever the rows.
/// The library's names of options as flags.
std::string with_flags(std::string message) {
  constexpr std::string_view name = "towards_tied";
  for (auto at = message.find(name); at != message.npos; at = message.find(name, at + name.size()))
    message.replace(at, name.size(), "--towards-tied");
  return message;
}

/// What is said of a column that is no feature would be lost.
template <class Rules>
void check_rules(std::string_view flag, const Rules& rules, const ColumnOptions& columns) {
  for (const auto& [column, what] : rules)
    for (const auto& [other, name] :
         {std::pair("--label", columns.label), std::pair("--weight", columns.weight),
          std::pair("--fold-column", columns.fold)})
      if (column == name)
        fail("{} is for features, and '{}' is the column of {}", flag, name, other);
}

void check_estimate(const Options& options) {
  try {
    if (options.shrinkage_by_leave_one_out)
      LeaveOneOutShrinkage::require_possible(options.estimate);
    else
      require_possible(options.estimate);
  } catch (const InvalidArgument& error) {
    throw UsageError(with_flags(error.what()));
  }
}

}  // namespace

void check_contradictions(const Options& options, const VerbRow& verb,
                          const std::vector<std::string_view>& given) {
  const auto is_given = [&](std::string_view flag) {
    return std::find(given.begin(), given.end(), flag) != given.end();
  };
  const std::vector<std::string>& paths = options.input.paths;
  if (options.model == "-")
    fail("{} reads '{}' from a file, not from standard input", verb.name,
         verb.usage.substr(0, verb.usage.find(' ')));
  const bool reads_tables = verb.name != "merge" && verb.name != "subtract";
  if (!reads_tables && std::find(paths.begin(), paths.end(), "-") != paths.end())
    fail("{} reads statistics from files, not from standard input", verb.name);
  if (std::count(paths.begin(), paths.end(), "-") + (options.input.labels_file == "-") > 1)
    fail("standard input (-) can be read only once");

  if (options.verb == "fit" || options.verb == "stats" || options.verb == "select")
    check_label(options);
  const auto statistics = std::count_if(paths.begin(), paths.end(), is_statistics);
  if (options.verb == "stats" && statistics > 0)
    fail("stats reads tables; suffice merge puts statistics files together");
  if (options.verb == "select") {
    if (statistics > 0)
      fail("select scores rows, and a .stats file has only their sums; give it the tables");
    if (is_given("--folds") && is_given("--fold-column"))
      fail("--folds and --fold-column contradict each other: the folds are dealt, or given");
    for (const auto& [flag, column] : {std::pair("--label", options.columns.label),
                                       std::pair("--weight", options.columns.weight)})
      if (!column.empty() && column == options.columns.fold)
        fail("{} and --fold-column name the same column '{}'", flag, column);
    require_candidates(options.choice);
  }
  check_rules("--family", options.columns.families, options.columns);
  check_rules("--transform", options.columns.transforms, options.columns);
  if (options.verb == "fit") check_estimate(options);
  if (options.verb == "fit" && statistics > 0) {
    if (statistics < std::ssize(paths))
      fail("fit reads either tables or .stats files; suffice stats makes one of a table");
    for (const std::string_view flag :
         {"--label", "--labels", "--features", "--ignore", "--weight", "--family", "--transform",
          "--like", "--na", "--format", "--no-header", "--separator", "--index-base"})
      if (is_given(flag))
        fail("{} is for tables; it was settled when the .stats file was made", flag);
  }
  for (const auto& [flag, reads_again] :
       {std::pair("--training-error", options.training_error),
        std::pair("--shrinkage loo", options.shrinkage_by_leave_one_out)}) {
    if (!reads_again) continue;
    if (statistics > 0)
      fail("{} needs the rows again, and a .stats file has only their sums; {}", flag,
           options.training_error ? "suffice evaluate takes a table"
                                  : "--shrinkage auto needs no rows");
    if (std::find(paths.begin(), paths.end(), "-") != paths.end() ||
        options.input.labels_file == "-")
      fail("{} reads DATA a second time, which standard input (-) does not allow", flag);
  }
  if (!options.columns.label.empty() && options.columns.label == options.columns.weight)
    fail("--label and --weight name the same column '{}'", options.columns.label);
  if (!options.columns.label.empty() && !options.input.labels_file.empty())
    fail("--label and --labels contradict each other: the classes are in one place");
  if (options.input.format == "tsv" && options.input.separator != 0 &&
      options.input.separator != '\t')
    fail("--format tsv and --separator contradict each other; write --format csv");
  if (options.verb == "sample") {
    if (options.count == 0) fail("sample needs -n N, how many rows to draw");
    if (is_given("--class") && is_given("--prior"))
      fail("--class and --prior contradict each other: one class, or several by their priors");
  }
  check_output(options, verb);
}

}  // namespace suffice::cli
