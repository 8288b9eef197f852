#include "suffice/evaluate/choose.hpp"

#include <algorithm>
#include <cmath>

#include "evaluate/chooser.hpp"

namespace suffice {

Model Choice::model(const Statistics& statistics, const Execution& execution) const {
  const Model model = estimate(statistics, options, execution);
  if (!best()) return model;
  if (folds > 0) return model.with_calibration(calibration);  // the figures are of leave-one-out
  EstimateFound found = model.parts().found;
  found.choice_candidates = {static_cast<double>(candidates.size())};
  found.choice_rows = {rows};
  found.choice_error_rate = {best()->error_rate};
  found.choice_log_loss = {best()->log_loss};
  found.choice_prior_error_rate = {prior_error_rate};
  found.choice_prior_log_loss = {prior_log_loss};
  return model.with_found(std::move(found)).with_calibration(calibration);
}

Choice choose(const Statistics& statistics, const SampledRows& sample, const ChooseOptions& options,
              const Execution& execution) {
  return Chooser(statistics, sample, propose(statistics, options), options.calibrate, execution)
      .run();
}

std::vector<EstimateOptions> candidates_to_choose(const Statistics& statistics,
                                                  const ChooseOptions& options) {
  const Proposals proposals = propose(statistics, options);
  std::vector<EstimateOptions> result;
  for (const EstimateOptions& shape : proposals.shapes)
    for (const Tails& tails : proposals.tails) {
      result.push_back(shape);
      result.back().tails = tails;
    }
  return result;
}

namespace {

/// Whether the second is better by more than the standard error of the folds' differences.
bool is_better_in_folds(const CandidateResult& second, const CandidateResult& first) {
  const auto folds = static_cast<double>(first.folds.size());
  double mean = 0, squares = 0;
  for (std::size_t f = 0; f < first.folds.size(); ++f)
    mean += (first.folds[f].log_loss - second.folds[f].log_loss) / folds;
  for (std::size_t f = 0; f < first.folds.size(); ++f) {
    const double deviation = first.folds[f].log_loss - second.folds[f].log_loss - mean;
    squares += deviation * deviation;
  }
  return !(mean <= std::sqrt(squares / (folds - 1) / folds));  // also where the first is infinite
}

}  // namespace

Choice choice_by_folds(const Selection& selection, const Statistics& statistics,
                       const ChooseOptions& options) {
  Choice choice;
  Index winner = selection.best;
  const CandidateResult& first = selection.candidates.front();
  const bool has_default = propose(statistics, options).has_default && first.error.empty();
  if (has_default && !is_better_in_folds(selection.candidates[winner], first)) winner = 0;
  for (const Index j : selection.ranking) {
    const CandidateResult& of = selection.candidates[j];
    if (!of.error.empty()) continue;
    if (j == winner) choice.chosen = std::ssize(choice.candidates);
    if (j == 0 && has_default) choice.incumbent = std::ssize(choice.candidates);
    choice.candidates.push_back({of.options, of.score.error_rate, of.score.log_loss});
  }
  choice.options = selection.candidates[winner].options;
  choice.calibration = selection.candidates[winner].calibration;
  choice.rows = selection.candidates[winner].score.rows;
  choice.folds = std::ssize(selection.folds);
  const Vector& weights = statistics.weights();
  choice.prior_error_rate = 1 - std::ranges::max(weights) / weights.map().sum();
  choice.prior_log_loss = selection.frequency_log_loss;
  return choice;
}

}  // namespace suffice
