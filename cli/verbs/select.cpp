#include "suffice/select/select.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/line/column_variants.hpp"
#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/line/model_flags.hpp"
#include "cli/line/paths.hpp"
#include "cli/output/row_writer.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/decision.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/table_rows.hpp"
#include "cli/words/select_text.hpp"
#include "cli/words/show_remarks.hpp"
#include "core/parallel.hpp"
#include "left_out/ranking.hpp"
#include "suffice/fit/gather.hpp"
#include "suffice/io/file.hpp"
#include "suffice/stats/indicators.hpp"
#include "suffice/train/estimate_with_rows.hpp"

namespace suffice::cli {
namespace {

/// Rows that take no more are kept for the second pass instead of being read again.
constexpr double bytes_of_rows = 512e6;

Column folds_of(const Plan& plan, const Rows& rows) {
  return plan.fold < 0 ? Column() : rows.texts()[plan.fold].column();
}

/// `work` with an execution that shows how far a block has come.
template <class Work>
void with_progress(const Context& context, const std::string& what, const Work& work) {
  Execution execution = context.execution;
  execution.progress = [&](double done) {
    context.terminal.progress(what + "  " + std::to_string(std::lround(100 * done)) + " %", {});
  };
  work(execution);
}

/// Two passes over the rows of the command; one over the files where the rows fit into memory.
class TwoPasses {
 public:
  explicit TwoPasses(const Context& context)
      : context_(context), table_(context.options.input, context.execution) {
    require_not_an_input(table_.files(), context.options.output);
    require_not_an_input(table_.files(), context.options.choice.predictions);
    plan_ = plan_of(context, table_);
    plan_.schema =
        with_missing_indicators(plan_.schema, context.options.columns.missing_indicators);
    table_.select(plan_.selection);
  }

  const Plan& plan() const { return plan_; }
  const Table& table() const { return table_; }
  double unlabelled_rows() const { return unlabelled_; }

  void learn(Selector& selector, bool warns) {
    rows_ = table_.make_rows_of_bytes(bytes_of_rows);
    for (blocks_ = 0; table_.next(rows_); ++blocks_) {
      // A second block begins, so the first one is gone.
      if (blocks_ == 1) require_files();
      const bool is_all = blocks_ == 0 && rows_.room() > 0;
      unlabelled_ += static_cast<double>(drop(table_));
      if (blocks_ == 0 && warns)
        show_remarks(remarks_on_first_rows(plan_.schema, view(plan_, rows_), plan_.chosen),
                     context_.terminal);
      with_progress(context_, "summing up", [&](const Execution& execution) {
        with_places(rows_,
                    [&] { selector.learn(view(plan_, rows_), folds_of(plan_, rows_), execution); });
      });
      show(table_, "reading");
      if (!is_all) continue;
      Rows none = table_.make_rows(1);
      table_.next(none);  // says what is wrong at the end, and leaves the rows as they are
      blocks_ = 1;
      break;
    }
    require_labelled_rows(table_, plan_, unlabelled_);
  }

  void score(Selector& selector) {
    if (blocks_ == 1) return score_block(selector);
    Table again(context_.options.input, context_.execution);
    again.select(plan_.selection);
    while (again.next(rows_)) {
      drop(again);
      score_block(selector);
      show(again, "scoring");
    }
  }

  /// The rows of both passes once more, for candidates that take passes of their own.
  Selector::RowsOfFolds rows_of_folds() const {
    return [this](const auto& use) {
      if (blocks_ == 1) return use(view(plan_, rows_), folds_of(plan_, rows_));
      Table again(context_.options.input, context_.execution);
      again.select(plan_.selection);
      for (Rows rows = again.make_rows(); again.next(rows);) {
        drop_unlabelled(plan_, rows);
        use(view(plan_, rows), folds_of(plan_, rows));
      }
    };
  }

  /// What the chosen model says of rows of left-out folds.
  void write_predictions(Selector& selector, const Selection& selection) {
    const std::string& path = context_.options.choice.predictions;
    std::vector<RowColumn> columns = {{.name = "row"},
                                      {.name = "class", .is_text = true},
                                      {.name = "fold", .is_text = true},
                                      {.name = "label", .is_text = true}};
    for (const std::string& label : selector.statistics().labels())
      columns.push_back({"proba:" + label});
    RowWriter writer(path, row_format_of(path), columns);
    if (blocks_ == 1) {
      write_block(selector, selection, writer);
    } else {
      Table again(context_.options.input, context_.execution);
      again.select(plan_.selection);
      while (again.next(rows_)) {
        drop(again);
        write_block(selector, selection, writer);
        show(again, "predicting");
      }
      context_.terminal.end_progress();
    }
    writer.finish();
  }

 private:
  /// Takes out the rows without a label, and notes the numbers of the others. Returns how many.
  Index drop(const Table& table) {
    numbers_.clear();
    const std::int64_t before = table.rows_read() - rows_.size();
    for (Index i = 0; i < rows_.size(); ++i)
      if (!rows_.texts()[plan_.label].is_missing(i))
        numbers_.push_back(static_cast<double>(before + i + 1));
    return drop_unlabelled(plan_, rows_);
  }

  void write_block(Selector& selector, const Selection& selection, RowWriter& writer) const {
    FoldPredictions found;
    with_places(rows_, [&] {
      found = selector.predict(view(plan_, rows_), folds_of(plan_, rows_), context_.execution);
    });
    std::vector<Index> weighty;  // rows of weight 0 have no answer
    for (Index i = 0; i < rows_.size(); ++i)
      if (found.classes[i] >= 0) weighty.push_back(i);
    const bool is_text =
        std::holds_alternative<TextFormat>(row_format_of(context_.options.choice.predictions));
    const int digits = is_text ? 6 : 0;  // as those of predict
    Workers workers(context_.execution, 64);
    writer.write(
        std::ssize(weighty),
        [&](Index k, CellSink& cells) {
          const Index i = weighty[static_cast<std::size_t>(k)];
          cells.add(numbers_[i]);
          cells.add(rows_.texts()[plan_.label][i]);
          if (found.folds[i] < 0)
            cells.add_nothing();
          else
            cells.add(selection.folds[found.folds[i]]);
          cells.add(found.labels[found.classes[i]]);
          for (const double probability : found.posteriors.row(i)) cells.add(probability, digits);
        },
        workers);
  }

  void score_block(Selector& selector) {
    with_progress(context_, "comparing", [&](const Execution& execution) {
      with_places(rows_,
                  [&] { selector.score(view(plan_, rows_), folds_of(plan_, rows_), execution); });
    });
  }
  void show(const Table& table, const char* what) {
    const Extent extent = table.extent();
    context_.terminal.progress(what, {extent.done, extent.total, table.rows_read()});
  }
  void require_files() const {
    const std::optional<std::string> once =
        read_only_once(context_.options.input, context_.execution.stop);
    if (!once) return;
    throw FileError({.path = *once},
                    "select reads the rows twice, and " + called(*once) +
                        " cannot be read again (it is no file, and the rows take more than " +
                        bytes_for_people(bytes_of_rows) + ")",
                    "write it to a file first");
  }

  const Context& context_;
  Table table_;
  Plan plan_;
  Rows rows_;
  std::vector<double> numbers_;  ///< of the rows, among all that the tables have, from 1
  int blocks_ = 0;
  double unlabelled_ = 0;
};

/// What is worth a warning about how it was measured.
void warn_of(const Selection& selection, const Options& options, Terminal& terminal) {
  if (options.decision.cost.is_given() && options.choice.criterion != Criterion::cost)
    terminal.warn("the choice is by " + std::string(to_string(options.choice.criterion)) +
                  "; --criterion cost makes it by the --cost that is given");
  for (const std::string& note : selection.notes) terminal.warn(note);
  const Score& best = selection.candidates[selection.best].score;
  if (selection.notes.empty() && best.impossible > 0)
    terminal.warn("the log-loss of the best is infinite: " + counted(best.impossible, "row") +
                  " had a class of probability 0; --smoothing or --shrinkage auto avoids that");
  if (std::isfinite(best.log_loss) && best.log_loss > selection.frequency_log_loss)
    terminal.warn("the log-loss of the best is above that of the class frequencies alone (" +
                  rounded(selection.frequency_log_loss, 3) + ")" +
                  (options.choice.calibrate ? "; the features may tell nothing of the classes"
                                            : "; --calibration auto avoids that"));
}

}  // namespace

void check_select(const Command& command) {
  require_label(command);
  if (count_statistics(command) > 0)
    throw UsageError("select scores rows, and a .stats file has only their sums",
                     "give it the tables");
  if (command.has("--folds") && command.has("--fold-column"))
    fail("--folds and --fold-column contradict each other: the folds are dealt, or given");
  require_no_found_transforms(command);
  check_grid(command.options.choice);
  const Grid& grid = command.options.choice.grid;
  if (command.has("--penalty") &&
      (!grid.contains("discriminative") ||
       std::ranges::find(grid.at("discriminative"), "yes") == grid.at("discriminative").end()))
    fail("--penalty is for logistic regression: add --discriminative yes, or leave it out");
  if (command.has("--restarts") && !grid.contains("components"))
    fail("--restarts is for --components");
  if (command.options.choice.folds == 0 && command.options.fit.missing == MissingNumbers::em)
    fail("--missing em and --folds loo cannot be combined: EM would be needed without each row");
  check_column_lists(command.options);
  if (const std::string& path = command.options.choice.predictions; !path.empty()) {
    if (path == "-") fail("--predictions writes a file, not standard output");
    if (same_file(path, command.options.output))
      fail("--predictions and -o name the same file '{}'", path);
  }
}

namespace {

/// For candidates that take passes over the rows.
RowTraining passes_of(const Options& options) {
  return {.missing = options.fit.missing,
          .passes = options.fit.passes,
          .restarts = options.fit.restarts,
          .seed = options.seed};
}

/// The candidates for one meaning of the columns.
class Comparison {
 public:
  Comparison(const Context& context, const ColumnOptions& columns)
      : options_(context.options), context_{options_, context.execution, context.terminal} {
    options_.columns = columns;
    passes_.emplace(context_);
  }
  Comparison(const Comparison&) = delete;

  std::vector<EstimateOptions> candidates() const {
    return candidates_of(options_.choice.grid, passes_->plan().schema, options_.choice.folds == 0);
  }

  /// Both passes.
  Selection run(std::vector<EstimateOptions> candidates, bool warns) {
    const ChoiceOptions& choice = options_.choice;
    selector_.emplace(passes_->plan().schema,
                      SelectOptions{.candidates = std::move(candidates),
                                    .folds = choice.folds,
                                    .seed = options_.seed,
                                    .criterion = choice.criterion,
                                    .calibrate = choice.calibrate,
                                    .one_standard_error = choice.one_standard_error,
                                    .training = passes_of(options_)});
    selector_->read_again_with(passes_->rows_of_folds());
    passes_->learn(*selector_, warns);
    const Statistics& statistics = selector_->statistics();
    if (warns) show_remarks(remarks_on(statistics), context_.terminal);
    selector_->decide_with(
        priors_for(options_.decision.prior, statistics.labels(), statistics.weights(), context_),
        costs_for(options_.decision.cost, statistics.labels(), context_.execution));
    passes_->score(*selector_);
    context_.terminal.end_progress();
    return selector_->finish(context_.execution);
  }

  TwoPasses& passes() { return *passes_; }
  Selector& selector() { return *selector_; }

 private:
  Options options_;
  Context context_;
  std::optional<TwoPasses> passes_;
  std::optional<Selector> selector_;
};

/// The columns that have missing values, where --missing-indicators asks for them: one more pass.
std::vector<std::string> missing_columns(const Context& context) {
  const auto wanted = context.options.fit.missing_indicators;
  if (wanted.value_or(MissingIndicators::no) == MissingIndicators::no) return {};
  TableRows rows(context);
  if (const std::optional<std::string> once = rows.read_only_once())
    throw InvalidArgument(
        "--missing-indicators reads the rows another time, which " + *once + " does not allow",
        "write them to a file first");
  return columns_with_missing_values(
      gather(rows, {.estimate = {.covariance = Covariance::diag}}, context.execution).statistics);
}

}  // namespace

void select_model(const Context& context) {
  const Options& options = context.options;
  require_folder(options.output);
  if (!options.choice.predictions.empty()) require_folder(options.choice.predictions);
  const std::vector<ColumnVariant> variants = column_variants(options, missing_columns(context));
  Selection selection;
  std::vector<std::size_t> variant_of;  // of each candidate
  std::optional<Comparison> comparison;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    comparison.emplace(context, variants[v].columns);
    Selection found = comparison->run(comparison->candidates(), v == 0);
    variant_of.insert(variant_of.end(), found.candidates.size(), v);
    if (v == 0) {
      selection = std::move(found);
      continue;
    }
    selection.hints.clear();  // the best of one meaning need not be the best of all
    std::move(found.candidates.begin(), found.candidates.end(),
              std::back_inserter(selection.candidates));
  }
  if (variants.size() > 1) {
    rank(selection, options.choice.criterion, options.choice.one_standard_error);
    comparison.emplace(context, variants[variant_of[selection.best]].columns);
    comparison->run({selection.best_options()}, false);
  }
  warn_of(selection, options, context.terminal);
  TwoPasses& passes = comparison->passes();
  const Statistics& statistics = comparison->selector().statistics();
  const RowPass rows = [&](const auto& use) {
    passes.rows_of_folds()([&](const RowBlock& block, const Column&) { use(block); });
  };
  const Model model = estimate_with_rows(statistics, rows, selection.best_options(),
                                         passes_of(options), context.execution)
                          .with_calibration(selection.candidates[selection.best].calibration);
  if (!options.choice.predictions.empty())
    passes.write_predictions(comparison->selector(), selection);
  save(model, options.output);
  SelectSummary summary{.selection = selection,
                        .model = model,
                        .rows = static_cast<double>(passes.table().rows_read()),
                        .unlabelled_rows = passes.unlabelled_rows(),
                        .files = files_in_words(passes.table().files()),
                        .output = options.output};
  if (variants.size() > 1)
    for (const std::size_t v : variant_of) summary.columns.push_back(variants[v].values);
  if (options.json)
    context.terminal.print(dump(select_json(context, summary)));
  else if (!options.quiet)
    context.terminal.print(select_text(context, summary));
}

}  // namespace suffice::cli
