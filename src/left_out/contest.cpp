#include "left_out/contest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/standard_error.hpp"
#include "core/take.hpp"
#include "left_out/ranking.hpp"
#include "suffice/calibrate/fit_calibration.hpp"

namespace suffice {
namespace {

/// Scores of all rows are kept while they fit into 400 MB.
constexpr double most_kept_numbers = 5e7;
constexpr double most_fitted_rows = 50'000;

/// By the number of the row alone.
bool is_drawn(std::uint64_t seed, Index row, double share) {
  return share >= 1 || RowRandom(seed, static_cast<std::uint64_t>(row)).uniform() < share;
}

ScoreSums total(const std::vector<ScoreSums>& groups) {
  ScoreSums sum;
  for (const ScoreSums& of : groups) sum.add(of);
  return sum;
}

double standard_error_of(const std::vector<Score>& folds, double Score::*score) {
  std::vector<double> values;
  for (const Score& fold : folds) values.push_back(fold.*score);
  return mean_of(values).standard_error;
}

}  // namespace

Contest::Contest(Rules rules)
    : rules_(std::move(rules)),
      costs_(rules_.costs ? *rules_.costs : Costs::zero_one(rules_.labels)),
      kept_share_(most_kept_numbers /
                  (static_cast<double>(rules_.rows) * static_cast<double>(rules_.labels.size()) *
                   static_cast<double>(rules_.blocks) *
                   static_cast<double>(rules_.candidates.size()))) {
  const std::vector<ScoreSums> none(at(rules_.groups));
  standings_.assign(rules_.candidates.size(), {.before = none, .after = none});
}

void Contest::decide_with(std::optional<Priors> priors, std::optional<Costs> costs) {
  rules_.priors = std::move(priors);
  costs_ = costs ? std::move(*costs) : Costs::zero_one(rules_.labels);
}

void Contest::note(Index candidate, const CandidateNotes& notes) {
  standings_[at(candidate)].notes.add(notes);
}

bool Contest::has_failed() const {
  return std::ranges::none_of(standings_, [](const auto& of) { return of.notes.error.empty(); });
}

bool Contest::keeps(Index row) const {
  return rules_.calibrate && is_drawn(rules_.seed, row, kept_share_);
}

/// Under the priors that were asked for, or the frequencies of the rows that the models have seen.
ScoreSums Contest::measured(const HeldOut& held_out, LogLikelihoods scores, const LeftOutRows& rows,
                            Vector* losses) const {
  const Priors priors = rules_.priors ? *rules_.priors : held_out.frequencies(scores, rows);
  return measure(scores, priors, costs_, rows, losses);
}

Contest::Part Contest::judge(const HeldOut& held_out, const RowsToScore& rows,
                             const Execution& execution) const {
  Part part{.kept = {.group = rows.group}};
  std::vector<Index> kept;
  for (Index i = 0; i < rows.size(); ++i) {
    if (!keeps(rows.numbers[at(i)])) continue;
    kept.push_back(i);
    part.kept.truth.push_back(rows.truth[at(i)]);
    part.kept.weights.push_back(rows.weights[at(i)]);
  }
  part.scores.resize(standings_.size());
  part.sums.resize(standings_.size());
  part.notes.resize(standings_.size());
  const auto use = [&](Index j, const auto& scores) {
    if (!notes(j).error.empty()) return;
    part.notes[at(j)] = notes_on([&] {
      BlockScores of = scores();
      if (!kept.empty())
        for (const Matrix& block : of.values) part.scores[at(j)].push_back(some_rows(block, kept));
      part.sums[at(j)] = measured(held_out, added_up(std::move(of)), rows);
    });
  };
  held_out.score(rows, use, execution);
  return part;
}

void Contest::add(Part part) {
  for (std::size_t j = 0; j < standings_.size(); ++j) {
    standings_[j].before[at(part.kept.group)].add(part.sums[j]);
    standings_[j].notes.add(part.notes[j]);
  }
  if (rules_.calibrate) kept_.push_back(std::move(part));
}

Calibration Contest::calibration(std::span<const Scored> scored) const {
  double rows = 0;
  for (const Scored& of : scored) rows += static_cast<double>(of.rows->size());
  const double share = most_fitted_rows / rows;
  std::vector<std::pair<const Scored*, Index>> used;
  Index number = 0;
  for (const Scored& of : scored)
    for (Index i = 0; i < of.rows->size(); ++i)
      if (is_drawn(rules_.seed + 1, number++, share)) used.emplace_back(&of, i);
  // A mixture counts as one block.
  const std::size_t blocks = used.empty() ? at(rules_.blocks) : used.front().first->blocks.size();
  std::vector<Matrix> values(blocks, Matrix(std::ssize(used), rules_.labels.size()));
  std::vector<Index> truth;
  std::vector<double> weights, log_priors;
  for (std::size_t r = 0; r < used.size(); ++r) {
    const auto& [of, i] = used[r];
    truth.push_back(of->rows->truth[at(i)]);
    weights.push_back(of->rows->weights[at(i)]);
    for (std::size_t b = 0; b < blocks; ++b)
      std::ranges::copy(of->blocks[b].row(i), values[b].row(static_cast<Index>(r)).begin());
  }
  const double all = rules_.class_weights.map().sum();
  for (const double weight : rules_.class_weights) log_priors.push_back(std::log(weight / all));
  return fit_calibration(values, truth, weights, log_priors).calibration;
}

/// Calibrates a candidate, and measures what that makes of its scores.
void Contest::settle(Standing& of, const HeldOut& held_out, std::vector<Scored> scored,
                     Vector* losses, const Execution& execution) const {
  of.calibration = calibration(scored);
  for (Scored& part : scored) {
    if (execution.stop.stop_requested()) throw Cancelled();
    BlockScores scores{.values = std::move(part.blocks), .labels = rules_.labels};
    LogLikelihoods mended = calibrated(std::move(scores), *of.calibration);
    of.after[at(part.rows->group)].add(measured(held_out, std::move(mended), *part.rows, losses));
  }
}

void Contest::calibrate(const HeldOut& held_out, const Execution& execution) {
  if (kept_.empty()) return;
  Workers workers(execution, std::ssize(standings_));
  workers.run(std::ssize(standings_), [&](Index j, int) {
    Standing& of = standings_[at(j)];
    if (!of.notes.error.empty()) return;
    std::vector<Scored> scored;
    for (Part& part : kept_) scored.push_back({&part.kept, std::move(part.scores[at(j)])});
    of.notes.add(notes_on([&] { settle(of, held_out, std::move(scored), nullptr, execution); }));
  });
  kept_.clear();
}

void Contest::judge_at_once(const HeldOut& held_out, const RowsToScore& rows,
                            const Execution& execution) {
  const auto use = [&](Index j, const auto& scores) {
    Standing& of = standings_[at(j)];
    of.notes.add(notes_on([&] {
      BlockScores log_p = scores();
      if (rules_.calibrate)
        settle(of, held_out, {{&rows, std::move(log_p.values)}}, &of.losses, execution);
      else
        of.before[0] = measured(held_out, added_up(std::move(log_p)), rows, &of.losses);
    }));
  };
  held_out.score(rows, use, execution);
}

CandidateResult Contest::result(Index candidate) const {
  const Standing& of = standings_[at(candidate)];
  CandidateResult result{.options = rules_.candidates[at(candidate)], .error = of.notes.error};
  result.seconds = of.notes.seconds;
  if (!result.error.empty()) return result;
  result.parameters = of.notes.parameters;
  result.calibration = of.calibration;
  const std::vector<ScoreSums>& groups = rules_.calibrate ? of.after : of.before;
  const ScoreSums before = total(of.before), sums = total(groups);
  result.uncalibrated = before.mean();
  result.score = sums.mean();
  result.score.rows = std::max(before.rows, sums.rows);  // also those that were not kept
  if (rules_.groups == 1) {
    const auto n = static_cast<double>(rules_.rows);
    const bool is_possible = sums.impossible == 0;
    result.error_rate_se = standard_error(sums.rows, sums.errors, sums.errors, n);
    result.log_loss_se =
        is_possible ? standard_error(sums.rows, sums.log_loss, sums.log_loss_squares, n) : infinity;
    result.cost_se = standard_error(sums.rows, sums.cost, sums.cost_squares, n);
    return result;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    result.folds.push_back(groups[g].mean());
    result.folds.back().rows = of.before[g].rows;
  }
  result.error_rate_se = standard_error_of(result.folds, &Score::error_rate);
  result.log_loss_se = standard_error_of(result.folds, &Score::log_loss);
  result.cost_se = standard_error_of(result.folds, &Score::cost);
  return result;
}

Selection Contest::finish(Criterion criterion, bool one_standard_error) const {
  Selection selection;
  for (Index j = 0; j < std::ssize(standings_); ++j) selection.candidates.push_back(result(j));
  rank(selection, criterion, one_standard_error);
  return selection;
}

}  // namespace suffice
