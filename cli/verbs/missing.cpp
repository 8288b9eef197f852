#include "cli/verbs/missing.hpp"

#include <memory>
#include <string>

#include "cli/input/table.hpp"
#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/read_again.hpp"
#include "suffice/estimate/estimate.hpp"

namespace suffice::cli {

void check_missing(const Command& command, bool from_statistics) {
  const Options& options = command.options;
  if (options.missing == MissingNumbers::complete)
    for (const char* const flag : {"--iterations", "--tolerance"})
      if (command.has(flag) && !options.mixes())
        fail("{} is for EM, and --missing complete has none", flag);
  if (options.missing != MissingNumbers::em) return;
  if (!options.chooses() && !is_dense(options.estimate.covariance))
    fail("--missing em is for full and tied covariances; --covariance {} uses every number anyway",
         to_string(options.estimate.covariance));
  if (from_statistics)
    throw UsageError("--missing em needs the rows again, and a .stats file has only their sums",
                     "give the table instead");
  require_readable_again(command, "--missing em");
}

bool has_all_rows(const Training& training) {
  return training.sample &&
         static_cast<double>(training.sample->size()) == training.rows - training.unlabelled_rows;
}

MissingOptions missing_options(const Context& context, const Training& training) {
  const Options& options = context.options;
  MissingOptions result{.numbers = options.missing.value_or(MissingNumbers::automatic),
                        .passes = options.passes};
  if (are_statistics(options.input.paths)) return result;
  if (has_all_rows(training)) {
    result.rows = [&training](const Schema&, const auto& use) { use(training.sample->rows()); };
    return result;
  }
  if (read_only_once(options.input, context.execution.stop)) return result;
  const auto pass = std::make_shared<Index>(1);
  result.rows = [&context, pass](const Schema& schema, const auto& use) {
    Groups none;
    read_again(
        context, schema, none, [&](const RowBlock& rows, const Column&) { use(rows); },
        "completing missing numbers, pass " + std::to_string((*pass)++));
  };
  return result;
}

void warn_unless_converged(const Context& context, const Completion& completion) {
  if (completion.converged) return;
  context.terminal.warn(
      "EM stopped after " +
      counted(static_cast<double>(context.options.passes.iterations), "pass", "passes") +
      " before it converged; try more --iterations");
}

Model estimate_with_missing(const Context& context, const Training& training,
                            const EstimateOptions& options) {
  const MissingOptions missing = missing_options(context, training);
  const Statistics& statistics = training.statistics;
  if (missing.completes(statistics, options)) {
    const Completion completion = missing.complete(statistics, options, context.execution);
    warn_unless_converged(context, completion);
    return completion.model(context.execution);
  }
  const bool keeps_sums_only = !missing.rows && missing.numbers == MissingNumbers::automatic &&
                               is_dense(options.covariance) && !options.pca && !options.lda &&
                               incomplete_share(statistics) > 0.1;
  if (!keeps_sums_only) return estimate(statistics, options, context.execution);
  context.terminal.warn(
      "many rows lack a number, and only sums of them are at hand: means and variances are those "
      "of "
      "all values present, correlations those of the complete rows; fit from a table that can be "
      "read again to use all rows");
  return estimate_from_present(statistics, options, context.execution);
}

}  // namespace suffice::cli
