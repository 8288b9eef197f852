#include "cli/verbs/mixture.hpp"

#include <memory>
#include <string>

#include "cli/line/contradictions.hpp"
#include "cli/line/fail.hpp"
#include "cli/output/text.hpp"
#include "cli/verbs/discriminative.hpp"
#include "cli/verbs/read_again.hpp"

namespace suffice::cli {
namespace {

const char* flag_of(const Options& options) {
  return options.uses_unlabelled ? "--unlabelled use" : "--components";
}

/// All rows, those without a label included if they are used.
RowPass mixture_pass(const Context& context, const Training& training) {
  if (training.kept) return rows_of_training(context, training, {});
  const bool unlabelled = context.options.uses_unlabelled;
  const auto pass = std::make_shared<Index>(0);
  return [&context, &training, pass, unlabelled](const auto& use) {
    Groups none;
    read_again(
        context, training.statistics.schema(), none,
        [&](const RowBlock& rows, const Column&) { use(rows); },
        *pass == 0 ? "looking for components" : "EM, pass " + std::to_string(*pass), unlabelled);
    ++*pass;
  };
}

}  // namespace

void check_mixture(const Command& command, bool from_statistics) {
  const Options& options = command.options;
  if (options.unlabelled_weight && !options.uses_unlabelled)
    fail("--unlabelled-weight is for --unlabelled use");
  if (command.has("--restarts") && options.estimate.components.is_one())
    fail("--restarts is for --components");
  if (options.uses_unlabelled && options.columns.unlabelled)
    fail(
        "--unlabelled use and --no-label cannot be combined: without labels all rows are of one "
        "class");
  if (!options.mixes()) return;
  if (options.estimate.discriminative)
    fail("--discriminative and {} cannot be combined: logistic regression has no densities",
         flag_of(options));
  if (from_statistics)
    throw UsageError(fmt::format("{} needs the rows again, and a .stats file has only their sums",
                                 flag_of(options)),
                     "give the table instead");
  if (options.calibrate.value_or(false) && options.uses_unlabelled)
    fail(
        "--calibration auto and --unlabelled use cannot be combined: rows without a label cannot "
        "be left out with their class; use --calibration FILE");
  if (options.shrinkage_by_leave_one_out)
    fail("--shrinkage loo and {} cannot be combined: leaving out a row would need EM of its own",
         flag_of(options));
  require_readable_again(command, flag_of(options));
}

MixtureFit fit_mixture(const Context& context, const Training& training,
                       const EstimateOptions& estimate) {
  const Options& options = context.options;
  MixtureOptions mixture{.estimate = estimate,
                         .restarts = options.restarts,
                         .seed = options.seed,
                         .passes = options.passes,
                         .complete_missing = options.missing != MissingNumbers::complete};
  mixture.estimate.components = options.estimate.components;
  if (options.uses_unlabelled) mixture.unlabelled_weight = options.unlabelled_weight.value_or(1);
  if (options.uses_unlabelled && training.unlabelled_rows == 0)
    context.terminal.warn("--unlabelled use has no effect: every row has a label");
  Execution execution = context.execution;
  execution.progress = [&](double done) {
    if (training.kept) context.terminal.progress("EM", {.share = done});
  };
  MixtureFit fit = suffice::fit_mixture(training.statistics, mixture_pass(context, training),
                                        mixture, execution);
  context.terminal.end_progress();
  if (!fit.converged)
    context.terminal.warn(
        "EM stopped after " +
        counted(static_cast<double>(options.passes.iterations), "pass", "passes") +
        " before it converged; try more --iterations");
  if (fit.empty > 0)
    context.terminal.warn(counted(static_cast<double>(fit.empty), "component") +
                          " left out, since no row belongs to " + (fit.empty == 1 ? "it" : "them"));
  return fit;
}

std::string tried_text(const Terminal& terminal, const Model& model, const MixtureFit& fit) {
  if (fit.tried.empty()) return {};
  TextTable table({"class", "components", "held-out log-likelihood", "BIC"},
                  {TextTable::Align::left, TextTable::Align::right, TextTable::Align::right,
                   TextTable::Align::right});
  for (std::size_t c = 0; c < fit.tried.size(); ++c)
    for (const ComponentsTried& tried : fit.tried[c])
      table.add({tried.components == 1 ? model.labels()[static_cast<Index>(c)] : "",
                 std::to_string(tried.components), figure(tried.held_out), figure(tried.bic)});
  return table.render(terminal);
}

Json mixture_json(const Model& model, const MixtureFit& fit) {
  Json components = Json::object();
  const Index classes = model.labels().size();
  std::vector<std::vector<Index>> by_class(static_cast<std::size_t>(classes), {0});
  if (model.mixture()) by_class = model.mixture()->by_class(classes);
  for (Index c = 0; c < classes; ++c)
    components[model.labels()[c]] = by_class[static_cast<std::size_t>(c)].size();
  Json path = Json::array();
  for (const double log_likelihood : fit.log_likelihood) path.push_back(to_json(log_likelihood));
  Json json = {{"components", std::move(components)},
               {"log_likelihood", std::move(path)},
               {"converged", fit.converged},
               {"empty", fit.empty},
               {"bounded", fit.bounded},
               {"unlabelled_rows", to_json(fit.unlabelled_rows)}};
  if (fit.tried.empty()) return json;
  for (Index c = 0; c < classes; ++c) {
    Json& list = json["tried"][model.labels()[c]] = Json::array();
    for (const ComponentsTried& tried : fit.tried[static_cast<std::size_t>(c)])
      list.push_back({{"components", tried.components},
                      {"held_out", to_json(tried.held_out)},
                      {"standard_error", to_json(tried.standard_error)},
                      {"bic", to_json(tried.bic)}});
  }
  return json;
}

}  // namespace suffice::cli
