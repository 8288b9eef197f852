#include "suffice/evaluate/select.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "data/gather.hpp"
#include "data/row_checks.hpp"
#include "data/weights.hpp"
#include "decide/same_labels.hpp"
#include "evaluate/calibrated_folds.hpp"
#include "evaluate/dominant_rows.hpp"
#include "evaluate/fold_models.hpp"
#include "evaluate/folds.hpp"
#include "evaluate/ranking.hpp"
#include "evaluate/score_sums.hpp"
#include "stats/grouped_statistics.hpp"
#include "stats/labels.hpp"
#include "suffice/core/error.hpp"
#include "suffice/evaluate/leave_one_out.hpp"
#include "suffice/evaluate/report.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// Rows that a worker scores at a time by all candidates: their copy stays in its caches.
constexpr Index rows_of_task = 2048;

/// Models of all folds are kept between blocks of rows while they fit into this.
constexpr double most_bytes_of_models = 1e9;

/// The whole scatter only where a candidate needs it.
Scatter scatter_for(const std::vector<EstimateOptions>& candidates) {
  return std::ranges::any_of(candidates, needs_dense_scatter) ? Scatter::dense : Scatter::diagonal;
}

/// What the Gaussian densities of a candidate take, with their factors.
double bytes_of_model(const EstimateOptions& candidate, const Schema& schema, Index classes) {
  double bytes = 0;
  for (const Block& block : schema.blocks()) {
    if (block.family != Family::gaussian || !is_dense(candidate.covariance)) continue;
    Index width = std::ssize(block.features);
    if (candidate.pca && candidate.pca->share == 0) width = candidate.pca->components;
    if (candidate.lda) width = std::min(width, *candidate.lda);
    bytes += 2.0 * sizeof(double) * static_cast<double>(width) * static_cast<double>(width) *
             static_cast<double>(is_tied(candidate.covariance) ? 1 : classes);
  }
  return bytes;
}

void require_few(Index folds) {
  constexpr Index most = 10'000;
  if (folds > most)
    throw InvalidArgument("the number of folds is " + std::to_string(folds) +
                              ", and there are at most " + std::to_string(most) +
                              ", since each has sums of its own",
                          "leave out one row at a time instead");
}

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

struct Selector::State {
  State(Schema schema, SelectOptions given)
      : options(std::move(given)),
        plan(options.candidates),
        folds(Folds::dealt(std::max<Index>(options.folds, 1), options.seed)),
        sums(std::move(schema), scatter_for(options.candidates)),
        errors(plan.candidates.size()),
        parameters(plan.candidates.size()),
        seconds(plan.candidates.size()) {}

  SelectOptions options;
  CandidatePlan plan;
  Folds folds;
  GroupedStatistics sums;      ///< by class and fold
  bool one_at_a_time = false;  ///< leave-one-out; then all rows are in fold 1
  bool learned = false;

  // After the first pass. Folds are counted in the order of their names.
  Index rows = 0;                       ///< with a weight
  std::vector<std::string> fold_names;  ///< sorted
  std::vector<Index> fold_position;     ///< of a number that Folds gives
  std::vector<Index> fold_number;       ///< that Folds gives, by position
  std::optional<Statistics> all;        ///< of all rows
  std::optional<Costs> costs;
  bool keep_models = true;                                ///< from one block of rows to the next
  std::vector<std::unique_ptr<FoldModels>> models;        ///< per fold; null: not at hand
  std::vector<std::optional<LeaveOneOut>> leave_one_out;  ///< per candidate
  DominantScores dominant;                                ///< of leave-one-out
  std::vector<std::vector<ScoreSums>> scores;             ///< fold × candidate
  std::vector<std::optional<Priors>> fold_priors;         ///< frequencies of the other folds' rows
  std::optional<CalibratedFolds> kept;                    ///< with SelectOptions::calibrate
  Index rows_scored = 0;                                  ///< before this block, of whatever weight
  std::vector<std::optional<Calibration>> calibrations;   ///< per candidate
  std::vector<std::vector<ScoreSums>> calibrated_scores;  ///< fold × candidate
  std::vector<std::string> errors;                        ///< per candidate
  std::vector<double> parameters, seconds;                ///< per candidate

  const Names& labels() const noexcept { return sums.labels(); }

  /// Row by row: the class and the fold, -1 for a row of weight 0.
  struct Places {
    EncodedNames labels;
    std::vector<std::int32_t> folds;

    std::span<const std::int32_t> classes() const { return {labels.code.data(), folds.size()}; }
  };
  Places places(const RowBlock& block, const Column& names, const double* weight,
                const Execution& execution);

  /// Some rows of a fold.
  struct Task {
    Index fold;
    std::span<const Index> rows;
  };

  void end_first_pass();
  void sort_folds();
  void require_decisions();
  void prepare(Index fold, const Execution& execution);
  void prepare_leave_one_out(const Execution& execution);
  void prepare_dominant(const RowBlock& block, const Places& at, const double* weight,
                        const Execution& execution);
  BlockScores leave_one_out_scores(Index candidate, const RowBlock& gathered, const Task& task,
                                   std::span<const Index> truth, std::span<const double> weights,
                                   const Execution& execution) const;
  ScoreSums measured(LogLikelihoods scores, Index fold, std::span<const Index> truth,
                     std::span<const double> weights, const Execution& execution) const;
  void calibrate(const Execution& execution);
  void note_models(Index fold);
  void score(const RowBlock& block, const Places& at, const double* weight,
             std::span<const Task> tasks, Progress& progress, const Execution& execution);
  CandidateResult result(Index candidate) const;
  std::vector<std::string> notes() const;
};

Selector::State::Places Selector::State::places(const RowBlock& block, const Column& names,
                                                const double* weight, const Execution& execution) {
  if (block.labels().kind == Column::Kind::none)
    throw InvalidArgument("choosing a model needs labelled rows", "give the RowBlock its labels");
  Workers workers(execution, 1 + block.rows() / 65536);
  Places at{encode_labels(block, 0, labels(), weight, workers), {}};
  at.folds = folds.next(at.labels.names, at.labels.code.data(), block.rows(), names, weight);
  return at;
}

Selector::Selector(Schema schema, SelectOptions options) {
  if (options.candidates.empty())
    throw InvalidArgument("there is no candidate to choose", "give at least one");
  if (options.folds == 1 || options.folds < 0)
    throw InvalidArgument("the number of folds is " + std::to_string(options.folds),
                          "it must be 2 or more, or 0 to leave out one row at a time");
  require_few(options.folds);
  if (options.priors && options.costs)
    require_same_labels(options.priors->labels(), "the priors", options.costs->labels(),
                        "the costs");
  state_ = std::make_unique<State>(std::move(schema), std::move(options));
}
Selector::~Selector() = default;
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;

void Selector::learn(const RowBlock& rows, const Column& names, const Execution& execution) {
  State& s = *state_;
  if (s.learned) throw InvalidArgument("the first pass has ended: rows cannot be learned any more");
  if (rows.rows() == 0) return;
  if (names.kind != Column::Kind::none && s.folds.rows() == 0) s.folds = Folds::named();
  if (!s.folds.has_names() && s.options.folds == 0) s.one_at_a_time = true;
  Vector weight_memory;
  const double* weight = read_weights(rows, weight_memory);
  const State::Places at = s.places(rows, names, weight, execution);
  require_few(s.folds.size());
  s.sums.update(rows, at.labels.names, at.classes(), at.folds, weight, execution);
}

/// Folds have come in the order of their first rows.
void Selector::State::sort_folds() {
  const Names sorted(folds.names());
  fold_names = sorted.list();
  fold_position.clear();
  fold_number.resize(fold_names.size());
  for (const std::string& name : folds.names()) {
    const Index position = *sorted.find(name);
    fold_number[position] = std::ssize(fold_position);
    fold_position.push_back(position);
  }
}

void Selector::State::end_first_pass() {
  if (learned) return;
  rows = folds.rows();
  if (rows == 0) throw InvalidArgument("there are no rows to choose a model by");
  if (labels().size() < 2)
    throw InvalidArgument("all rows are of class '" + labels()[0] + "'",
                          "there is nothing to choose by before there are two classes");
  if (folds.has_names() && folds.size() < 2)
    throw InvalidArgument("the column of folds has one name only, '" + folds.names()[0] + "'",
                          "the rows that are scored must not be those that were learned, so at "
                          "least two folds are needed");
  const Index most = folds.rows_of_largest_class();
  if (!folds.has_names() && !one_at_a_time && most < folds.size())
    throw InvalidArgument(
        "there are " + std::to_string(folds.size()) + " folds, but the largest class has " +
            std::to_string(most) + (most == 1 ? " row" : " rows") + ", so a fold could be empty",
        "use " + (most < 2
                      ? "more rows"
                      : std::to_string(most) + " folds or fewer, or leave out one row at a time"));
  sort_folds();
  all = sums.all();
  require_decisions();
  scores.assign(fold_names.size(), std::vector<ScoreSums>(plan.candidates.size()));
  models.resize(fold_names.size());
  fold_priors.resize(fold_names.size());
  if (options.calibrate)
    kept.emplace(CalibratedFolds::Shape{.rows = rows,
                                        .classes = labels().size(),
                                        .blocks = std::ssize(sums.schema().blocks()),
                                        .candidates = std::ssize(plan.candidates),
                                        .seed = options.seed});
  double bytes = 0;
  for (const EstimateOptions& candidate : plan.candidates)
    bytes += bytes_of_model(candidate, sums.schema(), labels().size());
  keep_models = bytes * static_cast<double>(fold_names.size()) <= most_bytes_of_models;
  folds.rewind();
  learned = true;
}

void Selector::State::require_decisions() {
  if (options.priors)
    require_same_labels(options.priors->labels(), "the priors", labels(), "the rows");
  costs = options.costs ? *options.costs : Costs::zero_one(labels());
  require_same_labels(costs->labels(), "the costs", labels(), "the rows");
}

void Selector::decide_with(std::optional<Priors> priors, std::optional<Costs> costs) {
  State& s = *state_;
  s.end_first_pass();
  s.options.priors = std::move(priors);
  s.options.costs = std::move(costs);
  s.require_decisions();
}

const Statistics& Selector::statistics() const {
  state_->end_first_pass();
  return *state_->all;
}

/// The models of the rows outside a fold.
void Selector::State::prepare(Index fold, const Execution& execution) {
  models[fold] =
      std::make_unique<FoldModels>(plan, sums.without(fold_number[fold], execution), execution);
}

/// The candidates' sums of all rows, from which one row after the other is taken.
void Selector::State::prepare_leave_one_out(const Execution& execution) {
  if (!leave_one_out.empty()) return;
  leave_one_out.resize(plan.candidates.size());
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  for (std::size_t j = 0; j < leave_one_out.size(); ++j) {
    const auto begin = std::chrono::steady_clock::now();
    errors[j] = error_of([&] {
      leave_one_out[j].emplace(*all, plan.candidates[j], quiet);
      parameters[j] = parameter_count(leave_one_out[j]->model());
    });
    seconds[j] += seconds_since(begin);
  }
}

/// Rows that hold nearly all of a variance are scored by sums without them, which takes all rows in
/// this one block.
void Selector::State::prepare_dominant(const RowBlock& block, const Places& at,
                                       const double* weight, const Execution& execution) {
  const auto present = std::ranges::count_if(at.folds, [](std::int32_t fold) { return fold >= 0; });
  if (present != rows) return;
  std::vector<Index> found = dominant_rows(*all, block, at.classes(), weight);
  if (found.empty()) return;
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  dominant = score_dominant(std::move(found), sums.none(), block, weight, plan.candidates, quiet);
  for (std::size_t j = 0; j < errors.size(); ++j)
    if (errors[j].empty()) errors[j] = dominant.errors[j];
}

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

/// Under the priors that were asked for, or the frequencies of the rows that a model was made of.
ScoreSums Selector::State::measured(LogLikelihoods of, Index fold, std::span<const Index> truth,
                                    std::span<const double> weights,
                                    const Execution& execution) const {
  if (options.priors) return measure(of, *options.priors, *costs, truth, weights, execution);
  if (!one_at_a_time) return measure(of, *fold_priors[fold], *costs, truth, weights, execution);
  add_frequencies(of, all->weights(), truth, weights);
  return measure(of, Priors::uniform(labels()), *costs, truth, weights, execution);
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
      errors[j] = "fold '" + fold_names[fold] + "': " + candidate.error;
  }
}

void Selector::score(const RowBlock& rows, const Column& names, const Execution& execution) {
  State& s = *state_;
  s.end_first_pass();
  if (rows.rows() == 0) return;
  require_features(s.sums.schema(), rows);
  Vector weight_memory;
  const double* weight = read_weights(rows, weight_memory);
  const State::Places at = s.places(rows, names, weight, execution);
  if (at.labels.names != s.labels())
    throw InvalidArgument("the second pass has classes that the first had not",
                          "both must be over the same rows");
  std::vector<std::vector<Index>> rows_of(s.fold_names.size());
  for (Index i = 0; i < rows.rows(); ++i)
    if (at.folds[i] >= 0) rows_of[s.fold_position[at.folds[i]]].push_back(i);

  std::vector<Index> missing;  // folds without models
  std::vector<State::Task> tasks;
  for (Index fold = 0; fold < std::ssize(rows_of); ++fold) {
    if (rows_of[fold].empty()) continue;
    if (!s.models[fold] && !s.one_at_a_time) missing.push_back(fold);
    const std::span<const Index> all = rows_of[fold];
    for (std::size_t i = 0; i < all.size(); i += rows_of_task)
      tasks.push_back({fold, all.subspan(i, std::min<std::size_t>(rows_of_task, all.size() - i))});
  }
  // Estimating is taken for as much work as scoring.
  const auto work = static_cast<double>(rows.rows());
  Progress progress(execution, missing.empty() ? work : 2 * work);
  const double work_of_fold = work / static_cast<double>(std::max<std::size_t>(1, missing.size()));
  if (s.one_at_a_time) {
    s.prepare_leave_one_out(execution);
    s.prepare_dominant(rows, at, weight, execution);
  }
  if (s.keep_models || s.one_at_a_time) {
    Workers workers(execution, std::ssize(missing));
    const int threads = execution.threads > 0 ? execution.threads : available_threads();
    const Execution inner{.threads = std::max(1, threads / workers.size()), .stop = execution.stop};
    workers.run(std::ssize(missing), [&](Index i, int) {
      s.prepare(missing[i], inner);
      progress.advance(work_of_fold);
    });
    for (const Index fold : missing) s.note_models(fold);
    s.score(rows, at, weight, tasks, progress, execution);
  } else {
    const Execution quiet{.threads = execution.threads, .stop = execution.stop};
    for (const Index fold : missing) {
      s.prepare(fold, quiet);
      s.note_models(fold);
      progress.advance(work_of_fold);
      const auto of_fold = std::ranges::equal_range(tasks, fold, {}, &State::Task::fold);
      s.score(rows, at, weight, {of_fold.data(), of_fold.size()}, progress, execution);
      s.models[fold].reset();
    }
  }
  progress.finish();
  s.rows_scored += rows.rows();
}

void Selector::State::score(const RowBlock& block, const Places& at, const double* weight,
                            std::span<const Task> tasks, Progress& progress,
                            const Execution& execution) {
  struct Result {
    CalibratedFolds::Part kept;
    std::vector<ScoreSums> sums;
    std::vector<double> seconds;
    std::vector<std::string> errors;
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
    const auto measure_all = [&](const auto& scores_of) {
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
      measure_all([&](Index j) {
        return leave_one_out_scores(j, gathered.block(), task, truth, weights, alone);
      });
    } else {
      const FoldModels::SharedRows rows_of_fold(*models[task.fold], gathered.block(), alone);
      measure_all([&](Index j) { return rows_of_fold.scores(j); });
    }
    progress.advance(static_cast<double>(task.rows.size()));
  });
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    for (Index j = 0; j < candidates; ++j) {
      scores[tasks[t].fold][j].add(results[t].sums[j]);
      seconds[j] += results[t].seconds[j];
      if (errors[j].empty()) errors[j] = results[t].errors[j];
    }
    if (kept) kept->add(std::move(results[t].kept));
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

Selection Selector::finish(const Execution& execution) {
  State& s = *state_;
  s.end_first_pass();
  if (s.folds.rows() != s.rows)
    throw InvalidArgument("the first pass had " + std::to_string(s.rows) + " rows and the second " +
                              std::to_string(s.folds.rows()),
                          "both must be over the same rows");
  if (s.kept) s.calibrate(execution);
  Selection selection;
  selection.frequency_log_loss = frequency_log_loss(s.all->weights());
  for (Index j = 0; j < std::ssize(s.plan.candidates); ++j)
    selection.candidates.push_back(s.result(j));
  if (!s.one_at_a_time) selection.folds = s.fold_names;
  selection.notes = s.notes();
  rank(selection, s.options.criterion, s.options.one_standard_error);
  return selection;
}

Selection select(const Schema& schema, const RowBlock& rows, const SelectOptions& options,
                 const Column& folds, const Execution& execution) {
  Selector selector(schema, options);
  // The first pass is taken for a third of the work.
  const auto part = [&](double from, double to) {
    Execution inner = execution;
    if (execution.progress)
      inner.progress = [&execution, from, to](double done) {
        execution.progress(from + (to - from) * done);
      };
    return inner;
  };
  selector.learn(rows, folds, part(0, 1. / 3));
  selector.score(rows, folds, part(1. / 3, 1));
  return selector.finish({.threads = execution.threads, .stop = execution.stop});
}

}  // namespace suffice
