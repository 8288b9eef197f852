#include "select/selector_state.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/constants.hpp"
#include "core/standard_error.hpp"
#include "data/gather.hpp"
#include "models/parameter_count.hpp"
#include "select/ranking.hpp"
#include "suffice/core/error.hpp"
#include "suffice/decide/posteriors.hpp"
#include "suffice/score/block_scores.hpp"

namespace suffice {
namespace {

/// log p(x | c) plus the log of the frequency of c among the other rows.
void add_frequencies(LogLikelihoods& scores, const Vector& class_weights,
                     std::span<const Index> truth, std::span<const double> weights) {
  Vector log_prior(class_weights.size());
  for (Index i = 0; i < scores.rows(); ++i) {
    log_frequencies_without(class_weights, truth[i], weights[i],
                            {log_prior.data(), static_cast<std::size_t>(log_prior.size())});
    const std::span<double> row = scores.values.row(i);
    double largest = -infinity;
    for (Index c = 0; c < log_prior.size(); ++c)
      largest = std::max(largest, row[c] += log_prior[c]);
    // A row that is impossible in every class tells nothing.
    if (largest == -infinity) std::ranges::copy(log_prior, row.begin());
  }
}

/// Some rows of each matrix.
std::vector<Matrix> some_rows(const std::vector<Matrix>& values, std::span<const Index> rows) {
  std::vector<Matrix> result;
  for (const Matrix& from : values) {
    Matrix& to = result.emplace_back(std::ssize(rows), from.cols());
    for (Index i = 0; i < to.rows(); ++i) std::ranges::copy(from.row(rows[i]), to.row(i).begin());
  }
  return result;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

BlockScores Selector::State::leave_one_out_scores(Index candidate, const RowBlock& gathered,
                                                  const Task& task, std::span<const Index> truth,
                                                  std::span<const double> weights,
                                                  const Execution& execution) const {
  std::vector<double> taken(weights.begin(), weights.end());
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (dominant.has(task.rows[i])) taken[i] = 0;  // its score has been found in another way
  RowBlock labelled = gathered;
  labelled.labels(Column(truth.data(), std::ssize(truth), Strings(labels().list())))
      .weights(Column(taken));
  BlockScores log_p = leave_one_out[candidate]->block_scores(labelled, execution);
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (dominant.has(task.rows[i]))
      for (std::size_t b = 0; b < log_p.values.size(); ++b)
        std::copy_n(dominant.scores(candidate, b, task.rows[i]), labels().size(),
                    log_p.values[b].row(i).begin());
  return log_p;
}

/// Those that were asked for, or the frequencies of the rows that a model was made of.
Priors Selector::State::priors_of(LogLikelihoods& of, Index fold, std::span<const Index> truth,
                                  std::span<const double> weights) const {
  if (options.priors) return *options.priors;
  if (!one_at_a_time) return *fold_priors[fold];
  add_frequencies(of, all->weights(), truth, weights);
  return Priors::uniform(labels());
}

ScoreSums Selector::State::measured(LogLikelihoods of, Index fold, std::span<const Index> truth,
                                    std::span<const double> weights,
                                    const Execution& execution) const {
  const Priors priors = priors_of(of, fold, truth, weights);
  return measure(of, priors, *costs, truth, weights, execution);
}

void Selector::State::predict(BlockScores of, const Task& task, std::span<const Index> truth,
                              std::span<const double> weights, const Execution& execution) const {
  LogLikelihoods answers =
      chosen_calibration ? calibrated(std::move(of), *chosen_calibration) : added_up(std::move(of));
  const Priors priors = priors_of(answers, task.fold, truth, weights);
  const Matrix probabilities = posteriors(answers, priors);
  const Decisions decisions = decide(answers, priors, *costs, {}, execution);
  for (Index i = 0; i < std::ssize(task.rows); ++i) {
    const Index row = task.rows[i];
    std::ranges::copy(probabilities.row(i), predictions->posteriors.row(row).begin());
    predictions->classes[row] = decisions.classes[i];
    if (!one_at_a_time) predictions->folds[row] = task.fold;
  }
}

/// Finds the calibration of each candidate and measures again.
void Selector::State::calibrate(const Execution& execution) {
  const Index candidates = std::ssize(plan.candidates);
  calibrations.resize(plan.candidates.size());
  calibrated_scores.assign(fold_names.size(), std::vector<ScoreSums>(plan.candidates.size()));
  const Execution alone{.threads = 1, .stop = execution.stop};
  Workers workers(execution, candidates);
  workers.run(candidates, [&](Index j, int) {
    if (!errors[j].empty()) return;
    const auto begin = std::chrono::steady_clock::now();
    calibrations[j] = kept->fit(j, all->weights()).calibration;
    for (CalibratedFolds::Part& part : kept->parts()) {
      if (execution.stop.stop_requested()) throw Cancelled();
      BlockScores of{.values = std::move(part.scores[j]), .labels = labels()};
      calibrated_scores[part.fold][j].add(measured(calibrated(std::move(of), *calibrations[j]),
                                                   part.fold, part.truth, part.weights, alone));
    }
    seconds[j] += seconds_since(begin);
  });
  kept.reset();
}

/// What estimating them told and took.
void Selector::State::note_models(Index fold) {
  fold_priors[fold] = models[fold]->priors();
  for (Index j = 0; j < std::ssize(plan.candidates); ++j) {
    const FoldModels::Candidate& candidate = models[fold]->candidate(j);
    seconds[j] += candidate.seconds;
    if (candidate.model)
      parameters[j] = std::max(parameters[j], parameter_count(*candidate.model));
    else if (errors[j].empty())
      errors[j] = Sentence("fold '" + fold_names[fold] + "': ") + candidate.error;
  }
}

void Selector::State::score(const RowBlock& block, const Places& at, const double* weight,
                            std::span<const Task> tasks, Progress& progress,
                            const Execution& execution) {
  struct Result {
    CalibratedFolds::Part kept;
    std::vector<ScoreSums> sums;
    std::vector<double> seconds;
    std::vector<Sentence> errors;
  };
  std::vector<Result> results(tasks.size());
  const auto candidates = static_cast<Index>(plan.candidates.size());
  const Execution alone{.threads = 1, .stop = execution.stop};
  Workers workers(execution, std::ssize(tasks));
  workers.run(std::ssize(tasks), [&](Index t, int) {
    const Task& task = tasks[t];
    const GatheredRows gathered(block, task.rows);
    std::vector<Index> truth;
    std::vector<double> weights;
    for (const Index i : task.rows) {
      truth.push_back(at.labels.code[i]);
      weights.push_back(weight ? weight[i] : 1);
    }
    Result& result = results[t];
    result.kept.fold = task.fold;
    result.kept.scores.resize(plan.candidates.size());
    std::vector<Index> to_keep;  // of the rows of the task
    for (Index i = 0; kept && i < std::ssize(task.rows); ++i) {
      if (!kept->keeps(rows_scored + task.rows[i])) continue;
      to_keep.push_back(i);
      result.kept.truth.push_back(truth[i]);
      result.kept.weights.push_back(weights[i]);
    }
    result.sums.resize(plan.candidates.size());
    result.seconds.resize(plan.candidates.size());
    result.errors.resize(plan.candidates.size());
    const auto use_scores = [&](const auto& scores_of) {
      if (predictions) return predict(scores_of(0), task, truth, weights, alone);
      for (Index j = 0; j < candidates; ++j) {
        if (!errors[j].empty()) continue;
        const auto begin = std::chrono::steady_clock::now();
        result.errors[j] = error_of([&] {
          BlockScores of = scores_of(j);
          if (kept) result.kept.scores[j] = some_rows(of.values, to_keep);
          result.sums[j] = measured(added_up(std::move(of)), task.fold, truth, weights, alone);
        });
        result.seconds[j] = seconds_since(begin);
      }
    };
    if (one_at_a_time) {
      use_scores([&](Index j) {
        return leave_one_out_scores(j, gathered.block(), task, truth, weights, alone);
      });
    } else {
      const FoldModels::SharedRows rows_of_fold(*models[task.fold], gathered.block(), alone);
      use_scores([&](Index j) { return rows_of_fold.scores(j); });
    }
    progress.advance(static_cast<double>(task.rows.size()));
  });
  if (predictions) return;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (Index j = 0; j < candidates; ++j) {
      scores[tasks[t].fold][j].add(results[t].sums[j]);
      seconds[j] += results[t].seconds[j];
      if (errors[j].empty()) errors[j] = results[t].errors[j];
    }
    if (kept) kept->add(std::move(results[t].kept));
  }
}

FoldScores Selector::State::added_up_scores() const {
  const auto candidates = static_cast<Index>(plan.candidates.size());
  FoldScores result{.sums = Matrix(std::ssize(scores) * candidates, ScoreSums::size),
                    .errors = errors,
                    .parameters = Vector(candidates),
                    .seconds = Vector(candidates)};
  for (Index f = 0; f < std::ssize(scores); ++f)
    for (Index j = 0; j < candidates; ++j)
      std::ranges::copy(scores[f][j].numbers(), result.sums.row(f * candidates + j).begin());
  std::ranges::copy(parameters, result.parameters.begin());
  std::ranges::copy(seconds, result.seconds.begin());
  return result;
}

void Selector::State::add(const FoldScores& more) {
  const auto candidates = static_cast<Index>(plan.candidates.size());
  if (more.sums.rows() != std::ssize(scores) * candidates || more.sums.cols() != ScoreSums::size ||
      more.errors.size() != errors.size() || more.parameters.size() != candidates ||
      more.seconds.size() != candidates)
    throw InvalidArgument("the scores are of other folds or candidates");
  for (Index f = 0; f < std::ssize(scores); ++f)
    for (Index j = 0; j < candidates; ++j)
      scores[f][j].add(ScoreSums::of(more.sums.row(f * candidates + j)));
  for (Index j = 0; j < candidates; ++j) {
    if (errors[j].empty()) errors[j] = more.errors[j];
    parameters[j] = std::max(parameters[j], more.parameters[j]);
    seconds[j] += more.seconds[j];
  }
}

void Selector::State::require_all_scored() const {
  const double learned_weight = all->weights().map().sum();
  for (std::size_t j = 0; j < errors.size(); ++j) {
    if (!errors[j].empty()) continue;
    double scored_weight = 0;
    for (const std::vector<ScoreSums>& fold : scores) scored_weight += fold[j].rows;
    if (std::abs(scored_weight - learned_weight) > 1e-9 * learned_weight)
      throw InvalidArgument("the first pass had rows of weight " + name_of(learned_weight) +
                                " and the second of weight " + name_of(scored_weight),
                            "both must be over the same rows");
  }
}

CandidateResult Selector::State::result(Index candidate) const {
  CandidateResult result{.options = plan.candidates[candidate], .error = errors[candidate]};
  result.seconds = seconds[candidate];
  if (!result.error.empty()) return result;
  result.parameters = parameters[candidate];
  ScoreSums all_rows;
  for (const std::vector<ScoreSums>& fold : scores) all_rows.add(fold[candidate]);
  result.uncalibrated = all_rows.mean();
  const bool is_calibrated = !calibrated_scores.empty();
  if (is_calibrated) result.calibration = calibrations[candidate];
  const auto& sums_of_folds = is_calibrated ? calibrated_scores : scores;
  if (one_at_a_time) {
    const ScoreSums& of = sums_of_folds[0][candidate];
    const auto n = static_cast<double>(rows);
    result.score = of.mean();
    result.score.rows = all_rows.rows;
    result.error_rate_se = standard_error(of.rows, of.errors, of.errors, n);
    result.log_loss_se = standard_error(of.rows, of.log_loss, of.log_loss_squares, n);
    result.cost_se = standard_error(of.rows, of.cost, of.cost_squares, n);
    return result;
  }
  ScoreSums total;
  for (std::size_t f = 0; f < scores.size(); ++f) {
    total.add(sums_of_folds[f][candidate]);
    result.folds.push_back(sums_of_folds[f][candidate].mean());
    result.folds.back().rows = scores[f][candidate].rows;  // also of rows that were not kept
  }
  result.score = total.mean();
  result.score.rows = all_rows.rows;
  result.error_rate_se = standard_error(result.folds, &Score::error_rate);
  result.log_loss_se = standard_error(result.folds, &Score::log_loss);
  result.cost_se = standard_error(result.folds, &Score::cost);
  return result;
}

/// Classes that some rows are scored without.
std::vector<std::string> Selector::State::notes() const {
  std::vector<std::string> notes;
  for (Index c = 0; c < labels().size(); ++c) {
    if (one_at_a_time) {
      // One row (of whatever weight): W² = Σ w².
      const double weight = all->weights()[c];
      if (all->squared_weights()[c] >= weight * weight * (1 - 1e-12))
        notes.push_back("class '" + labels()[c] +
                        "' has one row: without it nothing is known of the class, so it is an "
                        "error and its log-loss is infinite");
      continue;
    }
    const std::vector<Index> in = sums.parts_of(c);
    if (in.size() == 1)
      notes.push_back("class '" + labels()[c] + "' has rows in fold '" +
                      fold_names[fold_position[in[0]]] +
                      "' only: the models that score them do not know it, so they are errors and "
                      "their log-loss is infinite");
  }
  return notes;
}

}  // namespace suffice
