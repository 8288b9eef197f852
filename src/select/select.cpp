#include "suffice/select/select.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/at.hpp"
#include "core/parallel.hpp"
#include "data/gather.hpp"
#include "data/row_checks.hpp"
#include "data/weights.hpp"
#include "decide/same_labels.hpp"
#include "left_out/contest.hpp"
#include "left_out/scores_by_fold.hpp"
#include "left_out/scores_without_row.hpp"
#include "select/fold_sums.hpp"
#include "select/list_ends.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/report/report.hpp"

namespace suffice {
namespace {

/// Rows that a worker scores at a time by all candidates: their copy stays in its caches.
constexpr Index rows_of_task = 2048;

/// Folds that are prepared at a time, where there are many: neighbours share their sums.
constexpr Index most_at_a_time = 16;

/// Models of all folds are kept between blocks of rows while they fit into this.
constexpr double most_bytes_of_models = 1e9;

/// The whole scatter only where a candidate needs it, and one for all classes together where that
/// is enough and smaller.
Scatter scatter_for(const std::vector<EstimateOptions>& candidates, const Schema& schema) {
  return smaller_scatter(needed_scatter(candidates), schema);
}

/// What the densities of a candidate take, with their factors.
double bytes_of_model(const EstimateOptions& candidate, const Schema& schema, Index classes) {
  double bytes = 0;
  for (const Block& block : schema.blocks()) {
    if (block.family != Family::gaussian || !is_dense(candidate.covariance)) {
      bytes += 2.0 * sizeof(double) * static_cast<double>(block.features.size()) *
               static_cast<double>(classes);
      continue;
    }
    Index width = std::ssize(block.features);
    if (candidate.pca && candidate.pca->share == 0) width = candidate.pca->components;
    if (candidate.lda) width = std::min(width, *candidate.lda);
    bytes += 2.0 * sizeof(double) * static_cast<double>(width) * static_cast<double>(width) *
             static_cast<double>(is_tied(candidate.covariance) ? 1 : classes);
  }
  return bytes;
}

/// Some rows of a fold.
struct Task {
  Index fold;
  std::span<const Index> rows;
};

}  // namespace

struct Selector::State {
  State(const Schema& schema, SelectOptions given);

  SelectOptions options;
  FoldSums first;
  RowsOfFolds rows_again = {};  ///< for candidates that take passes

  std::vector<EstimateOptions> candidates;  ///< in a third pass the chosen one alone

  // After the first pass.
  std::optional<Contest> contest = {};
  std::unique_ptr<ScoresByFold> by_fold = {};
  std::unique_ptr<ScoresWithoutRow> without_row = {};  ///< where one row is left out at a time
  bool keep_models = true;                             ///< from one block of rows to the next
  Index rows_seen = 0;                                 ///< in this pass, of whatever weight

  // After the second pass.
  std::optional<CandidateResult> chosen = {};
  bool predicts = false;  ///< a third pass

  const HeldOut& held_out() const {
    return without_row ? static_cast<const HeldOut&>(*without_row) : *by_fold;
  }
  void end_first_pass();
  void require_decisions(const std::optional<Priors>& priors,
                         const std::optional<Costs>& costs) const;
  bool can_keep_models() const;
  void prepare(std::span<const Index> folds, const Execution& execution,
               const std::function<void(Index)>& use);
  void prepare_at_once(std::span<const Index> folds, const Execution& execution,
                       const std::function<void()>& tell);
  void prepare_one_by_one(const RowBlock& block, const FoldSums::Places& places,
                          const double* weight, const Execution& execution);
  void note_models(Index fold);
  /// What is done with rows; a part is added to the contest in the order of the rows.
  using Each = std::function<Contest::Part(const RowsToScore& rows, const Execution& alone)>;
  void go_through(const RowBlock& block, const Column& names, const Each& each,
                  const Execution& execution);
  void predict(const RowsToScore& rows, FoldPredictions& to) const;
};

Selector::State::State(const Schema& schema, SelectOptions given)
    : options(std::move(given)),
      first(schema, scatter_for(options.candidates, schema), options.folds, options.seed),
      candidates(CandidatePlan(options.candidates).candidates) {}

Selector::Selector(Schema schema, SelectOptions options) {
  if (options.candidates.empty())
    throw InvalidArgument("there is no candidate to choose", "give at least one");
  if (options.folds == 1 || options.folds < 0)
    throw InvalidArgument("the number of folds is " + std::to_string(options.folds),
                          "it must be 2 or more, or 0 to leave out one row at a time");
  require_few_folds(options.folds);
  if (options.priors && options.costs)
    require_same_labels(options.priors->labels(), "the priors", options.costs->labels(),
                        "the costs");
  state_ = std::make_unique<State>(schema, std::move(options));
}
Selector::~Selector() = default;
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;

// ---- the first pass --------------------------------------------------------------------------

void Selector::learn(const RowBlock& rows, const Column& names, const Execution& execution) {
  state_->first.learn(rows, names, execution);
}

void Selector::learn(const std::string& fold, const Statistics& sums) {
  if (state_->options.calibrate)
    throw InvalidArgument("scores of rows in several places cannot be calibrated",
                          "choose without a calibration, and calibrate the model afterwards");
  state_->first.learn(fold, sums);
}

void Selector::learn_beside(const Statistics& sums) {
  state_->first.learn_beside(sums, scatter_for(state_->options.candidates, sums.schema()));
}

void Selector::read_again_with(RowsOfFolds rows) { state_->rows_again = std::move(rows); }

void Selector::State::require_decisions(const std::optional<Priors>& priors,
                                        const std::optional<Costs>& costs) const {
  if (priors) require_same_labels(priors->labels(), "the priors", first.labels(), "the rows");
  if (costs) require_same_labels(costs->labels(), "the costs", first.labels(), "the rows");
}

void Selector::State::end_first_pass() {
  if (contest) return;
  if (!first.has_ended()) first.end();
  require_decisions(options.priors, options.costs);
  contest.emplace(Contest::Rules{.labels = first.labels(),
                                 .class_weights = first.all().weights(),
                                 .candidates = candidates,
                                 .groups = std::ssize(first.names()),
                                 .rows = first.rows(),
                                 .blocks = std::ssize(first.schema().blocks()),
                                 .priors = options.priors,
                                 .costs = options.costs,
                                 .calibrate = options.calibrate,
                                 .seed = options.seed});
  keep_models = can_keep_models();
  if (!first.one_at_a_time())
    by_fold = std::make_unique<ScoresByFold>(candidates, std::ssize(first.names()));
}

bool Selector::State::can_keep_models() const {
  double bytes = 0;
  for (const EstimateOptions& candidate : candidates)
    bytes += bytes_of_model(candidate, first.schema(), first.labels().size());
  // What takes many passes is found once.
  const bool passes = rows_again && std::ranges::any_of(candidates, [&](const auto& of) {
                        return takes_passes(first.all(), of, options.training);
                      });
  return passes || bytes * static_cast<double>(first.names().size()) <= most_bytes_of_models;
}

void Selector::decide_with(std::optional<Priors> priors, std::optional<Costs> costs) {
  State& s = *state_;
  s.end_first_pass();
  s.require_decisions(priors, costs);
  s.contest->decide_with(std::move(priors), std::move(costs));
}

const Statistics& Selector::statistics() const {
  state_->end_first_pass();
  return state_->first.all();
}

// ---- models ----------------------------------------------------------------------------------

void Selector::State::note_models(Index fold) {
  for (Index j = 0; j < std::ssize(candidates); ++j) {
    CandidateNotes notes = by_fold->notes(fold, j);
    if (!notes.error.empty())
      notes.error = Sentence("fold '" + first.names()[at(fold)] + "': ") + notes.error;
    contest->note(j, notes);
  }
}

/// Makes the models of these folds, and uses them one after the other.
void Selector::State::prepare(std::span<const Index> folds, const Execution& execution,
                              const std::function<void(Index)>& use) {
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  first.for_each_without(
      folds,
      [&](Index fold, const Statistics& others) {
        FoldTraining training;
        if (rows_again) training = {options.training, first.rows_outside(fold, rows_again)};
        by_fold->prepare(fold, others, training, quiet);
        use(fold);
      },
      quiet);
}

void Selector::State::prepare_at_once(std::span<const Index> folds, const Execution& execution,
                                      const std::function<void()>& tell) {
  const Index count = std::ssize(folds);
  const Index together = std::max<Index>(1, (count + most_at_a_time - 1) / most_at_a_time);
  const Index parts = (count + together - 1) / together;
  Workers workers(execution, parts);
  const int threads = execution.threads > 0 ? execution.threads : available_threads();
  const Execution inner{.threads = std::max(1, threads / workers.size()), .stop = execution.stop};
  workers.run(parts, [&](Index i, int) {
    const Index begin = i * together, end = std::min(count, begin + together);
    prepare(folds.subspan(at(begin), at(end - begin)), inner, [&](Index) { tell(); });
  });
  for (const Index fold : folds) note_models(fold);
}

/// The candidates' sums of all rows, from which one row after the other is taken. Rows that hold
/// nearly all of a variance are scored by sums without them, which takes all rows in this block.
void Selector::State::prepare_one_by_one(const RowBlock& block, const FoldSums::Places& places,
                                         const double* weight, const Execution& execution) {
  if (without_row) return;
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  without_row = std::make_unique<ScoresWithoutRow>(first.all(), candidates, quiet);
  if (first.rows() == std::ranges::count_if(places.fold, [](Index fold) { return fold >= 0; }))
    without_row->sum_up_without_dominant(first.nothing(), block, places.classes(), weight,
                                         rows_seen, quiet);
  for (Index j = 0; j < std::ssize(candidates); ++j) contest->note(j, without_row->notes(j));
}

// ---- further passes --------------------------------------------------------------------------

void Selector::State::go_through(const RowBlock& block, const Column& names, const Each& each,
                                 const Execution& execution) {
  if (block.rows() == 0) return;
  require_features(first.schema(), block);
  Vector memory;
  const double* weight = read_weights(block, memory);
  const FoldSums::Places places = first.next(block, names, weight, execution);
  std::vector<std::vector<Index>> rows_of(first.names().size());
  for (Index i = 0; i < block.rows(); ++i)
    if (const Index fold = places.fold[at(i)]; fold >= 0) rows_of[at(fold)].push_back(i);
  std::vector<Index> missing;  // folds without models
  std::vector<Task> tasks;
  for (Index fold = 0; fold < std::ssize(rows_of); ++fold) {
    const std::span<const Index> rows = rows_of[at(fold)];
    if (!rows.empty() && by_fold && !by_fold->has(fold)) missing.push_back(fold);
    for (std::size_t i = 0; i < rows.size(); i += rows_of_task)
      tasks.push_back(
          {fold, rows.subspan(i, std::min<std::size_t>(rows_of_task, rows.size() - i))});
  }
  // Estimating is taken for as much work as scoring.
  const auto work = static_cast<double>(block.rows());
  Progress progress(execution, missing.empty() ? work : 2 * work);
  const double work_of_fold = work / static_cast<double>(std::max<std::size_t>(1, missing.size()));
  const auto score = [&](std::span<const Task> of) {
    std::vector<Contest::Part> parts(of.size());
    Workers workers(execution, std::ssize(of));
    workers.run(std::ssize(of), [&](Index t, int) {
      const GatheredRows gathered(block, of[at(t)].rows);
      RowsToScore rows;
      rows.group = of[at(t)].fold;
      rows.block = gathered.block();
      for (const Index i : of[at(t)].rows) {
        rows.truth.push_back(places.labels.code[i]);
        rows.weights.push_back(weight ? weight[i] : 1);
        rows.numbers.push_back(rows_seen + i);
      }
      parts[at(t)] = each(rows, {.threads = 1, .stop = execution.stop});
      progress.advance(static_cast<double>(rows.size()));
    });
    if (!predicts)
      for (Contest::Part& part : parts) contest->add(std::move(part));
  };
  if (first.one_at_a_time()) prepare_one_by_one(block, places, weight, execution);
  if (first.one_at_a_time() || keep_models) {
    prepare_at_once(missing, execution, [&] { progress.advance(work_of_fold); });
    score(tasks);
  } else {
    prepare(missing, execution, [&](Index fold) {
      note_models(fold);
      progress.advance(work_of_fold);
      const auto of_fold = std::ranges::equal_range(tasks, fold, {}, &Task::fold);
      score({of_fold.data(), of_fold.size()});
      by_fold->release(fold);
    });
  }
  progress.finish();
  rows_seen += block.rows();
}

void Selector::score(const RowBlock& rows, const Column& names, const Execution& execution) {
  State& s = *state_;
  s.end_first_pass();
  const auto judge = [&](const RowsToScore& some, const Execution& alone) {
    return s.contest->judge(s.held_out(), some, alone);
  };
  s.go_through(rows, names, judge, execution);
}

void Selector::State::predict(const RowsToScore& rows, FoldPredictions& to) const {
  const auto use = [&](Index, const auto& scores) {
    LogLikelihoods answers =
        chosen->calibration ? calibrated(scores(), *chosen->calibration) : added_up(scores());
    const std::optional<Priors>& asked = contest->priors();
    const Priors priors = asked ? *asked : held_out().frequencies(answers, rows);
    const Matrix probabilities = posteriors(answers, priors, {.threads = 1});
    const Decisions decisions = decide(answers, priors, contest->costs(), {}, {.threads = 1});
    for (Index i = 0; i < rows.size(); ++i) {
      const Index row = rows.numbers[at(i)] - rows_seen;
      std::ranges::copy(probabilities.row(i), to.posteriors.row(row).begin());
      to.classes[at(row)] = decisions.classes[at(i)];
      if (!first.one_at_a_time()) to.folds[at(row)] = rows.group;
    }
  };
  held_out().score(rows, use, {.threads = 1});
}

FoldPredictions Selector::predict(const RowBlock& rows, const Column& names,
                                  const Execution& execution) {
  State& s = *state_;
  if (!s.chosen)
    throw InvalidArgument("predictions are those of the chosen candidate",
                          "end the second pass with finish()");
  if (!s.predicts) {
    s.predicts = true;
    s.first.rewind();
    s.rows_seen = 0;
    s.candidates = {s.chosen->options};
    s.without_row.reset();
    if (s.by_fold)
      s.by_fold = std::make_unique<ScoresByFold>(s.candidates, std::ssize(s.first.names()));
  }
  const Index n = rows.rows();
  FoldPredictions result{.labels = s.first.labels(),
                         .posteriors = Matrix(n, s.first.labels().size()),
                         .classes = std::vector<Index>(at(n), -1),
                         .folds = std::vector<Index>(at(n), -1)};
  std::fill_n(result.posteriors.data(), result.posteriors.size(),
              std::numeric_limits<double>::quiet_NaN());
  const auto answer = [&](const RowsToScore& some, const Execution&) {
    s.predict(some, result);
    return Contest::Part();
  };
  s.go_through(rows, names, answer, execution);
  return result;
}

// ---- the result ------------------------------------------------------------------------------

FoldScores Selector::scores() const {
  State& s = *state_;
  s.end_first_pass();
  const Index candidates = std::ssize(s.candidates), folds = std::ssize(s.first.names());
  FoldScores result{.sums = Matrix(folds * candidates, ScoreSums::size),
                    .errors = {},
                    .parameters = Vector(candidates),
                    .seconds = Vector(candidates)};
  for (Index j = 0; j < candidates; ++j) {
    const CandidateNotes& notes = s.contest->notes(j);
    result.errors.push_back(notes.error);
    result.parameters[j] = notes.parameters;
    result.seconds[j] = notes.seconds;
    for (Index f = 0; f < folds; ++f)
      std::ranges::copy(s.contest->sums(j, f).numbers(),
                        result.sums.row(f * candidates + j).begin());
  }
  return result;
}

void Selector::add_scores(const FoldScores& more) {
  State& s = *state_;
  s.end_first_pass();
  const Index candidates = std::ssize(s.candidates), folds = std::ssize(s.first.names());
  if (more.sums.rows() != folds * candidates || more.sums.cols() != ScoreSums::size ||
      std::ssize(more.errors) != candidates || more.parameters.size() != candidates ||
      more.seconds.size() != candidates)
    throw InvalidArgument("the scores are of other folds or candidates");
  for (Index j = 0; j < candidates; ++j) {
    s.contest->note(j, {more.errors[at(j)], more.parameters[j], more.seconds[j]});
    for (Index f = 0; f < folds; ++f)
      s.contest->sums(j, f).add(ScoreSums::of(more.sums.row(f * candidates + j)));
  }
}

Selection Selector::finish(const Execution& execution) {
  State& s = *state_;
  s.end_first_pass();
  for (Index j = 0; j < std::ssize(s.candidates); ++j) {
    double scored = 0;
    for (Index f = 0; f < std::ssize(s.first.names()); ++f) scored += s.contest->sums(j, f).rows;
    if (s.contest->notes(j).error.empty()) s.first.require_same_rows(scored);
  }
  if (s.without_row || s.by_fold) s.contest->calibrate(s.held_out(), execution);
  Selection selection = s.contest->finish(s.options.criterion, s.options.one_standard_error);
  selection.frequency_log_loss = frequency_log_loss(s.first.all().weights());
  if (!s.first.one_at_a_time()) selection.folds = s.first.names();
  selection.notes = s.first.notes();
  ListExtent extent{.features = s.first.schema().size(), .classes = s.first.labels().size()};
  for (const Block& block : s.first.schema().blocks())
    if (block.family == Family::gaussian) extent.numbers += std::ssize(block.features);
  selection.hints = list_ends(selection, extent);
  s.chosen = selection.candidates[selection.best];
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
  selector.read_again_with([&](const auto& use) { use(rows, folds); });
  selector.learn(rows, folds, part(0, 1. / 3));
  selector.score(rows, folds, part(1. / 3, 1));
  return selector.finish({.threads = execution.threads, .stop = execution.stop});
}

}  // namespace suffice
