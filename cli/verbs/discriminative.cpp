#include "cli/verbs/discriminative.hpp"

#include <memory>
#include <string>
#include <utility>

#include "cli/input/table.hpp"
#include "cli/line/error.hpp"
#include "cli/line/fail.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/read_again.hpp"

namespace suffice::cli {

void check_discriminative(const Command& command, bool from_statistics) {
  const Options& options = command.options;
  if (!options.estimate.discriminative) {
    if (options.estimate.penalty || command.has("--penalty"))
      fail("--penalty is for logistic regression: add --discriminative, or leave it out");
    return;
  }
  if (from_statistics)
    throw UsageError("--discriminative needs the rows, and a .stats file has only their sums",
                     "give the table instead");
  if (options.columns.unlabelled)
    fail("--discriminative tells classes apart, and --no-label makes one class of all rows");
  if (options.asked_to_choose)
    fail(
        "--covariance auto and --tails auto choose among densities, which have no part in "
        "--discriminative: name the covariance, or leave it out for a linear model; select "
        "compares several");
  if (options.shrinkage_by_leave_one_out)
    fail("--shrinkage loo is about densities, which have no part in --discriminative");
  if (options.estimate.shrink_means)
    fail("--shrink-means is about densities, which have no part in --discriminative");
  if (options.columns.compares())
    fail(
        "--transform auto and --categories auto compare densities; with --discriminative name the "
        "transformations, and say apart or within");
  if (options.calibrate.value_or(false))
    fail(
        "--calibration auto is for densities; weights of --discriminative are found for the "
        "posteriors themselves (--calibration FILE takes rows of your own)");
}

RowPass rows_of_training(const Context& context, const Training& training, std::string what) {
  const Schema& schema = training.statistics.schema();
  if (training.kept && training.kept->plan.schema.columns() == schema.columns())
    return [&context, &training](const auto& use) {
      for (const Rows& rows : training.kept->blocks) {
        if (context.execution.stop.stop_requested()) throw Cancelled();
        with_places(rows, [&] { use(view(training.kept->plan, rows)); });
      }
    };
  if (const auto once = read_only_once(context.options.input, context.execution.stop))
    throw FileError({.path = *once},
                    "--discriminative reads DATA several times, which " + called(*once) +
                        " does not allow (it is no file)",
                    "write it to a file first");
  const auto pass = std::make_shared<Index>(1);
  return [&context, &schema, pass, what = std::move(what)](const auto& use) {
    Groups none;
    read_again(
        context, schema, none, [&](const RowBlock& rows, const Column&) { use(rows); },
        what + ", pass " + std::to_string((*pass)++));
  };
}

LogisticFit fit_twin(const Context& context, const Training& training, const Model& generative) {
  const Options& options = context.options;
  const RowPass rows = narrowed(rows_of_training(context, training, "finding weights"),
                                training.statistics.schema(), generative.schema());
  Execution execution = context.execution;
  execution.progress = [&](double done) {
    if (training.kept) context.terminal.progress("finding weights", {.share = done});
  };
  LogisticFit fit = fit_logistic(
      generative, rows, {.penalty = options.estimate.penalty, .seed = options.seed}, execution);
  context.terminal.end_progress();
  if (fit.separable)
    context.terminal.warn(
        "some classes can be told apart without error, so that the likelihood has no finite "
        "maximum: weights grow without bound, and were stopped; use --penalty auto, or a number "
        "above 0");
  else if (!fit.converged)
    context.terminal.warn("the weights have not converged after " +
                          counted(static_cast<double>(fit.passes), "pass", "passes") +
                          "; a larger --penalty helps");
  return fit;
}

}  // namespace suffice::cli
