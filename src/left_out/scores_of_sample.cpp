#include "left_out/scores_of_sample.hpp"

#include <algorithm>
#include <exception>
#include <numeric>

#include "core/at.hpp"
#include "core/parallel.hpp"
#include "data/weights.hpp"
#include "estimate/rows_used.hpp"
#include "left_out/removed_rows.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Floating-point operations that may be spent on rows with missing numbers.
constexpr double most_work_for_incomplete_rows = 2e10;
/// A few rows that are the only ones of their level change no figure.
constexpr double few_lone_rows = 0.005;

}  // namespace

ScoresOfSample::ScoresOfSample(Input input, const Execution& execution) : input_(std::move(input)) {
  make_blocks({.threads = execution.threads, .stop = execution.stop});
  read_rows();
  for (const EstimateOptions& shape : input_.shapes)
    for (const Tails& tails : input_.tails) {
      candidates_.push_back(shape);
      candidates_.back().tails = tails;
    }
}

bool ScoresOfSample::has_all_rows() const {
  const RowBlock sampled = input_.sample.rows();
  Vector memory;
  const double* weights = read_weights(sampled, memory);
  return std::reduce(weights, weights + sampled.rows()) >=
         input_.statistics.weights().map().sum() * (1 - 1e-9);
}

bool ScoresOfSample::is_scored_in_folds(std::size_t block) const {
  const auto& sums = std::get<GaussianStatistics>(input_.statistics.blocks()[block]);
  if (input_.completes && is_incomplete(sums)) return true;
  const EstimateOptions& first = input_.shapes.front();
  return !first.pca && has_all_rows() &&
         share_of_lone_rows(input_.statistics.schema(), block, input_.sample) > few_lone_rows;
}

FoldCompletion ScoresOfSample::fold_completion() const {
  FoldCompletion result{
      .estimate = input_.shapes.front(), .complete_missing = input_.completes, .seed = input_.seed};
  if (!input_.completes) return result;
  result.passes = input_.passes;
  if (!has_all_rows()) result.all_rows = input_.all_rows;
  return result;
}

void ScoresOfSample::make_blocks(const Execution& execution) {
  const Statistics& statistics = input_.statistics;
  const auto& blocks = statistics.schema().blocks();
  double work = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].family != Family::gaussian) continue;
    if (is_scored_in_folds(b)) {
      in_folds_ = true;
      gaussian_.push_back(
          {b, CompletedGaussian(statistics, b, input_.sample, fold_completion(), execution)});
      continue;
    }
    SampledGaussian alone(statistics, b, input_.sample, execution);
    work += alone.work_for_incomplete_rows();
    gaussian_.push_back({b, std::move(alone)});
  }
  if (in_folds_) std::erase_if(input_.shapes, [](const auto& of) { return of.pca.has_value(); });
  const auto estimates = static_cast<double>(input_.shapes.size() * input_.tails.size());
  incomplete_wanted_ = work * estimates <= most_work_for_incomplete_rows;
}

/// Per block; of Gaussian ones empty.
std::vector<Matrix> ScoresOfSample::other_blocks(const Execution& execution) const {
  EstimateOptions options = input_.shapes.front();  // they differ in Gaussian blocks only
  options.pca = {};
  const auto& blocks = input_.statistics.schema().blocks();
  std::vector<Matrix> result(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].family != Family::gaussian)
      result[b] = scores_without_row(input_.statistics, b, options, input_.sample, execution);
  return result;
}

void ScoresOfSample::read_rows() {
  const RowBlock rows = input_.sample.left_out();
  const Vector& weights = input_.statistics.weights();
  const RemovedRows removed(rows, input_.statistics.labels(), weights);
  class_weights_ = input_.sample_alone ? Vector(weights.size()) : weights;
  for (Index i = 0; i < rows.rows(); ++i) {
    const RemovedRow row = removed[i];
    rows_.weights.push_back(row.weight * input_.sample.copies()[i] * input_.sample.importance()[i]);
    // What a row counts among the frequencies, of all its copies one.
    taken_.push_back(input_.sample_alone ? row.weight * input_.sample.importance()[i] : row.weight);
    if (input_.sample_alone && row.label >= 0) class_weights_[row.label] += rows_.weights.back();
    bool counts = row.label >= 0 && !is_whole_class(row, weights);
    for (const GaussianBlock& of : gaussian_)
      if (const auto* block = std::get_if<SampledGaussian>(&of.scores))
        counts = counts && !block->last_of_class()[at(i)] &&
                 (incomplete_wanted_ || !block->incomplete()[at(i)]);
      else
        counts = counts && !std::get<CompletedGaussian>(of.scores).unknown()[at(i)];
    rows_.truth.push_back(counts ? row.label : -1);
  }
}

Priors ScoresOfSample::frequencies(LogLikelihoods& scores, const LeftOutRows& rows) const {
  add_frequencies_without(scores, class_weights_, rows.truth, taken_);
  return Priors::uniform(input_.statistics.labels());
}

/// Shapes that one decomposition serves.
std::vector<std::vector<Index>> ScoresOfSample::groups() const {
  std::vector<std::vector<Index>> result;
  std::vector<SampledGaussian::Key> keys;
  for (Index s = 0; s < std::ssize(input_.shapes); ++s) {
    const auto key = SampledGaussian::key_of(input_.shapes[at(s)], s);
    const auto found = std::ranges::find(keys, key) - keys.begin();
    if (found == std::ssize(keys)) {
      keys.push_back(key);
      result.emplace_back();
    }
    result[at(found)].push_back(s);
  }
  return result;
}

/// Per Gaussian block: shape by shape, each with all tails.
std::vector<ScoresOfEstimates> ScoresOfSample::gaussian_scores(
    const std::vector<Index>& shapes) const {
  std::vector<EstimateOptions> group;
  for (const Index s : shapes) group.push_back(input_.shapes[at(s)]);
  std::vector<ScoresOfEstimates> result;
  for (const auto& [b, block] : gaussian_)
    if (const auto* alone = std::get_if<SampledGaussian>(&block))
      result.push_back(alone->scores(group, input_.tails, incomplete_wanted_));
    else
      result.push_back(std::get<CompletedGaussian>(block).scores(group, input_.tails));
  return result;
}

void ScoresOfSample::score(const RowsToScore&, const Use& use, const Execution& execution) const {
  const Execution quiet{.threads = execution.threads, .stop = execution.stop};
  const std::vector<Matrix> others = other_blocks(quiet);
  const auto tails = std::ssize(input_.tails);
  std::size_t done = 0;
  for (const std::vector<Index>& shapes : groups()) {
    if (execution.stop.stop_requested()) throw Cancelled();
    std::vector<ScoresOfEstimates> gaussian;
    std::exception_ptr failed;
    try {
      gaussian = gaussian_scores(shapes);
    } catch (const SingularError&) {
      failed = std::current_exception();
    } catch (const InvalidArgument&) {
      failed = std::current_exception();
    }
    const Index count = std::ssize(shapes) * tails;
    Workers workers(quiet, count);
    workers.run(count, [&](Index k, int) {
      use(shapes[at(k / tails)] * tails + k % tails, [&] {
        if (failed) std::rethrow_exception(failed);
        BlockScores scores{.values = others, .labels = input_.statistics.labels()};
        for (std::size_t g = 0; g < gaussian.size(); ++g)
          scores.values[gaussian_[g].block] = std::move(gaussian[g][at(k)]);
        return scores;
      });
    });
    done += shapes.size();
    if (execution.progress)
      execution.progress(static_cast<double>(done) / static_cast<double>(input_.shapes.size()));
  }
}

}  // namespace suffice
