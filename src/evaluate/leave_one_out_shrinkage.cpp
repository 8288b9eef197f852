// All strengths v of the grid at once: in the basis of S_c and T, the quadratic form of S_c + v T
// is Σ y_i² / (λ_i + v), so one product of the squares y² with the numbers 1 / (λ_i + v) serves the
// whole grid. The row is then removed from each by a change of rank one.

#include "suffice/evaluate/leave_one_out_shrinkage.hpp"
#include "core/compensated_sum.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "models/whitener.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/blas.hpp"
#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "evaluate/block_without_row.hpp"
#include "evaluate/changed_density.hpp"
#include "evaluate/dense_without_row.hpp"
#include "evaluate/scatter_basis.hpp"
#include "score/tiles.hpp"
#include "suffice/core/error.hpp"
#include "suffice/evaluate/leave_one_out.hpp"
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

/// One Gaussian block, for all strengths.
class StrengthBlock {
 public:
  StrengthBlock(const BlockInput& input, std::span<const double> grid, Workers& workers)
      : block(input.block),
        factor(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
        strengths(grid),
        rule(input.options, std::ssize(factor.used)),
        weights(input.sums<GaussianStatistics>(), input.model),
        n(std::ssize(factor.used)),
        classes(input.model.labels().size()) {
    if (n == 0) return;
    const auto& statistics = input.sums<GaussianStatistics>();
    PooledScatter pooled = weights.pooled({});
    pooled.scatter = Matrix(n, n);
    for (Index c = 0; c < classes; ++c)
      if (weights.seen(c)) add_scatter(statistics, c, pooled.scatter);
    std::vector<std::string> names;
    for (const Index j : factor.used)
      names.push_back(input.model.schema().feature(input.schema_block().features[j]).name);
    Matrix whitener;
    double log_norm = 0;
    whiten_shared(rule.prior(pooled).target, names, whitener, log_norm);
    const double log_det = -2 * log_norm - static_cast<double>(n) * log_2pi;  // of the target
    if (rule.tied()) {
      bases.push_back({ScatterBasis::of(pooled.scatter, &whitener, factor.mean), {}, {}});
      fill(bases[0], log_det);
      fill_between();
      return;
    }
    bases.resize(static_cast<std::size_t>(classes));
    workers.run(classes, [&](Index c, int) {
      if (!weights.seen(c)) return;
      Matrix scatter(n, n), mean(1, n);
      add_scatter(statistics, c, scatter);
      std::ranges::copy(factor.mean.row(c), mean.row(0).begin());
      bases[c].basis = ScatterBasis::of(scatter, &whitener, mean);
      fill(bases[c], log_det);
    });
  }

  /// Its n × n matrices S + v T.
  struct Basis {
    ScatterBasis basis;  // its means: of all classes if tied, otherwise of one
    Matrix inverse;      // n × strengths: 1 / (λ_i + v)
    Vector log_det;      // per strength
  };
  const Basis& basis_of(Index c) const { return bases[rule.tied() ? 0 : c]; }
  const double* mean(Index c) const {
    return basis_of(c).basis.means.row(rule.tied() ? c : 0).data();
  }

  /// log p(x | c) by strength g when a row is removed.
  ChangedDensity density(Index c, Index g, const RemovedRow& row) const {
    const CovarianceScale scale = rule.scale(weights.without(c, row), weights.pooled(row),
                                             {.rows = strengths[g], .target = {}});
    return ChangedDensity::of(n, basis_of(c).log_det[g], scale.factor * scale.spread, scale.dof);
  }

  std::size_t block;
  const GaussianFactor& factor;
  std::span<const double> strengths;
  CovarianceRule rule;
  CompleteWeights weights;
  Index n, classes;
  std::vector<Basis> bases;     // per class, or one
  std::vector<Matrix> between;  // tied, per strength: distances of the means, K × K

 private:
  void add_scatter(const GaussianStatistics& statistics, Index c, Matrix& sum) const {
    const Matrix& scatter = statistics.classes[c].complete.scatter;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) sum(i, j) += scatter(factor.used[i], factor.used[j]);
  }

  void fill(Basis& of, double log_det_of_target) const {
    of.inverse = Matrix(n, std::ssize(strengths));
    of.log_det = Vector(std::ssize(strengths));
    for (Index g = 0; g < std::ssize(strengths); ++g) {
      of.log_det[g] = log_det_of_target;
      for (Index i = 0; i < n; ++i) {
        const double value = of.basis.values[i] + strengths[g];
        of.inverse(i, g) = 1 / value;
        of.log_det[g] += std::log(value);
      }
    }
  }

  void fill_between() {
    const Matrix& means = bases[0].basis.means;
    for (Index g = 0; g < std::ssize(strengths); ++g) {
      Matrix& distance = between.emplace_back(classes, classes);
      for (Index c = 0; c < classes; ++c)
        for (Index k = 0; k < classes; ++k)
          for (Index i = 0; i < n; ++i) {
            const double apart = means(c, i) - means(k, i);
            distance(c, k) += apart * apart * bases[0].inverse(i, g);
          }
    }
  }
};

/// log p(x | c) of a Gaussian block for all strengths: strengths × K numbers per row, not a number
/// where the row lacks a value.
class StrengthScorer : public BlockScorer {
 public:
  StrengthScorer(const ScorerInput& input, const RemovedRows& removed, const StrengthBlock& block)
      : removed_(removed),
        block_(block),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        n_(block.n),
        classes_(block.classes),
        strengths_(std::ssize(block.strengths)) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto work = std::make_unique<Work>();
    work->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * reader_.features());
    for (Matrix* numbers : {&work->centered, &work->rotated, &work->squares})
      *numbers = Matrix(chunk_rows, n_);
    work->q.assign(static_cast<std::size_t>(classes_), Matrix(chunk_rows, strengths_));
    work->incomplete.resize(static_cast<std::size_t>(chunk_rows));
    work->densities.resize(static_cast<std::size_t>(classes_ + 1));
    return work;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    work.first = chunk.first;
    if (n_ == 0) return;
    read(chunk, work);
    bool rotated = false;
    for (Index c = 0; c < classes_; ++c) {
      if (!block_.weights.seen(c)) continue;
      const StrengthBlock::Basis& of = block_.basis_of(c);
      if (!block_.rule.tied() || !std::exchange(rotated, true))
        blas::gemm_nt(chunk.count, n_, n_, 1, work.centered.data(), n_, of.basis.vectors.data(), n_,
                      0, work.rotated.data(), n_);
      const double* mean = block_.mean(c);
      for (Index r = 0; r < chunk.count; ++r) {
        const double* from = work.rotated.row(r).data();
        double* to = work.squares.row(r).data();
        for (Index i = 0; i < n_; ++i) to[i] = (from[i] - mean[i]) * (from[i] - mean[i]);
      }
      blas::gemm(chunk.count, strengths_, n_, 1, work.squares.data(), n_, of.inverse.data(),
                 strengths_, 0, work.q[c].data(), strengths_);
    }
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    const Index width = strengths_ * classes_;
    for (Index i = 0; i < tile.count; ++i) {
      const Index r = tile.first - work.first + i;
      double* out = tile.out + i * width;
      if (!tile.add) std::fill_n(out, width, 0.0);
      if (n_ == 0) continue;
      if (work.incomplete[r]) {
        std::fill_n(out, width, std::nan(""));
        continue;
      }
      const RemovedRow removed = removed_[tile.first + i];
      const std::vector<ChangedDensity>& densities = densities_without(removed, work);
      for (Index g = 0; g < strengths_; ++g)
        add_row(r, g, removed, densities.data() + g * classes_, work, out + g * classes_);
    }
  }

 private:
  struct Work : Workspace {
    Vector scratch;
    Matrix centered, rotated, squares;
    std::vector<Matrix> q;  // per class, rows × strengths
    std::vector<bool> incomplete;
    Index first = 0;  // row of the chunk
    struct Densities {
      double weight = -1;
      std::vector<ChangedDensity> of;  // strengths × K
    };
    std::vector<Densities> densities;  // per class that loses a row; at the end for none
  };

  void read(const Chunk& chunk, Work& work) const {
    const auto [values, stride] = reader_.read(chunk.first, chunk.count, work.scratch.data());
    for (Index r = 0; r < chunk.count; ++r) {
      bool missing = false;
      for (Index j = 0; j < n_; ++j) {
        const double x = values[r * stride + block_.factor.used[j]];
        missing = missing || std::isnan(x);
        work.centered(r, j) = x - block_.factor.center[j];
      }
      work.incomplete[r] = missing;
      if (missing) std::ranges::fill(work.centered.row(r), 0.0);
    }
  }

  const std::vector<ChangedDensity>& densities_without(const RemovedRow& row, Work& work) const {
    Work::Densities& known = work.densities[row.label < 0 ? classes_ : row.label];
    if (known.weight == row.weight) return known.of;
    known = {row.weight, {}};
    for (Index g = 0; g < strengths_; ++g)
      for (Index c = 0; c < classes_; ++c) {
        ChangedDensity& density = known.of.emplace_back();
        if (!block_.weights.seen(c)) continue;
        // The mean of a class is unknown without a complete row.
        if (block_.weights.without(c, row) == 0)
          density.constant = -infinity;
        else
          density = block_.density(c, g, row);
      }
    return known.of;
  }

  void add_row(Index r, Index g, const RemovedRow& row, const ChangedDensity* densities,
               const Work& work, double* out) const {
    const Index y = row.label;
    const auto [loss, gain] =
        y < 0 ? MomentsChange() : MomentsChange::of(block_.weights[y], row.weight);
    const double q_own = y < 0 ? 0 : work.q[y](r, g);
    const double h = 1 - loss * q_own, log_h = loss > 0 ? std::log(h) : 0;
    for (Index c = 0; c < classes_; ++c) {
      double q = work.q[c](r, g), gained = 0;
      if (loss > 0 && c == y) {
        q *= gain * gain / h;
        gained = log_h;
      } else if (loss > 0 && block_.rule.tied()) {
        const double p = 0.5 * (q + q_own - block_.between[g](c, y));
        q += loss * p * p / h;
        gained = log_h;
      }
      out[c] += densities[c](q, gained);
    }
  }

  const RemovedRows& removed_;
  const StrengthBlock& block_;
  NumberReader reader_;
  Index n_, classes_, strengths_;
};

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
  Model model;
  std::vector<double> strengths;
  std::vector<std::unique_ptr<BlockWithoutRow>> others;  // null: a Gaussian block, which is below
  std::vector<std::unique_ptr<StrengthBlock>> gaussian;
  std::vector<CompensatedSum> errors, losses;  // per strength
  CompensatedSum weight;
  double impossible = 0;  ///< the weight of rows whose own class has the probability 0

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

EstimateOptions by_rows(EstimateOptions options) {
  options.shrinkage = Shrinkage::rows(1);
  return resolve(options);
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

LeaveOneOutShrinkage::LeaveOneOutShrinkage(const Statistics& statistics,
                                           const EstimateOptions& options,
                                           const Execution& execution) {
  require_possible(options);
  const EstimateOptions used = by_rows(options);
  const auto& blocks = statistics.schema().blocks();
  if (std::ranges::none_of(blocks, [](const Block& of) { return of.family == Family::gaussian; }))
    throw InvalidArgument("shrinkage 'loo' is for Gaussian features, and there are none");
  if (const auto why = no_leave_one_out(statistics.schema(), used)) throw InvalidArgument(*why);
  state_ = std::make_unique<State>(State{.options = used,
                                         .model = estimate(statistics, used, execution),
                                         .strengths = {},
                                         .others = {},
                                         .gaussian = {},
                                         .errors = {},
                                         .losses = {},
                                         .weight = {}});
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
      state.gaussian.push_back(std::make_unique<StrengthBlock>(input, state.strengths, workers));
  }
}
LeaveOneOutShrinkage::~LeaveOneOutShrinkage() = default;
LeaveOneOutShrinkage::LeaveOneOutShrinkage(LeaveOneOutShrinkage&&) noexcept = default;
LeaveOneOutShrinkage& LeaveOneOutShrinkage::operator=(LeaveOneOutShrinkage&&) noexcept = default;

void LeaveOneOutShrinkage::score(const RowBlock& rows, const Execution& execution) {
  State& state = *state_;
  const Model& model = state.model;
  require_features(model.schema(), rows);
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
          scorers.push_back(std::make_unique<StrengthScorer>(
              ScorerInput{model, block->block, rows, false, Missing::allow, workers, &unscored},
              removed, *block));
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
