#include "suffice/select/select.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "data/row_checks.hpp"
#include "data/weights.hpp"
#include "decide/same_labels.hpp"
#include "models/parameter_count.hpp"
#include "select/list_ends.hpp"
#include "select/ranking.hpp"
#include "select/selector_state.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"
#include "suffice/report/report.hpp"

namespace suffice {
namespace {

/// Rows that a worker scores at a time by all candidates: their copy stays in its caches.
constexpr Index rows_of_task = 2048;

/// Sums of the other folds are put together for each fold anew up to this many folds.
constexpr Index few_folds = 16;

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

void require_few(Index folds) {
  constexpr Index most = 10'000;
  if (folds > most)
    throw InvalidArgument("the number of folds is " + std::to_string(folds) +
                              ", and there are at most " + std::to_string(most) +
                              ", since each has sums of its own",
                          "leave out one row at a time instead");
}

InvalidArgument rows_beside_sums() {
  return InvalidArgument("rows and sums of folds cannot be learned together",
                         "give all rows, or the sums of all folds");
}

double seconds_since_start(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Selector::State::State(Schema schema, SelectOptions given)
    : options(std::move(given)),
      plan(options.candidates),
      folds(Folds::dealt(std::max<Index>(options.folds, 1), options.seed)),
      sums(schema, scatter_for(options.candidates, schema)),
      errors(plan.candidates.size()),
      parameters(plan.candidates.size()),
      seconds(plan.candidates.size()) {}

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
  if (s.summed_elsewhere) throw rows_beside_sums();
  if (rows.rows() == 0) return;
  if (names.kind != Column::Kind::none && s.folds.rows() == 0) s.folds = Folds::named();
  if (!s.folds.has_names() && s.options.folds == 0) s.one_at_a_time = true;
  Vector weight_memory;
  const double* weight = read_weights(rows, weight_memory);
  const State::Places at = s.places(rows, names, weight, execution);
  require_few(s.folds.size());
  s.sums.update(rows, at.labels.names, at.classes(), at.folds, weight, execution);
}

void Selector::learn(const std::string& fold, const Statistics& sums) {
  State& s = *state_;
  if (s.learned) throw InvalidArgument("the first pass has ended: rows cannot be learned any more");
  if (s.folds.rows() > 0) throw rows_beside_sums();
  if (s.options.calibrate)
    throw InvalidArgument("scores of rows in several places cannot be calibrated",
                          "choose without a calibration, and calibrate the model afterwards");
  if (!s.summed_elsewhere) s.folds = Folds::named();
  s.summed_elsewhere = true;
  s.sums.add(sums, s.folds.add(fold));
  require_few(s.folds.size());
}

void Selector::learn_beside(const Statistics& sums) {
  State& s = *state_;
  if (s.learned) throw InvalidArgument("the first pass has ended: rows cannot be learned any more");
  const Scatter scatter = scatter_for(s.options.candidates, sums.schema());
  const bool some = scatter == Scatter::diagonal || (scatter == Scatter::pooled && !is_thin(sums));
  s.beside = some ? with_scatter(sums, scatter) : sums;
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
  if (summed_elsewhere ? labels().empty() : rows == 0)
    throw InvalidArgument("there are no rows to choose a model by");
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
  all = beside ? merge(*beside, sums.all()) : sums.all();
  if (all->labels() != labels())
    throw InvalidArgument("the sums beside the rows have classes that the rows have not",
                          "both must have the same classes");
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
  // What takes many passes is found once.
  const bool passes = rows_again && std::ranges::any_of(plan.candidates, [&](const auto& of) {
                        return takes_passes(*all, of, options.training);
                      });
  keep_models = passes || bytes * static_cast<double>(fold_names.size()) <= most_bytes_of_models;
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

void Selector::read_again_with(RowsOfFolds rows) { state_->rows_again = std::move(rows); }

FoldTraining Selector::State::training_without(Index fold) const {
  if (!rows_again) return {};
  RowPass others = [this, fold](const std::function<void(const RowBlock&)>& use) {
    Folds deal = folds;
    deal.rewind();
    rows_again([&](const RowBlock& block, const Column& names) {
      Vector memory;
      const double* weight = read_weights(block, memory);
      Workers workers({.threads = 1}, 1);
      const EncodedNames classes = encode_labels(block, 0, labels(), weight, workers);
      const std::vector<std::int32_t> of =
          deal.next(classes.names, classes.code.data(), block.rows(), names, weight);
      Vector weights(block.rows());
      for (Index i = 0; i < block.rows(); ++i) {
        const bool is_there = of[i] >= 0 && fold_position[static_cast<std::size_t>(of[i])] != fold;
        if (is_there) weights[i] = weight ? weight[i] : 1;
      }
      RowBlock left = block;
      left.weights(Column(weights));
      use(left);
    });
  };
  return {options.training, std::move(others)};
}

/// The models of the rows outside a fold.
void Selector::State::prepare(std::span<const Index> of_folds, const Execution& execution,
                              const std::function<void(Index)>& use) {
  const auto make = [&](Index fold, const Statistics& others) {
    const Execution quiet{.threads = execution.threads, .stop = execution.stop};
    models[fold] = std::make_unique<FoldModels>(plan, beside ? merge(*beside, others) : others,
                                                quiet, training_without(fold));
    use(fold);
  };
  if (std::ssize(fold_names) <= few_folds) {
    for (const Index fold : of_folds) make(fold, sums.without(fold_number[fold], execution));
    return;
  }
  std::vector<Index> numbers;
  for (const Index fold : of_folds) numbers.push_back(fold_number[fold]);
  sums.for_each_without(
      numbers, [&](Index number, const Statistics& others) { make(fold_position[number], others); },
      execution);
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
    seconds[j] += seconds_since_start(begin);
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

void Selector::score(const RowBlock& rows, const Column& names, const Execution& execution) {
  state_->end_first_pass();
  state_->pass(rows, names, execution);
}

/// A third pass: the only candidate is the chosen one.
void Selector::State::begin_predictions() {
  if (!chosen)
    throw InvalidArgument("predictions are those of the chosen candidate",
                          "end the second pass with finish()");
  if (predicts) return;
  plan = CandidatePlan({*chosen});
  errors.assign(1, {});
  parameters.assign(1, 0);
  seconds.assign(1, 0);
  for (auto& of_fold : models) of_fold.reset();
  leave_one_out.clear();
  dominant = {};
  folds.rewind();
  predicts = true;
}

FoldPredictions Selector::predict(const RowBlock& rows, const Column& names,
                                  const Execution& execution) {
  State& s = *state_;
  s.begin_predictions();
  FoldPredictions result{.labels = s.labels(),
                         .posteriors = Matrix(rows.rows(), s.labels().size()),
                         .classes = std::vector<Index>(static_cast<std::size_t>(rows.rows()), -1),
                         .folds = std::vector<Index>(static_cast<std::size_t>(rows.rows()), -1)};
  std::fill_n(result.posteriors.data(), result.posteriors.size(),
              std::numeric_limits<double>::quiet_NaN());
  s.predictions = &result;
  try {
    s.pass(rows, names, execution);
  } catch (...) {
    s.predictions = nullptr;
    throw;
  }
  s.predictions = nullptr;
  return result;
}

void Selector::State::pass(const RowBlock& block, const Column& names, const Execution& execution) {
  if (block.rows() == 0) return;
  require_features(sums.schema(), block);
  Vector weight_memory;
  const double* weight = read_weights(block, weight_memory);
  const Places at = places(block, names, weight, execution);
  if (at.labels.names != labels())
    throw InvalidArgument("the second pass has classes that the first had not",
                          "both must be over the same rows");
  std::vector<std::vector<Index>> rows_of(fold_names.size());
  for (Index i = 0; i < block.rows(); ++i)
    if (at.folds[i] >= 0) rows_of[fold_position[at.folds[i]]].push_back(i);

  std::vector<Index> missing;  // folds without models
  std::vector<Task> tasks;
  for (Index fold = 0; fold < std::ssize(rows_of); ++fold) {
    if (rows_of[fold].empty()) continue;
    if (!models[fold] && !one_at_a_time) missing.push_back(fold);
    const std::span<const Index> of_fold = rows_of[fold];
    for (std::size_t i = 0; i < of_fold.size(); i += rows_of_task)
      tasks.push_back(
          {fold, of_fold.subspan(i, std::min<std::size_t>(rows_of_task, of_fold.size() - i))});
  }
  // Estimating is taken for as much work as scoring.
  const auto work = static_cast<double>(block.rows());
  Progress progress(execution, missing.empty() ? work : 2 * work);
  const double work_of_fold = work / static_cast<double>(std::max<std::size_t>(1, missing.size()));
  if (one_at_a_time) {
    prepare_leave_one_out(execution);
    prepare_dominant(block, at, weight, execution);
  }
  if (keep_models || one_at_a_time) {
    // Neighbours share their sums where folds are many.
    const Index count = std::ssize(missing);
    const Index together =
        std::ssize(fold_names) <= few_folds ? 1 : (count + few_folds - 1) / few_folds;
    const Index parts = count == 0 ? 0 : (count + together - 1) / together;
    Workers workers(execution, parts);
    const int threads = execution.threads > 0 ? execution.threads : available_threads();
    const Execution inner{.threads = std::max(1, threads / workers.size()), .stop = execution.stop};
    workers.run(parts, [&](Index i, int) {
      const Index first = i * together, last = std::min(count, first + together);
      prepare({missing.data() + first, missing.data() + last}, inner,
              [&](Index) { progress.advance(work_of_fold); });
    });
    for (const Index fold : missing) note_models(fold);
    score(block, at, weight, tasks, progress, execution);
  } else {
    const Execution quiet{.threads = execution.threads, .stop = execution.stop};
    prepare(missing, quiet, [&](Index fold) {
      note_models(fold);
      progress.advance(work_of_fold);
      const auto of_fold = std::ranges::equal_range(tasks, fold, {}, &Task::fold);
      score(block, at, weight, {of_fold.data(), of_fold.size()}, progress, execution);
      models[fold].reset();
    });
  }
  progress.finish();
  rows_scored += block.rows();
}

FoldScores Selector::scores() const {
  state_->end_first_pass();
  return state_->added_up_scores();
}

void Selector::add_scores(const FoldScores& more) {
  state_->end_first_pass();
  state_->add(more);
}

Selection Selector::finish(const Execution& execution) {
  State& s = *state_;
  s.end_first_pass();
  if (s.summed_elsewhere) s.require_all_scored();
  if (!s.summed_elsewhere && s.folds.rows() != s.rows)
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
  ListExtent extent{.features = s.sums.schema().size(), .classes = s.labels().size()};
  for (const Block& block : s.sums.schema().blocks())
    if (block.family == Family::gaussian) extent.numbers += std::ssize(block.features);
  selection.hints = list_ends(selection, extent);
  s.chosen = selection.best_options();
  s.chosen_calibration = selection.candidates[selection.best].calibration;
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
