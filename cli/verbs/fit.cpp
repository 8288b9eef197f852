#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/input/table.hpp"
#include "cli/line/contradictions.hpp"
#include "cli/line/error.hpp"
#include "cli/line/fail.hpp"
#include "cli/line/model_flags.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/better_columns.hpp"
#include "cli/verbs/calibration.hpp"
#include "cli/verbs/discriminative.hpp"
#include "cli/verbs/evaluation.hpp"
#include "cli/verbs/files.hpp"
#include "cli/verbs/missing.hpp"
#include "cli/verbs/mixture.hpp"
#include "cli/verbs/read_again.hpp"
#include "cli/verbs/training.hpp"
#include "cli/words/fit_text.hpp"
#include "suffice/estimate/estimate.hpp"
#include "suffice/estimate/shrunken_means.hpp"
#include "suffice/io/file.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/left_out/leave_one_out_shrinkage.hpp"
#include "suffice/select/choose.hpp"
#include "suffice/select/select.hpp"

namespace suffice::cli {
namespace {

Training read_statistics(const Context& context) {
  const std::vector<std::string> files =
      expand_paths(context.options.input.paths, context.execution.stop);
  require_not_an_input(files, context.options.output);
  MergedFiles merged = merge_all(files, context.execution);
  const double rows = merged.all.statistics.weights().map().sum();
  Training training{std::move(merged.all.statistics), files, rows};
  if (merged.all.rows) training.sample = merged.all.rows->limited(ReservoirOptions().rows).sample();
  return training;
}

/// --calibration auto of a model that is not chosen, or a mixture: the rows are read again.
bool calibrates_again(const Options& options) {
  return (!options.chooses() || options.mixes()) && options.calibrate.value_or(false);
}

/// What makes a model senseless, in words that a person at a terminal can use.
void require_something_to_learn(const Statistics& statistics) {
  std::vector<std::string> seen;
  for (Index c = 0; c < statistics.labels().size(); ++c)
    if (statistics.weights()[c] > 0) seen.push_back(statistics.labels()[c]);
  if (seen.empty()) throw DataError("no row has a weight above 0");
  const double rows = statistics.weights().map().sum();
  const Vector missing = statistics.missing();
  std::vector<std::string> empty;
  for (Index j = 0; j < missing.size(); ++j)
    if (missing[j] >= rows) empty.push_back(statistics.schema().feature(j).name);
  if (!empty.empty())
    throw DataError({.features = std::move(empty)}, "there is no value in any row",
                    "leave the columns out with --ignore");
}

/// The flag, if any, that compares predictions of classes, which takes two of them.
std::string_view flag_for_classes(const Options& options) {
  if (options.estimate.discriminative) return "--discriminative";
  if (options.asked_to_choose) return "auto, for --covariance or --tails,";
  if (options.shrinkage_by_leave_one_out) return "--shrinkage loo";
  if (options.means_by_folds) return "--shrink-means auto";
  if (options.estimate.keep) return "--keep";
  if (options.estimate.keep_above) return "--keep-above";
  if (options.columns.finds_transforms()) return "--transform auto";
  if (options.columns.categories == ColumnOptions::Categories::automatic)
    return "--categories auto";
  if (!options.columns.fold.empty()) return "--fold-column";
  if (options.calibrate.value_or(false) || !options.calibration_files.empty())
    return "--calibration";
  return options.training_error ? "--training-error" : "";
}

constexpr std::string_view needs_classes =
    " is about telling classes apart, and there is one class only";

/// A model of one class knows how usual a row is. Returns whether it is one.
bool is_of_one_class(const Context& context, const Statistics& statistics) {
  if (statistics.labels().size() != 1) return false;
  if (const std::string_view flag = flag_for_classes(context.options); !flag.empty())
    throw InvalidArgument(std::string(flag) + std::string(needs_classes), "leave it out");
  if (!statistics.schema().label().empty())
    context.terminal.warn("all rows have the label '" + statistics.labels()[0] +
                          "': the model has one class, so it finds outliers (predict --outlier) "
                          "and tells no classes apart");
  return true;
}

/// Where a flag reads the rows twice. Throws FileError.
void require_readable_twice(const Options& options) {
  const std::optional<std::string> once = read_only_once(options.input);
  if (!once) return;
  throw FileError({.path = *once},
                  std::string(!options.columns.fold.empty()        ? "--fold-column"
                              : options.training_error             ? "--training-error"
                              : options.uses_unlabelled            ? "--unlabelled use"
                              : options.mixes()                    ? "--components"
                              : options.shrinkage_by_leave_one_out ? "--shrinkage loo"
                              : options.means_by_folds             ? "--shrink-means auto"
                                                                   : "--calibration auto") +
                      " reads DATA a second time, which " + called(*once) +
                      " does not allow (it is no file)",
                  "write it to a file first");
}

/// What was asked for and changes nothing, whatever the rows.
void warn_of_idle_options(const Options& options, Terminal& terminal) {
  if (options.chooses()) return;
  const EstimateOptions& given = options.estimate;
  const EstimateOptions used = resolve(given);
  if (given.discriminative) return;
  if (given.shrinkage && given.shrinkage->kind() == Shrinkage::Kind::share &&
      given.shrinkage != used.shrinkage)
    terminal.warn("--shrinkage " + to_string(*given.shrinkage) + " changes nothing: --covariance " +
                  std::string(to_string(given.covariance)) + " is its own target");
  if (given.standardize != used.standardize)
    terminal.warn("--standardize changes nothing without --pca");
  if (given.normalize != used.normalize && !given.shrink_means)
    terminal.warn("--normalize " + std::string(to_string(given.normalize)) +
                  " changes nothing beside a prior; it is for --shrinkage 0");
}

/// --shrinkage loo: the strength by leaving out one row at a time.
std::optional<LeaveOneOutShrinkage::Choice> chosen_shrinkage(const Context& context,
                                                             const Statistics& statistics) {
  if (!context.options.shrinkage_by_leave_one_out) return std::nullopt;
  LeaveOneOutShrinkage strengths(statistics, context.options.estimate, context.execution);
  Groups none;
  read_again(context, statistics.schema(), none, [&](const RowBlock& rows, const Column&) {
    strengths.score(rows, context.execution);
  });
  const LeaveOneOutShrinkage::Choice choice = strengths.finish();
  if (std::isinf(choice.log_loss))
    context.terminal.warn(
        "the leave-one-out log-loss is infinite: some class has a single row, without which it has "
        "the probability 0");
  return choice;
}

/// Both passes of a selector, and those that its candidates take.
Selection selected(const Context& context, const Training& training, Selector& selector) {
  const Schema& schema = training.statistics.schema();
  Groups groups;
  read_again(context, schema, groups, [&](const RowBlock& rows, const Column& folds) {
    selector.learn(rows, folds, context.execution);
  });
  if (groups.count() == 1)
    throw InvalidArgument("the column '" + context.options.columns.fold +
                              "' of --fold-column has "
                              "one value in all rows",
                          "it must tell groups of rows apart");
  selector.read_again_with([&](const auto& use) {
    if (training.kept && context.options.columns.fold.empty())
      return rows_of_training(context, training,
                              {})([&](const RowBlock& rows) { use(rows, Column()); });
    Groups own = groups;
    read_again(context, schema, own, use, "");
  });
  read_again(context, schema, groups, [&](const RowBlock& rows, const Column& folds) {
    selector.score(rows, folds, context.execution);
  });
  return selector.finish(context.execution);
}

/// As many folds as --calibration auto and --shrink-means auto take.
Index usual_folds(const Vector& weights) {
  return static_cast<Index>(std::clamp(std::floor(std::ranges::max(weights)), 2.0, 5.0));
}

/// --shrink-means auto: the fewest parameters within one standard error of the fewest errors.
std::optional<FoundThreshold> chosen_threshold(const Context& context, const Training& training,
                                               const EstimateOptions& given) {
  if (!context.options.means_by_folds) return std::nullopt;
  const Statistics& statistics = training.statistics;
  std::vector<EstimateOptions> candidates;
  for (const double delta : mean_thresholds(statistics, given, context.execution)) {
    candidates.push_back(given);
    candidates.back().shrink_means = delta;
  }
  Selector selector(statistics.schema(), {.candidates = candidates,
                                          .folds = usual_folds(statistics.weights()),
                                          .seed = context.options.seed,
                                          .criterion = Criterion::error,
                                          .one_standard_error = true});
  const Selection selection = selected(context, training, selector);
  for (const std::string& note : selection.notes) context.terminal.warn(note);
  const CandidateResult& best = selection.candidates[static_cast<std::size_t>(selection.best)];
  return FoundThreshold{.delta = best.options.shrink_means->value,
                        .compared = std::ssize(candidates),
                        .folds = std::ssize(selection.folds),
                        .error_rate = best.score.error_rate,
                        .log_loss = best.score.log_loss};
}

/// The model that predicts best rows of groups that it has not seen.
Choice chosen_by_groups(const Context& context, const Training& training) {
  const Statistics& statistics = training.statistics;
  const ChooseOptions options = choose_options(context.options);
  const MissingOptions missing = missing_options(context, training);
  Selector selector(statistics.schema(),
                    {.candidates = candidates_to_choose(statistics, options),
                     .seed = context.options.seed,
                     .calibrate = options.calibrate,
                     .training = {.missing = missing.numbers, .passes = missing.passes}});
  const Selection selection = selected(context, training, selector);
  for (const std::string& note : selection.notes) context.terminal.warn(note);
  Choice choice = choice_by_folds(selection, statistics, options);
  choice.complete(statistics, missing, context.execution);
  return choice;
}

/// --covariance auto: the model that predicts best, found with the rows that training kept.
std::optional<Choice> chosen_model(const Context& context, const Training& training) {
  if (!context.options.chooses()) return std::nullopt;
  if (!context.options.columns.fold.empty()) return chosen_by_groups(context, training);
  if (!training.sample) {
    if (context.options.calibration_files.empty())
      context.terminal.note(
          "The model is the one that the evidence prefers, and its probabilities are not "
          "calibrated: "
          "both choices need rows, and the .stats file has only their sums. --calibration FILE "
          "takes "
          "rows of your own; suffice stats --reservoir keeps some.");
    return std::nullopt;
  }
  Execution execution = context.execution;
  execution.progress = [&](double done) {
    context.terminal.progress("choosing a model", {.share = done});
  };
  ChooseOptions options = choose_options(context.options);
  options.missing = missing_options(context, training);
  const Choice choice = choose(training.statistics, *training.sample, options, execution);
  context.terminal.end_progress();
  return choice;
}

/// The options of an estimate without a choice. Where no covariance is named, it is full, or tied
/// or diag where the statistics have no more, and what was not given is found in the sums.
EstimateOptions options_to_estimate(const Options& options, const Statistics& statistics) {
  EstimateOptions result = options.estimate;
  const auto is_fixed = [&](const char* name) {
    return std::ranges::find(options.fixed, name) != options.fixed.end();
  };
  if (result.discriminative) {
    if (!is_fixed("covariance")) result.covariance = Covariance::tied;
    return result;
  }
  if (!options.chooses() || is_fixed("covariance")) return result;
  for (const BlockStatistics& block : statistics.blocks())
    if (const auto* gaussian = std::get_if<GaussianStatistics>(&block)) {
      if (gaussian->kind == Scatter::diagonal) result.covariance = Covariance::diag;
      if (gaussian->kind == Scatter::pooled) result.covariance = Covariance::tied;
    } else if (!is_fixed("smoothing")) {
      result.smoothing = Smoothing::automatic();
    }
  return result;
}

/// --calibration auto: by the scores of rows that had no part in estimating; one row at a time
/// where that is exact and cheap, by folds otherwise.
std::optional<FoundCalibration> calibrate_by_rows(const Context& context, const Training& training,
                                                  Model& model) {
  if (!calibrates_again(context.options) || model.calibration()) return std::nullopt;
  const Schema& schema = training.statistics.schema();
  const EstimateOptions& options = *model.parts().options;
  const Index folds = usual_folds(model.weights());
  const RowTraining passes{.missing = model.parts().found.em_passes.empty()
                                          ? MissingNumbers::complete
                                          : MissingNumbers::em,
                           .passes = context.options.passes,
                           .restarts = context.options.restarts,
                           .seed = context.options.seed};
  const bool in_folds =
      no_leave_one_out(schema, options) || takes_passes(training.statistics, options, passes);
  FoundCalibration found{.folds = in_folds ? folds : 0};
  try {
    Selector selector(schema, {.candidates = {options},
                               .folds = found.folds,
                               .seed = context.options.seed,
                               .calibrate = true,
                               .training = passes});
    const Selection selection = selected(context, training, selector);
    if (!context.options.columns.fold.empty()) found.folds = std::ssize(selection.folds);
    const CandidateResult& result = selection.candidates.front();
    model = model.with_calibration(result.calibration);
    found.log_loss_before = result.uncalibrated.log_loss;
    found.log_loss = result.score.log_loss;
    found.frequency_log_loss = selection.frequency_log_loss;
    for (const std::string& note : selection.notes) context.terminal.warn(note);
    return found;
  } catch (const InvalidArgument& error) {
    context.terminal.warn("the model is not calibrated: " + error.text(flag_spelling));
    return std::nullopt;
  }
}

/// The model; where columns make a covariance singular, the advice names the flag that leaves them
/// out.
template <class Estimate>
Model with_advice(const Estimate& estimate) {
  try {
    return estimate();
  } catch (const SingularError& error) {
    if (error.features().empty()) throw;
    throw error.advising(error.advice() + " (--ignore leaves columns out)");
  }
}

/// Reads the tables a second time.
std::optional<Report> training_error(const Context& context, const Model& model) {
  const Options& options = context.options;
  if (!options.training_error) return std::nullopt;
  Table table(options.input, context.execution);
  const Plan plan =
      plan_scoring(table, model.schema(), model.schema().label(), options.columns.weight);
  const Decision decision{Priors::from_counts(model), {}, {}, {}};
  return evaluate_table(context, table, plan, model, decision).report;
}

}  // namespace

void check_fit(const Command& command) {
  const Options& options = command.options;
  require_label(command);
  check_estimate(options);
  if (const std::string_view flag = flag_for_classes(options);
      options.columns.unlabelled && !flag.empty())
    fail("{}{}: leave it out", flag, needs_classes);
  const std::size_t statistics = count_statistics(command);
  if (statistics > 0) {
    if (statistics < options.input.paths.size())
      throw UsageError("fit reads either tables or .stats files, not both",
                       "suffice stats makes one of a table");
    for (const FlagGroup& group : command.verb->flags)
      for (const Flag& flag : group.flags)
        if ((group.heading == "Data" || group.heading == "Columns") && command.has(flag.name()))
          throw UsageError(fmt::format("{} is for tables", flag.name()),
                           "it was settled when the .stats file was made");
    if (!options.columns.fold.empty())
      throw UsageError("--fold-column needs the rows again, and a .stats file has only their sums",
                       "give the table instead");
    if (options.training_error)
      throw UsageError(
          "--training-error needs the rows again, and a .stats file has only their sums",
          "suffice evaluate takes a table");
    if (options.shrinkage_by_leave_one_out)
      throw UsageError(
          "--shrinkage loo needs the rows again, and a .stats file has only their sums",
          "--shrinkage auto needs no rows");
    if (options.means_by_folds)
      throw UsageError(
          "--shrink-means auto needs the rows again, and a .stats file has only their sums",
          "give a number, such as --shrink-means 2");
    if (calibrates_again(options))
      throw UsageError(
          "--calibration auto of a covariance that is named needs the rows again, and a .stats "
          "file "
          "has only their sums",
          "--calibration FILE takes rows of your own");
  }
  if (options.columns.finds_transforms() && options.shrinkage_by_leave_one_out)
    fail("--shrinkage loo and --transform auto contradict each other: name the transformations");
  if (options.columns.categories == ColumnOptions::Categories::automatic &&
      options.shrinkage_by_leave_one_out)
    fail("--shrinkage loo and --categories auto contradict each other: say apart or within");
  if (options.asked_to_choose && options.shrinkage_by_leave_one_out)
    fail(
        "--shrinkage loo is for a covariance that is named; --covariance auto tries strengths of "
        "its own");
  if (keeps_some(options.estimate) && options.columns.finds_transforms())
    fail("--transform auto compares by leaving out single rows; with {} name the transformations",
         options.estimate.keep ? "--keep" : "--keep-above");
  if (options.estimate.shrink_means) {
    if (options.chooses())
      fail("--shrink-means is for a covariance and tails that are named, not for auto");
    if (options.columns.compares())
      fail(
          "--transform auto and --categories auto compare by leaving out single rows; with "
          "--shrink-means name the transformations, and say apart or within");
    if (options.mixes()) fail("--shrink-means is for classes without components");
  }
  if (!options.columns.fold.empty()) {
    if (!options.chooses() && !calibrates_again(options) && !options.means_by_folds)
      fail("--fold-column has no part here: it is for a model that is chosen or calibrated");
    if (options.shrinkage_by_leave_one_out)
      fail("--shrinkage loo leaves out single rows; --fold-column is for groups of them");
    if (options.columns.compares())
      fail(
          "--transform auto and --categories auto compare by leaving out single rows; with "
          "--fold-column name the transformations, and say apart or within");
    require_readable_again(command, "--fold-column");
  }
  check_missing(command, statistics > 0);
  check_discriminative(command, statistics > 0);
  check_mixture(command, statistics > 0);
  if (options.training_error) require_readable_again(command, "--training-error");
  if (options.shrinkage_by_leave_one_out) require_readable_again(command, "--shrinkage loo");
  if (options.means_by_folds) require_readable_again(command, "--shrink-means auto");
  if (calibrates_again(options)) require_readable_again(command, "--calibration auto");
}

void fit(const Context& context) {
  const Options& options = context.options;
  if (options.shrinkage_by_leave_one_out || options.training_error || calibrates_again(options) ||
      options.means_by_folds || !options.columns.fold.empty() || options.mixes())
    require_readable_twice(options);
  Training training = are_statistics(options.input.paths)
                          ? read_statistics(context)
                          : read_training(context, purpose_of_fit(options));
  require_something_to_learn(training.statistics);
  const bool one_class = is_of_one_class(context, training.statistics);
  put_categories_within(context, training);
  warn_of_idle_options(options, context.terminal);
  EstimateOptions estimate_options = options_to_estimate(options, training.statistics);
  const auto choice = chosen_shrinkage(context, training.statistics);
  if (choice) estimate_options.shrinkage = choice->shrinkage;
  const auto threshold = chosen_threshold(context, training, estimate_options);
  if (threshold) estimate_options.shrink_means = threshold->delta;
  std::optional<Choice> chosen;
  if (!one_class) chosen = chosen_model(context, training);
  if (!one_class && !are_statistics(options.input.paths) && options.columns.fold.empty())
    find_better_columns(context, training, chosen);
  std::optional<MixtureFit> mixture;
  Model model = with_advice([&] {
    if (options.mixes()) {
      mixture = fit_mixture(context, training, chosen ? chosen->options : estimate_options);
      // Where one component serves every class, it is the model that was chosen.
      if (mixture->model.mixture() || options.uses_unlabelled) return mixture->model;
      estimate_options.components = 1;
    }
    if (options.estimate.discriminative)
      return densities_beside(estimate_options, [&](const EstimateOptions& densities) {
        return estimate_with_missing(context, training, densities);
      });
    return chosen ? chosen->model(training.statistics, context.execution)
                  : estimate_with_missing(context, training, estimate_options);
  });
  if (options.estimate.discriminative) model = fit_twin(context, training, model).model;
  if (chosen && chosen->completion) warn_unless_converged(context, *chosen->completion);
  if (chosen && !chosen->incomplete_reason.empty())
    context.terminal.warn("rows that lack a number were left out, since EM cannot complete them: " +
                          chosen->incomplete_reason.text(flag_spelling));
  if (chosen && !chosen->best())
    context.terminal.warn("no model was chosen by leave-one-out: " +
                          chosen->reason.text(flag_spelling));
  const std::optional<FoundCalibration> calibration = calibrate_by_rows(context, training, model);
  if (!options.calibration_files.empty()) {
    InputOptions rows = options.input;
    rows.paths = options.calibration_files;
    rows.labels_file.clear();
    model = calibrate_by_tables(context, model, rows).model;
  }
  const std::optional<Report> error = training_error(context, model);
  save(model, options.output);
  const FitSummary fitted{training, model, choice, threshold, chosen, calibration, error, mixture};
  if (options.json)
    context.terminal.print(dump(fit_json(context, fitted)));
  else if (!options.quiet)
    context.terminal.print(fit_text(context, fitted));
  else if (error)  // what was asked for is no note
    context.terminal.print(training_error_text(*error));
}

}  // namespace suffice::cli
