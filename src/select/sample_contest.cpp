#include "select/sample_contest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/at.hpp"
#include "core/standard_error.hpp"
#include "left_out/scores_of_sample.hpp"
#include "left_out/text_without_row.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// A sample of wider tables has too few rows to tell anything about models.
constexpr Index most_columns = 250'000;

/// The time of a calibration grows with the square of their number.
constexpr Index most_classes = 400;

/// Why candidates cannot be compared on these rows; empty: they can.
Sentence why_not(const SampleContest::Input& input, const EstimateOptions& first) {
  const Statistics& statistics = input.statistics;
  if (statistics.labels().size() > most_classes)
    return "there are more than " + std::to_string(most_classes) +
           " classes, for which a calibration takes too long";
  const Index rows = input.sample.size();
  if (statistics.schema().size() > most_columns &&
      static_cast<double>(rows) < 0.5 * statistics.weights().map().sum())
    return "the table is so wide (" + std::to_string(statistics.schema().size()) +
           " columns) that a sample has only " + std::to_string(rows) +
           " rows; name the covariance, or for counts the family multinomial";
  if (std::ranges::count_if(statistics.weights(), [](double weight) { return weight > 0; }) < 2)
    return "all rows are of one class, so no predictions can be compared";
  if (const auto why = why_documents_need_folds(statistics.schema(), first))
    return *why + ", so predictions are not compared by leaving rows out one by one";
  return {};
}

ScoresOfSample::Input scores_input(const SampleContest::Input& input) {
  ScoresOfSample::Input result{.statistics = input.statistics,
                               .sample = input.sample,
                               .shapes = input.proposals.shapes,
                               .tails = input.proposals.tails,
                               .seed = input.seed,
                               .sample_alone = input.sample_alone};
  if (!input.missing) return result;
  result.completes = true;
  result.passes = input.missing->passes;
  result.all_rows = [&input](const auto& use) {
    input.missing->rows(input.statistics.schema(), use);
  };
  return result;
}

}  // namespace

SampleContest::SampleContest(const Input& input, const Execution& execution)
    : copies_(input.sample.copies()) {
  choice_.options = input.proposals.shapes.front();
  choice_.options.tails = input.proposals.tails.front();
  choice_.reason = why_not(input, choice_.options);
  if (!choice_.reason.empty()) return;
  if (execution.stop.stop_requested()) throw Cancelled();
  const ScoresOfSample scores(scores_input(input), execution);
  rows_ = scores.rows();
  if (std::ranges::all_of(rows_.truth, [](Index truth) { return truth < 0; })) {
    choice_.reason = "no row of the sample belongs to a class that has other rows";
    return;
  }
  contest_.emplace(Contest::Rules{.labels = input.statistics.labels(),
                                  .class_weights = scores.class_weights(),
                                  .candidates = scores.candidates(),
                                  .rows = rows_.size(),
                                  .blocks = std::ssize(input.statistics.schema().blocks()),
                                  .calibrate = input.calibrate});
  contest_->judge_at_once(scores, scores.rows(), execution);
  if (contest_->has_failed()) {
    choice_.reason = contest_->notes(0).error;
  } else {
    selection_ = contest_->finish(Criterion::log_loss);
    choice_ = choice_of(selection_, input.proposals.has_default, [&](Index other, Index first) {
      return is_better(contest_->losses(other), contest_->losses(first));
    });
  }
  if (scores.in_folds()) choice_.sample_folds = CompletedGaussian::folds;
  choice_.rows =
      static_cast<double>(std::ranges::count_if(rows_.truth, [](Index c) { return c >= 0; }));
  set_figures_of_frequencies(scores.class_weights());
}

void SampleContest::set_figures_of_frequencies(const Vector& class_weights) {
  const auto most = std::ranges::max_element(class_weights) - class_weights.begin();
  const double all = class_weights.map().sum();
  double total = 0;
  for (std::size_t i = 0; i < rows_.truth.size(); ++i)
    if (rows_.truth[i] >= 0) total += rows_.weights[i];
  choice_.prior_log_loss = choice_.prior_error_rate = 0;
  for (std::size_t i = 0; i < rows_.truth.size(); ++i) {
    if (rows_.truth[i] < 0) continue;
    choice_.prior_log_loss -=
        rows_.weights[i] / total * std::log(class_weights[rows_.truth[i]] / all);
    if (rows_.truth[i] != most) choice_.prior_error_rate += rows_.weights[i] / total;
  }
}

bool SampleContest::is_better(const Vector& losses, const Vector& first) const {
  return suffice::is_better(losses, first, rows_.weights, copies_);
}

const CandidateResult* SampleContest::best() const {
  return selection_.candidates.empty() ? nullptr : &selection_.candidates[selection_.best];
}

bool SampleContest::is_better_than(const SampleContest& other) const {
  return other.is_better(contest_->losses(selection_.best),
                         other.contest_->losses(other.selection_.best));
}

Choice choice_of(const Selection& selection, bool has_default,
                 const std::function<bool(Index other, Index first)>& is_better) {
  Choice choice;
  Index winner = selection.best;
  has_default = has_default && selection.candidates.front().error.empty();
  if (has_default && winner != 0 && !is_better(winner, 0)) winner = 0;
  for (const Index j : selection.ranking) {
    const CandidateResult& of = selection.candidates[j];
    if (!of.error.empty()) continue;
    if (j == winner) choice.chosen = std::ssize(choice.candidates);
    if (j == 0 && has_default) choice.incumbent = std::ssize(choice.candidates);
    choice.candidates.push_back({of.options, of.score.error_rate, of.score.log_loss});
  }
  choice.options = selection.candidates[winner].options;
  choice.calibration = selection.candidates[winner].calibration;
  return choice;
}

}  // namespace suffice
