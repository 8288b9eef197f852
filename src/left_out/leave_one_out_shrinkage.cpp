#include "suffice/left_out/leave_one_out_shrinkage.hpp"
#include "core/compensated_sum.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "factor/whitener.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/kernels.hpp"
#include "data/row_checks.hpp"
#include "left_out/block_without_row.hpp"
#include "left_out/sampled_scores.hpp"
#include "left_out/strength_grid.hpp"
#include "left_out/thin_space.hpp"
#include "score/tiles.hpp"
#include "suffice/core/error.hpp"
#include "suffice/left_out/leave_one_out.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// 1, 2, 4, … up to 256 times this weight.
std::vector<double> strengths_for(double weight) {
  std::vector<double> result = {1};
  while (2 * result.back() <= 256 * weight) result.push_back(2 * result.back());
  return result;
}

/// A block whose scores are the same for all strengths.
class RepeatedScorer : public BlockScorer {
 public:
  RepeatedScorer(std::unique_ptr<BlockScorer> one, Index classes, Index strengths)
      : one_(std::move(one)), classes_(classes), strengths_(strengths) {}
  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto work = std::make_unique<Work>();
    work->one = one_->workspace(chunk_rows);
    work->scores = Vector(rows_at_once * classes_);
    return work;
  }
  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    one_->prepare(chunk, *static_cast<Work&>(workspace).one);
  }
  void score(const Tile& tile, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    one_->score({tile.first, tile.count, work.scores.data(), false}, *work.one);
    for (Index i = 0; i < tile.count; ++i)
      for (Index g = 0; g < strengths_; ++g)
        for (Index c = 0; c < classes_; ++c) {
          double& out = tile.out[(i * strengths_ + g) * classes_ + c];
          out = (tile.add ? out : 0.0) + work.scores[i * classes_ + c];
        }
  }

 private:
  struct Work : Workspace {
    std::unique_ptr<Workspace> one;
    Vector scores;
  };
  std::unique_ptr<BlockScorer> one_;
  Index classes_, strengths_;
};

}  // namespace

struct LeaveOneOutShrinkage::State {
  EstimateOptions options;
  Model model;  ///< of the coordinates, where these are
  std::vector<double> strengths;
  std::vector<std::unique_ptr<BlockWithoutRow>> others;  // null: a Gaussian block, which is below
  std::vector<std::unique_ptr<StrengthGrid>> gaussian;
  std::vector<CompensatedSum> errors, losses;  // per strength
  CompensatedSum weight;
  double impossible = 0;  ///< the weight of rows whose own class has the probability 0
  Schema schema = {};     ///< of the rows
  /// Of a wide table: rows are scored by their coordinates.
  std::shared_ptr<const ThinSpace> space = {};

  /// Adds a row to the sums of its tile: weight, impossible, then error and loss per strength.
  void add(const double* scores, const RemovedRow& removed, std::span<double> prior,
           std::span<double> mass, std::span<double> sums) const {
    const Index classes = model.labels().size();
    if (removed.label < 0 || std::isnan(scores[removed.label])) return;
    log_frequencies_without(model.weights(), removed.label, removed.weight, prior);
    sums[0] += removed.weight;
    bool impossible_row = false;
    for (std::size_t g = 0; g < strengths.size(); ++g) {
      for (Index c = 0; c < classes; ++c)
        mass[c] = prior[c] == -infinity ? -infinity : scores[g * classes + c] + prior[c];
      const auto best = std::ranges::max_element(mass) - mass.begin();
      const double own = mass[removed.label];
      impossible_row = own == -infinity;
      if (best != removed.label || impossible_row) sums[2 + 2 * g] += removed.weight;
      if (!impossible_row) sums[3 + 2 * g] += removed.weight * (log_sum_exp(mass) - own);
    }
    if (impossible_row) sums[1] += removed.weight;
  }
};

namespace {

/// Of which only the means matter.
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

}  // namespace

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

LeaveOneOutShrinkage::LeaveOneOutShrinkage(const Statistics& of_rows,
                                           const EstimateOptions& options,
                                           const Execution& execution) {
  require_possible(options);
  const EstimateOptions used = by_rows(options);
  const std::shared_ptr<const ThinSpace> space = space_of(of_rows, used, execution);
  const Statistics& statistics = space ? space->statistics() : of_rows;
  const auto& blocks = statistics.schema().blocks();
  if (std::ranges::none_of(blocks, [](const Block& of) { return of.family == Family::gaussian; }))
    throw InvalidArgument("shrinkage 'loo' is for Gaussian features, and there are none");
  if (const auto why = no_leave_one_out(statistics.schema(), used)) throw InvalidArgument(*why);
  state_ = std::make_unique<State>(
      State{.options = used,
            .model = estimate(statistics, space ? tied_by_rows() : used, execution),
            .strengths = {},
            .others = {},
            .gaussian = {},
            .errors = {},
            .losses = {},
            .weight = {},
            .schema = of_rows.schema(),
            .space = space});
  State& state = *state_;
  double most = 0, all = 0;
  for (const double weight : state.model.weights()) {
    most = std::max(most, weight);
    all += weight;
  }
  state.strengths = strengths_for(is_tied(used.covariance) ? all : most);
  state.errors.resize(state.strengths.size());
  state.losses.resize(state.strengths.size());
  Workers workers(execution, state.model.labels().size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const BlockInput input{statistics, state.options, state.model, b};
    const bool gaussian = blocks[b].family == Family::gaussian;
    state.others.push_back(gaussian ? nullptr : make_block_without_row(input));
    if (gaussian)
      state.gaussian.push_back(std::make_unique<StrengthGrid>(
          input,
          StrengthGrid::Axes{
              .strengths = state.strengths,
              .outside = space ? std::optional<Index>(space->outside()) : std::nullopt},
          workers));
  }
}
LeaveOneOutShrinkage::~LeaveOneOutShrinkage() = default;
LeaveOneOutShrinkage::LeaveOneOutShrinkage(LeaveOneOutShrinkage&&) noexcept = default;
LeaveOneOutShrinkage& LeaveOneOutShrinkage::operator=(LeaveOneOutShrinkage&&) noexcept = default;

void LeaveOneOutShrinkage::score(const RowBlock& given, const Execution& execution) {
  State& state = *state_;
  const Model& model = state.model;
  require_features(state.schema, given);
  Matrix coordinates;
  if (state.space) {
    Workers workers(execution, 1000);
    coordinates = state.space->coordinates(numbers_of_block(state.schema, 0, given), workers);
  }
  RowBlock in_space{MatrixView(coordinates)};
  if (state.space) {
    in_space.labels(given.labels());
    if (given.weights().kind != Column::Kind::none) in_space.weights(given.weights());
  }
  const RowBlock& rows = state.space ? in_space : given;
  const Index classes = model.labels().size(), strengths = std::ssize(state.strengths);
  const RemovedRows removed(rows, model.labels(), model.weights());
  Unscored unscored(model.schema().size());
  // Sums tile by tile, which are added in order: the same on any number of threads.
  Matrix sums((rows.rows() + rows_at_once - 1) / rows_at_once, 2 + 2 * strengths);
  score_tiles(
      {rows.rows(), model.schema().size(), classes * strengths, nullptr}, execution,
      [&](Workers& workers) {
        Scorers scorers;
        for (const auto& block : state.gaussian)
          scorers.push_back(block->scorer(
              {model, block->block(), rows, false, Missing::allow, workers, &unscored}, removed));
        for (std::size_t b = 0; b < state.others.size(); ++b)
          if (state.others[b])
            scorers.push_back(std::make_unique<RepeatedScorer>(
                state.others[b]->scorer({model, b, rows, false, Missing::allow, workers, &unscored},
                                        removed),
                classes, strengths));
        return scorers;
      },
      [&](Index first, Index count, double* scores) {
        Vector prior(classes), mass(classes);
        for (Index i = 0; i < count; ++i)
          state.add(scores + i * classes * strengths, removed[first + i],
                    {prior.data(), static_cast<std::size_t>(classes)},
                    {mass.data(), static_cast<std::size_t>(classes)},
                    sums.row(first / rows_at_once));
      });
  for (Index t = 0; t < sums.rows(); ++t) {
    state.weight.add(sums(t, 0));
    state.impossible += sums(t, 1);
    for (Index g = 0; g < strengths; ++g) {
      state.errors[g].add(sums(t, 2 + 2 * g));
      state.losses[g].add(sums(t, 3 + 2 * g));
    }
  }
}

std::vector<LeaveOneOutShrinkage::Choice> LeaveOneOutShrinkage::grid() const {
  const State& state = *state_;
  std::vector<Choice> result;
  for (std::size_t g = 0; g < state.strengths.size(); ++g) {
    const double weight = state.weight.value();
    const bool certain = state.impossible == 0;
    result.push_back({Shrinkage::rows(state.strengths[g]), state.errors[g].value() / weight,
                      certain ? state.losses[g].value() / weight : infinity});
  }
  return result;
}

LeaveOneOutShrinkage::Choice LeaveOneOutShrinkage::finish() const {
  const State& state = *state_;
  if (!(state.weight.value() > 0))
    throw InvalidArgument(
        "no row was scored, so there is no strength to choose; give the rows of the statistics");
  // Rows whose class nothing can make possible say the same of every strength.
  std::size_t best = 0;
  for (std::size_t g = 1; g < state.strengths.size(); ++g)
    if (std::pair(state.errors[g].value(), state.losses[g].value()) <
        std::pair(state.errors[best].value(), state.losses[best].value()))
      best = g;
  return grid()[best];
}

}  // namespace suffice
