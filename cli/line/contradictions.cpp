#include "cli/line/contradictions.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <initializer_list>

#include "cli/line/fail.hpp"
#include "cli/line/paths.hpp"

namespace suffice::cli {
namespace {

bool is_folder(const std::string& path) {
  struct stat there = {};
  return ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
}

bool is_statistics(const std::string& path) { return has_ending(path, ".stats"); }

void require_no_input(const Command& command) {
  const Options& options = command.options;
  std::vector<std::string> inputs = options.input.paths;
  inputs.insert(inputs.end(), {options.model, options.input.labels_file, options.columns.like,
                               options.decision.cost.file, options.decision.prior.file,
                               options.input.names_file});
  for (const std::string& input : inputs)
    if (!input.empty() && input != "-" && same_file(input, options.output)) {
      // Standard input and devices may be read and written at once.
      struct stat there = {};
      if (::stat(input.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) continue;
      throw UsageError(
          fmt::format("-o '{}' is also an input of {}", options.output, command.verb->name),
          "write to another file");
    }
}

/// Of formats whose files nobody expects to hold something else.
constexpr std::string_view known_endings[] = {
    ".csv",   ".tsv",  ".tab", ".ndjson",  ".jsonl",   ".json", ".parquet", ".pq",
    ".arrow", ".ipc",  ".npy", ".feather", ".npz",     ".idx",  "-ubyte",   ".libsvm",
    ".svm",   ".xlsx", ".gz",  ".zst",     ".suffice", ".svg",  ".html",    ".stats",
    ".png",   ".jpg",  ".pdf", ".jpeg",    ".docx",    ".onnx", ".sql"};

void check_ending(const Command& command) {
  const std::string& path = command.options.output;
  for (const std::string_view other : known_endings)
    if (other != command.verb->output.ending && has_ending(path, other))
      throw UsageError(
          fmt::format("-o '{}': {} does not write {} files", path, command.verb->name, other),
          fmt::format("give a name that ends in {}", command.verb->output.ending));
}

bool is_one_of(std::string_view ending, std::initializer_list<std::string_view> endings) {
  return std::ranges::find(endings, ending) != endings.end();
}

/// The file of rows that `flag` names.
void check_table(const Command& command, std::string_view flag, const std::string& path) {
  const std::string_view name = without_packing(path);
  for (const std::string_view ending : known_endings) {
    if (!has_ending(name, ending) || is_one_of(ending, {".csv", ".tsv", ".tab"})) continue;
    if (name != path || !is_one_of(ending, {".parquet", ".pq", ".arrow", ".feather", ".ipc"}))
      throw UsageError(
          fmt::format("{} '{}': {} does not write {} files", flag, path, command.verb->name,
                      path.substr(name.size() - ending.size())),
          std::string(
              "give a name that ends in .csv, .csv.gz, .csv.zst, .tsv, .parquet or .arrow") +
              (ending == ".json" && flag == "-o" ? ", or use --json without -o" : ""));
    for (const std::string_view text_flag : {"--digits", "--safe-csv"})
      if (command.has(text_flag))
        throw UsageError(fmt::format("{} is for text files, and '{}' is not one", text_flag, path),
                         fmt::format("leave {} out", text_flag));
  }
}

void check_output(const Command& command) {
  const auto& [kind, description, fallback, ending, is_extra, is_table] = command.verb->output;
  const std::string_view verb = command.verb->name;
  const std::string& path = command.options.output;
  if (kind.empty()) return;
  if (command.options.sql.dialect && (path.empty() || path == "-")) return;  // standard output
  if (path.empty()) fail("{} needs -o FILE, the {} file to write", verb, kind);
  if (path == "-") {
    if (fallback == "-") return;
    throw UsageError(fmt::format("{} writes a file, not standard output", verb), "give -o a name");
  }
  if (is_folder(path))
    throw UsageError(fmt::format("-o '{}' is a folder", path), "give the name of a file in it");
  require_no_input(command);
  if (is_table) check_table(command, "-o", path);
  if (!ending.empty() && !command.options.sql.dialect) check_ending(command);
}

/// A family or transformation of a column that is no feature would be lost.
template <class Rules>
void check_rules(std::string_view flag, const Rules& rules, const ColumnOptions& columns) {
  for (const auto& [column, what] : rules)
    for (const auto& [other, name] :
         {std::pair("--label", columns.label), std::pair("--weight", columns.weight),
          std::pair("--fold-column", columns.fold)})
      if (column == name)
        fail("{} is for features, and '{}' is the column of {}", flag, name, other);
}

void check_columns(const Options& options) {
  const ColumnOptions& columns = options.columns;
  const InputOptions& input = options.input;
  const std::pair<std::string_view, const std::string&> named[] = {
      {"--label", columns.label}, {"--weight", columns.weight}, {"--fold-column", columns.fold}};
  for (const auto& [flag, column] : named)
    for (const auto& [other, same] : named)
      if (flag < other && !column.empty() && column == same)
        fail("{} and {} name the same column '{}'", flag, other, column);
  check_rules("--family", columns.families, columns);
  check_rules("--transform", columns.transforms, columns);
  if (!columns.like.empty() && columns.finds_transforms())
    fail("--transform auto and --like contradict each other: the columns are those of '{}'",
         columns.like);
  if (!columns.text_flag.empty()) {
    if (!columns.like.empty())
      fail("{} and --like contradict each other: the columns are those of '{}'", columns.text_flag,
           columns.like);
    try {
      check(columns.text);
    } catch (const InvalidArgument& error) {
      throw UsageError(error);
    }
  }
  if (!columns.like.empty() && options.fit.categories)
    fail("--categories and --like contradict each other: the columns are those of '{}'",
         columns.like);
  if (!columns.like.empty() && options.fit.missing_indicators)
    fail("--missing-indicators and --like contradict each other: the columns are those of '{}'",
         columns.like);
  if (columns.unlabelled && (!columns.label.empty() || !input.labels_file.empty()))
    fail("{} and --no-label contradict each other: the rows have classes, or they have none",
         columns.label.empty() ? "--labels" : "--label");
  if (!columns.label.empty() && !input.labels_file.empty())
    fail("--label and --labels contradict each other: the classes are in one place");
}

}  // namespace

void require_no_found_transforms(const Command& command) {
  if (command.options.columns.finds_transforms())
    throw UsageError(fmt::format("--transform auto is for fit, and {} takes columns as they are",
                                 command.verb->name),
                     "name the transformation of a column, as in --transform price=log");
}

std::size_t count_statistics(const Command& command) {
  return static_cast<std::size_t>(
      std::ranges::count_if(command.options.input.paths, is_statistics));
}

void require_label(const Command& command) {
  const Options& options = command.options;
  if (!options.columns.label.empty() || options.columns.unlabelled ||
      !options.input.labels_file.empty() || !options.columns.like.empty() ||
      options.input.format == "libsvm")
    return;
  for (const std::string& path : options.input.paths)
    if (is_statistics(path) || has_ending(without_packing(path), ".libsvm") ||
        has_ending(without_packing(path), ".svm") || is_folder(path))
      return;
  const bool has_no_label = std::ranges::any_of(command.verb->flags, [](const FlagGroup& group) {
    return std::ranges::any_of(group.flags,
                               [](const Flag& flag) { return flag.name() == "--no-label"; });
  });
  fail("{} needs --label COLUMN, the column that has the classes (or --labels FILE{})",
       command.verb->name, has_no_label ? "; --no-label if there are none" : "");
}

bool reads_standard_input(const InputOptions& input) {
  return std::ranges::find(input.paths, "-") != input.paths.end() || input.labels_file == "-";
}

void require_statistics_files(const Command& command) {
  const std::vector<std::string>& paths = command.options.input.paths;
  if (std::ranges::find(paths, "-") != paths.end())
    fail("{} reads statistics from files, not from standard input", command.verb->name);
}

void check_contradictions(const Command& command) {
  const Options& options = command.options;
  const Verb& verb = *command.verb;
  if (options.model == "-")
    fail("{} reads '{}' from a file, not from standard input", verb.name,
         verb.usage.substr(0, verb.usage.find(' ')));
  const InputOptions& input = options.input;
  if (std::ranges::count(input.paths, "-") + (input.labels_file == "-") > 1)
    fail("standard input (-) can be read only once");
  if (input.format == "tsv" && input.separator != 0 && input.separator != '\t')
    throw UsageError("--format tsv and --separator contradict each other", "use --format csv");
  if (options.safe_csv && options.json && options.output == "-")
    throw UsageError("--safe-csv and --json contradict each other on standard output",
                     "leave one of them out, or write CSV to a file with -o");
  if (options.quiet && options.verbose) fail("--quiet and --verbose contradict each other");
  if (verb.check) verb.check(command);
  check_columns(options);
  check_output(command);
  if (!options.choice.predictions.empty())
    check_table(command, "--predictions", options.choice.predictions);
}

}  // namespace suffice::cli
