#include "suffice/suspects/suspects.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/parallel.hpp"
#include "data/name_reader.hpp"
#include "data/weights.hpp"
#include "suffice/calibrate/fit_calibration.hpp"
#include "suffice/core/error.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/score/block_scores.hpp"
#include "suffice/stats/reservoir.hpp"
#include "train/component_statistics.hpp"

namespace suffice {
namespace {

/// The time of a calibration grows with the square of their number.
constexpr Index most_calibrated_classes = 400;
/// A label that has at least this probability by the densities alone may be right: where classes
/// overlap, one row in twenty has such a label.
constexpr double possible_by_overlap = 0.05;
/// A class that would lose more than this is left as it is.
constexpr double most_subtracted = 0.5;

/// Rows that are worth keeping: they are read several times.
class RowsReadOften : public RowSource {
 public:
  explicit RowsReadOften(RowSource& rows) : rows_(rows) {}
  const Schema& schema() const override { return rows_.schema(); }
  std::vector<bool> given_families() const override { return rows_.given_families(); }
  bool is_sparse() const override { return rows_.is_sparse(); }
  std::optional<std::string> read_only_once() const override { return rows_.read_only_once(); }
  bool keeps_rows() const override { return rows_.keeps_rows(); }
  RowCounts read(const Reading& reading, const Use& use) override {
    Reading often = reading;
    often.often = true;
    return rows_.read(often, use);
  }

 private:
  RowSource& rows_;
};

struct Learned {
  Fit fit;
  SampledRows sample;
};

/// The model that `fit` would choose, and the rows by which it was chosen.
Learned learn(RowSource& rows, FitOptions options, const Execution& execution) {
  options.missing = MissingNumbers::complete;
  RowsReadOften often(rows);
  Gathered gathered = gather_for(often, options, execution);
  if (std::ranges::count_if(gathered.statistics.weights(), [](double w) { return w > 0; }) < 2)
    throw InvalidArgument("all rows are of one class, so that no label can be contradicted",
                          "rows unlike all others are found by predict " + Option{"outlier"});
  SampledRows sample;
  if (gathered.sample) {
    sample = *gathered.sample;
  } else {
    Reservoir reservoir(rows.schema(), {.seed = options.seed});
    rows.read({.schema = rows.schema()},
              [&](const RowBlock& block, const Column&) { reservoir.update(block); });
    sample = reservoir.sample();
  }
  Fit found = fit(std::move(gathered), options, execution);
  if (const auto once = rows.read_only_once())
    throw InvalidArgument("suspects are found in several passes over the rows, and " + *once +
                              " can be read only once",
                          "write the rows to a file first");
  return {std::move(found), std::move(sample)};
}

/// The same options; a strength of shrinkage that the sums would choose is held as it is.
EstimateOptions with_strength_held(const Statistics& statistics, EstimateOptions options,
                                   const Execution& execution) {
  if (resolve(options).shrinkage->kind() != Shrinkage::Kind::automatic) return options;
  const Model model = estimate(statistics, options, execution);
  if (!model.parts().found.shrinkage_rows.empty())
    options.shrinkage = Shrinkage::rows(std::min(model.parts().found.shrinkage_rows[0], 1e12));
  return options;
}

/// The best options of the choice that have an exact leave-one-out form, and at last naive ones.
/// Throws InvalidArgument with the first reason.
EstimateOptions exact_options(const Fit& fit, const Execution& execution) {
  std::vector<EstimateOptions> candidates{*fit.model.parts().options};
  if (fit.choice)
    for (const Choice::Candidate& of : fit.choice->candidates) candidates.push_back(of.options);
  candidates.push_back({.covariance = Covariance::diag, .smoothing = Smoothing(1)});
  std::optional<InvalidArgument> reason;
  for (const EstimateOptions& options : candidates) try {
      const LeaveOneOut works(fit.statistics,
                              with_strength_held(fit.statistics, options, execution), execution);
      return options;
    } catch (const InvalidArgument& error) {
      if (!reason) reason = error;
    } catch (const SingularError& error) {
      if (!reason) reason.emplace(error.sentence(), error.advice());
    }
  throw InvalidArgument("no model takes each row out exactly: " + reason->sentence());
}

Vector weights_of(const RowBlock& rows) {
  Vector scratch, result(rows.rows());
  const double* weights = read_weights(rows, scratch);
  for (Index i = 0; i < rows.rows(); ++i) result[i] = weights ? weights[i] : 1;
  return result;
}

/// Positions of the classes; negative where a row has no label.
std::vector<Index> labels_of(const RowBlock& rows, const Names& labels) {
  std::vector<std::int32_t> codes(at(rows.rows()));
  NameReader(rows.labels(), labels).read(0, rows.rows(), codes.data(), 1);
  return {codes.begin(), codes.end()};
}

/// The sums of these classes only; the others have nothing.
Statistics sums_of(const Statistics& part, const std::vector<bool>& classes) {
  std::vector<Index> order;
  std::vector<std::string> names;
  for (Index c = 0; c < part.labels().size(); ++c)
    if (classes[at(c)]) {
      order.push_back(c);
      names.push_back(part.labels()[c]);
    }
  return statistics_of_classes(part, order, Names(names));
}

/// The models without each row, and what is usual of them.
struct Judge {
  LeaveOneOut left_out;
  Vector weights = left_out.model().weights();  // of the classes
  std::optional<Calibration> calibration = {};
  Vector usual = {};  // per class: the probability that makes one certain of it

  /// Of rows with these labels and weights: 0 where they are not in the sums.
  Matrix log_posteriors(LogLikelihoods scores, const std::vector<Index>& truth,
                        const Vector& row_weights, const Execution& execution) const {
    Matrix result = std::move(scores.values);
    constexpr Index rows_at_once = 1024;
    const Index n = result.rows(), tasks = (n + rows_at_once - 1) / rows_at_once;
    Workers workers(execution, tasks);
    workers.run(tasks, [&](Index task, int) {
      Vector frequency(result.cols());
      for (Index i = task * rows_at_once; i < std::min(n, (task + 1) * rows_at_once); ++i) {
        const Index label = row_weights[i] > 0 ? truth[at(i)] : -1;
        log_frequencies_without(weights, label, row_weights[i],
                                {frequency.data(), at(frequency.size())});
        normalise(result.row(i), frequency);
      }
    });
    return result;
  }

  static void normalise(std::span<double> row, const Vector& log_frequency) {
    const bool impossible =
        std::ranges::none_of(row, [](double score) { return score > -infinity; });
    double most = -infinity;
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = impossible ? log_frequency[c] : row[c] + log_frequency[c];
      most = std::max(most, row[c]);
    }
    double sum = 0;
    for (const double joint : row) sum += std::exp(joint - most);
    for (double& joint : row) joint -= most + std::log(sum);
  }

  bool is_only_row(Index label, double weight) const {
    return label >= 0 && weight > 0 && weights[label] <= weight * (1 + 1e-9);
  }

  /// `rows` have the labels of `truth`, and weight 0 where they are not in the sums.
  std::vector<Suspicion> operator()(const RowBlock& rows, const std::vector<Index>& truth,
                                    const Execution& execution) const {
    const Vector weight = weights_of(rows);
    BlockScores scores = left_out.block_scores(rows, execution);
    const Matrix by_densities = log_posteriors(added_up(scores), truth, weight, execution);
    const Matrix log_posterior =
        calibration ? log_posteriors(calibrated(std::move(scores), *calibration, execution), truth,
                                     weight, execution)
                    : by_densities;
    std::vector<Suspicion> result(truth.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      Suspicion& of = result[i];
      const auto row = log_posterior.row(static_cast<Index>(i));
      for (Index c = 0; c < std::ssize(row); ++c)
        if (c != truth[i] && (of.looks_like < 0 || row[at(c)] > row[at(of.looks_like)]))
          of.looks_like = c;
      const double other = row[at(of.looks_like)];
      of.probability = std::exp(other);
      if (truth[i] < 0) continue;
      of.label = truth[i];
      const double own = row[at(of.label)];
      const bool only = is_only_row(of.label, weight[static_cast<Index>(i)]);
      of.score = only || other == -infinity ? -infinity : other - own;
      of.flagged = of.score > 0 && of.probability >= usual[of.looks_like] &&
                   by_densities(static_cast<Index>(i), of.label) <= std::log(possible_by_overlap);
    }
    return result;
  }

  /// Calibrates by rows of the sample, and finds what is usual. `weight` is that of each row in the
  /// sums, and 0 for those that have no part here.
  void learn(const SampledRows& sample, const Vector& weight, const Execution& execution) {
    RowBlock rows = sample.rows();
    std::vector<Index> truth = labels_of(rows, left_out.model().labels());
    rows.weights(weight);
    for (Index i = 0; i < weight.size(); ++i)
      if (!(weight[i] > 0) || is_only_row(truth[at(i)], weight[i])) truth[at(i)] = -1;
    BlockScores scores = left_out.block_scores(rows, execution);
    if (weights.size() <= most_calibrated_classes) {
      std::vector<double> log_priors, importance;
      for (const double of : weights) log_priors.push_back(std::log(of));
      for (Index i = 0; i < weight.size(); ++i)
        importance.push_back(weight[i] * sample.importance()[i]);
      calibration = fit_calibration(scores.values, truth, importance, log_priors).calibration;
    }
    const Matrix log_posterior = log_posteriors(
        calibration ? calibrated(std::move(scores), *calibration) : added_up(std::move(scores)),
        truth, weight, execution);
    Vector sum(weights.size()), count(weights.size());
    for (Index i = 0; i < weight.size(); ++i) {
      const Index c = truth[at(i)];
      if (c < 0 || std::ranges::max(log_posterior.row(i)) > log_posterior(i, c)) continue;
      sum[c] += weight[i] * std::exp(log_posterior(i, c));
      count[c] += weight[i];
    }
    usual = Vector(weights.size());
    for (Index c = 0; c < usual.size(); ++c) usual[c] = count[c] > 0 ? sum[c] / count[c] : 1;
  }
};

/// The first round's strongest suspects, and the sums without them.
struct Subtracted {
  Statistics rest;
  std::vector<Index> rows = {};         ///< numbers, rising
  std::vector<bool> from_classes = {};  ///< whether a class has lost its suspects
};

}  // namespace

struct SuspectFinder::State {
  RowSource& source;
  Model model;  ///< under whose schema rows are read
  Judge judge;
  Index rows = 0, unlabelled_rows = 0;
  std::vector<Index> subtracted = {};
  std::vector<Remark> remarks = {};
  std::vector<FitNote> notes = {};

  void read(std::string_view what, const Use& use, const Execution& execution) const;
  std::optional<Subtracted> without_strongest(const Statistics& statistics,
                                              const Execution& execution);
  void second_round(const Learned& learned, const EstimateOptions& options,
                    const Execution& execution);
};

void SuspectFinder::State::read(std::string_view what, const Use& use,
                                const Execution& execution) const {
  Index first = 0;
  auto next = subtracted.begin();
  source.read({.schema = model.schema(), .what = std::string(what), .unlabelled = true},
              [&](const RowBlock& block, const Column&) {
                const std::vector<Index> truth = labels_of(block, model.labels());
                Vector weight = weights_of(block);
                for (Index i = 0; i < block.rows(); ++i) {
                  const bool is_out = next != subtracted.end() && *next == first + i;
                  if (is_out) ++next;
                  if (is_out || truth[at(i)] < 0) weight[i] = 0;
                }
                RowBlock judged = block;
                judged.weights(weight);
                use(block, first, judge(judged, truth, execution));
                first += block.rows();
              });
}

/// Nothing where there are none, or only those without which too little is left of a class.
std::optional<Subtracted> SuspectFinder::State::without_strongest(const Statistics& statistics,
                                                                  const Execution& execution) {
  // Thin factors have no difference: the sums of the others are made anew.
  const bool anew = is_thin(statistics);
  Statistics part(statistics.schema(),
                  {.scatter = scatter_of(statistics), .labels = statistics.labels().list()});
  std::vector<Suspect> strongest;
  Vector lost(part.labels().size());
  read(
      "judging",
      [&](const RowBlock& block, Index first, const std::vector<Suspicion>& found) {
        Vector weight = weights_of(block);
        for (Index i = 0; i < block.rows(); ++i) {
          const Suspicion& of = found[at(i)];
          ++(of.label < 0 ? unlabelled_rows : rows);
          if (of.flagged) {
            strongest.push_back({first + i, of});
            lost[of.label] += weight[i];
          }
          if (of.label < 0 || of.flagged == anew) weight[i] = 0;
        }
        RowBlock taken = block;
        taken.weights(weight);
        part.update(taken, execution);
      },
      execution);
  Subtracted result{std::move(part)};
  for (Index c = 0; c < lost.size(); ++c)
    result.from_classes.push_back(lost[c] <= most_subtracted * statistics.weights()[c]);
  for (const Suspect& of : strongest)
    if (result.from_classes[at(of.found.label)]) result.rows.push_back(of.row);
  if (result.rows.empty() || (anew && result.rows.size() < strongest.size())) return std::nullopt;
  if (!anew) result.rest = subtract(statistics, sums_of(result.rest, result.from_classes)).rest;
  return result;
}

/// Judges by the rows that are no suspects, where a model of them can be estimated.
void SuspectFinder::State::second_round(const Learned& learned, const EstimateOptions& options,
                                        const Execution& execution) {
  std::optional<Subtracted> without = without_strongest(learned.fit.statistics, execution);
  if (!without) return;
  RowBlock sampled = learned.sample.rows();
  Vector weight = weights_of(sampled);
  const std::vector<Suspicion> found =
      judge(sampled, labels_of(sampled, model.labels()), execution);
  for (Index i = 0; i < weight.size(); ++i)
    if (const Suspicion& of = found[at(i)]; of.flagged && without->from_classes[at(of.label)])
      weight[i] = 0;
  try {
    Judge second{LeaveOneOut(without->rest, with_strength_held(without->rest, options, execution),
                             execution)};
    second.learn(learned.sample, weight, execution);
    judge = std::move(second);
    subtracted = std::move(without->rows);
  } catch (const InvalidArgument&) {
  } catch (const SingularError&) {
  }
}

SuspectFinder::SuspectFinder(RowSource& rows, const SuspectOptions& options,
                             const Execution& execution) {
  Learned learned = learn(rows, options.fit, execution);
  const Execution quiet{
      .threads = execution.threads, .stop = execution.stop, .pool = execution.pool};
  const EstimateOptions chosen = exact_options(learned.fit, quiet);
  const Statistics& statistics = learned.fit.statistics;
  Judge judge{LeaveOneOut(statistics, with_strength_held(statistics, chosen, quiet), quiet)};
  judge.learn(learned.sample, weights_of(learned.sample.rows()), quiet);
  const Model model = judge.left_out.model();
  state_ =
      std::make_unique<State>(State{.source = rows, .model = model, .judge = std::move(judge)});
  state_->remarks = std::move(learned.fit.remarks);
  state_->notes = std::move(learned.fit.notes);
  state_->second_round(learned, chosen, quiet);
  state_->model = state_->judge.left_out.model().with_calibration(state_->judge.calibration);
}
SuspectFinder::~SuspectFinder() = default;
SuspectFinder::SuspectFinder(SuspectFinder&&) noexcept = default;

const Model& SuspectFinder::model() const noexcept { return state_->model; }
Index SuspectFinder::rows() const noexcept { return state_->rows; }
Index SuspectFinder::unlabelled_rows() const noexcept { return state_->unlabelled_rows; }
Index SuspectFinder::subtracted() const noexcept { return std::ssize(state_->subtracted); }
const std::vector<Remark>& SuspectFinder::remarks() const noexcept { return state_->remarks; }
const std::vector<FitNote>& SuspectFinder::notes() const noexcept { return state_->notes; }

void SuspectFinder::read(const Use& use, const Execution& execution) const {
  state_->read("judging again", use, execution);
}

bool is_worse(const Suspect& a, const Suspect& b) {
  return a.found.score != b.found.score ? a.found.score > b.found.score : a.row < b.row;
}

}  // namespace suffice
