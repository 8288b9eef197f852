#include "suffice/evaluate/select.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/decision.hpp"
#include "cli/commands/files.hpp"
#include "cli/commands/select_text.hpp"
#include "cli/commands/show_remarks.hpp"
#include "cli/commands/training.hpp"
#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/line/model_flags.hpp"
#include "cli/output/text.hpp"
#include "suffice/io/file.hpp"

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
    plan_ = plan_of(context, table_);
    table_.select(plan_.selection);
  }

  const Plan& plan() const { return plan_; }
  const Table& table() const { return table_; }
  double unlabelled_rows() const { return unlabelled_; }

  void learn(Selector& selector) {
    rows_ = table_.make_rows_of_bytes(bytes_of_rows);
    for (blocks_ = 0; table_.next(rows_); ++blocks_) {
      // A second block begins, so the first one is gone.
      if (blocks_ == 1) require_files();
      const bool is_all = blocks_ == 0 && rows_.room() > 0;
      unlabelled_ += static_cast<double>(drop_unlabelled(plan_, rows_));
      if (blocks_ == 0)
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
      drop_unlabelled(plan_, rows_);
      score_block(selector);
      show(again, "scoring");
    }
  }

 private:
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
}

void select_model(const Context& context) {
  const Options& options = context.options;
  require_folder(options.output);
  TwoPasses passes(context);
  Selector selector(passes.plan().schema,
                    {.candidates = candidates_of(options.choice.grid, passes.plan().schema,
                                                 options.choice.folds == 0),
                     .folds = options.choice.folds,
                     .seed = options.seed,
                     .criterion = options.choice.criterion,
                     .calibrate = options.choice.calibrate,
                     .one_standard_error = options.choice.one_standard_error});
  passes.learn(selector);
  const Statistics& statistics = selector.statistics();
  show_remarks(remarks_on(statistics), context.terminal);
  selector.decide_with(priors_for(options.decision.prior, statistics.labels(), context),
                       costs_for(options.decision.cost, statistics.labels(), context.execution));
  passes.score(selector);
  context.terminal.end_progress();
  const Selection selection = selector.finish(context.execution);
  warn_of(selection, options, context.terminal);

  const Model model = estimate(statistics, selection.best_options(), context.execution)
                          .with_calibration(selection.candidates[selection.best].calibration);
  save(model, options.output);
  const SelectSummary summary{.selection = selection,
                              .model = model,
                              .rows = static_cast<double>(passes.table().rows_read()),
                              .unlabelled_rows = passes.unlabelled_rows(),
                              .files = files_in_words(passes.table().files()),
                              .output = options.output};
  if (options.json)
    context.terminal.print(dump(select_json(context, summary)));
  else if (!options.quiet)
    context.terminal.print(select_text(context, summary));
}

}  // namespace suffice::cli
