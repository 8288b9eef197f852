#include "suffice/left_out/leave_one_out_shrinkage.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "data/row_checks.hpp"
#include "factor/whitener.hpp"
#include "left_out/block_without_row.hpp"
#include "left_out/contest.hpp"
#include "left_out/sampled_scores.hpp"
#include "left_out/strength_grid.hpp"
#include "left_out/thin_space.hpp"
#include "suffice/core/error.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// Scores of all strengths that a worker holds at a time.
constexpr Index most_numbers = Index{1} << 20;

/// 1, 2, 4, … up to 256 times this weight.
std::vector<double> strengths_for(double weight) {
  std::vector<double> result = {1};
  while (2 * result.back() <= 256 * weight) result.push_back(2 * result.back());
  return result;
}

/// A place in rows of which the first has this number.
Place later(Place place, Index first) {
  if (place.row >= 0) place.row += first;
  return place;
}

/// Only the means of this model are used.
EstimateOptions tied_by_rows() {
  return {.covariance = Covariance::tied, .shrinkage = Shrinkage::rows(1)};
}

EstimateOptions by_rows(EstimateOptions options) {
  options.shrinkage = Shrinkage::rows(1);
  return resolve(options);
}

/// The space of a wide table; null where the table is not wide.
std::shared_ptr<const ThinSpace> space_of(const Statistics& statistics,
                                          const EstimateOptions& options,
                                          const Execution& execution) {
  const auto* sums = std::get_if<GaussianStatistics>(&statistics.blocks().front());
  if (!is_thin(statistics)) return nullptr;
  if (!sums || statistics.blocks().size() > 1 || options.target_share.value_or(1) < 1)
    throw InvalidArgument(
        "where there are more features than rows, shrinkage 'loo' is for a single Gaussian block "
        "and a diagonal target",
        "use " + Option{"shrinkage", "auto"});
  Workers workers(execution, 1000);
  return std::make_shared<const ThinSpace>(statistics, *options.target, workers);
}

/// Each row without itself, by all strengths at once.
class ScoresByStrength : public HeldOut {
 public:
  ScoresByStrength(const Statistics& of_rows, const EstimateOptions& options,
                   const Execution& execution)
      : schema_(of_rows.schema()),
        options_(options),
        space_(space_of(of_rows, options, execution)),
        model_(space_ ? estimate(space_->statistics(), tied_by_rows(), execution)
                      : estimate(of_rows, options, execution)),
        strengths_(strengths_for(is_tied(options.covariance)
                                     ? model_.weights().map().sum()
                                     : std::ranges::max(model_.weights()))) {
    const Statistics& statistics = space_ ? space_->statistics() : of_rows;
    const auto& blocks = model_.schema().blocks();
    Workers workers(execution, model_.labels().size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const BlockInput input{statistics, options_, model_, b};
      if (blocks[b].family != Family::gaussian) {
        others_.emplace_back(b, make_block_without_row(input));
        continue;
      }
      StrengthGrid::Axes axes{.strengths = strengths_};
      if (space_) axes.outside = space_->outside();
      gaussian_.push_back(std::make_unique<StrengthGrid>(input, std::move(axes), workers));
    }
  }
  ScoresByStrength(const ScoresByStrength&) = delete;  // its blocks refer to it
  ScoresByStrength& operator=(const ScoresByStrength&) = delete;

  const Model& model() const noexcept { return model_; }
  const std::vector<double>& strengths() const noexcept { return strengths_; }
  Index rows_of_task() const {
    const Index numbers = model_.labels().size() * std::ssize(strengths_);
    return std::clamp<Index>(most_numbers / numbers, 256, 2048);
  }

  /// In the space of a wide table; `memory` has its coordinates then.
  RowBlock in_space(const RowBlock& given, Matrix& memory, const Execution& execution) const {
    require_features(schema_, given);
    if (!space_) return given;
    Workers workers(execution, 1000);
    memory = space_->coordinates(numbers_of_block(schema_, 0, given), workers);
    RowBlock rows{MatrixView(memory)};
    rows.labels(given.labels());
    if (given.weights().kind != Column::Kind::none) rows.weights(given.weights());
    return rows;
  }

  void score(const RowsToScore& rows, const Use& use, const Execution& execution) const override {
    const RemovedRows removed(rows.block, model_.labels(), model_.weights());
    const Index classes = model_.labels().size();
    const Matrix others =
        added_scores(model_, rows.block, classes, execution, [&](const auto& input) {
          Scorers scorers;
          for (const auto& [b, block] : others_)
            scorers.push_back(block->scorer(input(b), removed));
          return scorers;
        });
    std::vector<Matrix> scores(strengths_.size(), others);
    for (const auto& grid : gaussian_) {
      const std::vector<Matrix> more = grid->scores(model_, rows.block, removed, execution);
      for (std::size_t g = 0; g < scores.size(); ++g) scores[g].map() += more[g].map();
    }
    for (std::size_t g = 0; g < scores.size(); ++g)
      use(static_cast<Index>(g), [&] {
        BlockScores of{.values = {}, .labels = model_.labels()};
        of.values.push_back(std::move(scores[g]));
        return of;
      });
  }

  Priors frequencies(LogLikelihoods& scores, const LeftOutRows& rows) const override {
    add_frequencies_without(scores, model_.weights(), rows.truth, rows.weights);
    return Priors::uniform(model_.labels());
  }

 private:
  Schema schema_;  ///< of the rows
  EstimateOptions options_;
  std::shared_ptr<const ThinSpace> space_;  ///< of a wide table
  Model model_;                             ///< of the coordinates, where these are
  std::vector<double> strengths_;
  std::vector<std::unique_ptr<StrengthGrid>> gaussian_;
  std::vector<std::pair<std::size_t, std::unique_ptr<BlockWithoutRow>>> others_;
};

}  // namespace

struct LeaveOneOutShrinkage::State {
  ScoresByStrength scores;
  Contest contest;

  State(const Statistics& statistics, const EstimateOptions& options, const Execution& execution)
      : scores(statistics, options, execution),
        contest({.labels = scores.model().labels(), .candidates = candidates(options)}) {}

  std::vector<EstimateOptions> candidates(EstimateOptions options) const {
    std::vector<EstimateOptions> result;
    for (const double strength : scores.strengths()) {
      options.shrinkage = Shrinkage::rows(strength);
      result.push_back(options);
    }
    return result;
  }
};

void LeaveOneOutShrinkage::require_possible(const EstimateOptions& options) {
  if (!is_dense(options.covariance))
    throw InvalidArgument("shrinkage 'loo' is for full and tied covariances, not for '" +
                          std::string(to_string(options.covariance)) +
                          "'; choose shrinkage 'auto', or 0");
  if (options.pca || options.lda)
    throw InvalidArgument(
        "shrinkage 'loo' leaves out one row at a time, and projections change with every row; "
        "choose shrinkage 'auto', or no projection");
  by_rows(options);
}

LeaveOneOutShrinkage::LeaveOneOutShrinkage(const Statistics& statistics,
                                           const EstimateOptions& options,
                                           const Execution& execution) {
  require_possible(options);
  const EstimateOptions used = by_rows(options);
  if (std::ranges::none_of(statistics.schema().blocks(),
                           [](const Block& of) { return of.family == Family::gaussian; }))
    throw InvalidArgument("shrinkage 'loo' is for Gaussian features, and there are none");
  if (const auto why = no_leave_one_out(statistics.schema(), used)) throw InvalidArgument(*why);
  state_ = std::make_unique<State>(statistics, used, execution);
}
LeaveOneOutShrinkage::~LeaveOneOutShrinkage() = default;
LeaveOneOutShrinkage::LeaveOneOutShrinkage(LeaveOneOutShrinkage&&) noexcept = default;
LeaveOneOutShrinkage& LeaveOneOutShrinkage::operator=(LeaveOneOutShrinkage&&) noexcept = default;

void LeaveOneOutShrinkage::score(const RowBlock& given, const Execution& execution) {
  const ScoresByStrength& scores = state_->scores;
  Contest& contest = state_->contest;
  Matrix memory;
  const RowBlock all = scores.in_space(given, memory, execution);
  const RemovedRows removed(all, scores.model().labels(), scores.model().weights());
  const Index step = scores.rows_of_task(), tasks = (all.rows() + step - 1) / step;
  std::vector<Contest::Part> parts(at(tasks));
  Progress progress(execution, static_cast<double>(all.rows()));
  Workers workers(execution, tasks);
  workers.run(tasks, [&](Index t, int) {
    const Index first = t * step, count = std::min(step, all.rows() - first);
    RowsToScore rows;
    rows.block = all.slice(first, count);
    for (Index i = first; i < first + count; ++i) {
      rows.truth.push_back(removed[i].label);
      rows.weights.push_back(removed[i].weight);
      rows.numbers.push_back(i);
    }
    try {
      parts[at(t)] = contest.judge(scores, rows, {.threads = 1, .stop = execution.stop});
    } catch (const DataError& error) {
      throw DataError(later(error.where(), first), error.sentence(), error.advice());
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(later(error.where(), first), error.sentence(), error.advice());
    }
    progress.advance(static_cast<double>(count));
  });
  for (Contest::Part& part : parts) contest.add(std::move(part));
  progress.finish();
}

std::vector<LeaveOneOutShrinkage::Choice> LeaveOneOutShrinkage::grid() const {
  const State& state = *state_;
  std::vector<Choice> result;
  for (std::size_t g = 0; g < state.scores.strengths().size(); ++g) {
    const Score score = state.contest.sums(static_cast<Index>(g)).mean();
    result.push_back(
        {Shrinkage::rows(state.scores.strengths()[g]), score.error_rate, score.log_loss});
  }
  return result;
}

LeaveOneOutShrinkage::Choice LeaveOneOutShrinkage::finish() const {
  const Contest& contest = state_->contest;
  if (!(contest.sums(0).rows > 0))
    throw InvalidArgument(
        "no row was scored, so there is no strength to choose; give the rows of the statistics");
  // Rows whose class nothing can make possible say the same of every strength.
  const auto figures = [&](Index g) {
    return std::pair(contest.sums(g).errors, contest.sums(g).log_loss);
  };
  Index best = 0;
  for (Index g = 1; g < std::ssize(state_->scores.strengths()); ++g)
    if (figures(g) < figures(best)) best = g;
  return grid()[at(best)];
}

}  // namespace suffice
