#include "fit/choice.hpp"

#include <variant>

#include "fit/held_out.hpp"

namespace suffice {
namespace {

Choice chosen_by_groups(Training& training) {
  const Statistics& statistics = training.statistics();
  const ChooseOptions options = choose_options(training.options);
  const MissingOptions missing = training.missing();
  Selector selector(statistics.schema(),
                    {.candidates = candidates_to_choose(statistics, options),
                     .seed = training.options.seed,
                     .calibrate = options.calibrate,
                     .training = {.missing = missing.numbers, .passes = missing.passes}});
  Choice choice = choice_by_folds(selection_of(training, selector), statistics, options);
  choice.complete(statistics, missing, training.execution);
  return choice;
}

}  // namespace

std::optional<Choice> chosen_model(Training& training) {
  if (!training.options.chooses()) return std::nullopt;
  if (training.options.by_groups) return chosen_by_groups(training);
  if (!training.gathered.sample) {
    training.note(
        "Comparing and calibrating models need rows, and statistics have only their sums: this is "
        "the default model. Rows of your own calibrate it, and " +
        Sentence(Option{"reservoir"}) + " keeps some beside the sums.");
    return std::nullopt;
  }
  return choose(training.statistics(), *training.gathered.sample, training.choose_options(),
                training.showing("choosing a model"));
}

void note_choice(Training& training, const Choice& choice) {
  if (choice.completion && !choice.completion->converged)
    training.warn(passes_ran_out(training.options.passes));
  if (!choice.incomplete_reason.empty())
    training.warn("rows that lack a number were left out, since EM cannot complete them: " +
                  choice.incomplete_reason);
  if (!choice.best()) training.warn("no model was chosen by leave-one-out: " + choice.reason);
}

EstimateOptions options_without_choice(const FitOptions& options, const Statistics& statistics) {
  EstimateOptions result = options.estimate;
  if (result.discriminative) {
    if (!options.is_fixed("covariance")) result.covariance = Covariance::tied;
    return result;
  }
  if (!options.chooses() || options.is_fixed("covariance")) return result;
  for (const BlockStatistics& block : statistics.blocks())
    if (const auto* gaussian = std::get_if<GaussianStatistics>(&block)) {
      if (gaussian->kind == Scatter::diagonal) result.covariance = Covariance::diag;
      if (gaussian->kind == Scatter::pooled) result.covariance = Covariance::tied;
    } else if (!options.is_fixed("smoothing")) {
      result.smoothing = Smoothing::automatic();
    }
  return result;
}

}  // namespace suffice
