// The strength of shrinkage by leave-one-out, for a grid of strengths v at once. With B S_c Bᵀ =
// diag(λ) and B T Bᵀ = I, the quadratic form of S_c + v T is Σ y_i² / (λ_i + v), y = B (x − m_c):
// one product of the squares y² with the numbers 1 / (λ_i + v) serves the whole grid.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/blas.hpp"
#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "data/row_checks.hpp"
#include "evaluate/leave_one_out_gaussian.hpp"
#include "models/shrinkage.hpp"
#include "models/structure.hpp"
#include "score/tiles.hpp"
#include "suffice/core/error.hpp"

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
struct StrengthBlock {
  std::size_t block = 0;
  bool tied = false;
  Inference estimate = Inference::plugin;
  const GaussianFactor* factor = nullptr;
  const Vector* class_weights = nullptr;  // over all rows
  Vector weight;                          // K: of complete rows
  double pooled_weight = 0, seen = 0;
  std::span<const double> strengths;

  struct Basis {
    Matrix vectors;  // B
    Matrix means;    // B (m − center): of all classes if tied, otherwise of one
    Matrix inverse;  // n × strengths: 1 / (λ_i + v)
    Vector log_det;  // per strength: of S + v T
  };
  std::vector<Basis> basis;      // per class, or one
  std::vector<Matrix> distance;  // tied, per strength: between the means, K × K

  Index features() const { return std::ssize(factor->used); }
  Index classes() const { return weight.size(); }
  bool vanishes(const TakenOut& row) const {
    return row.label >= 0 && rest((*class_weights)[row.label], row.weight) == 0;
  }
  Spread spread(Index c, double rows, const TakenOut& out) const {
    const double own = c == out.label ? rest(weight[c], out.weight) : weight[c];
    const double together =
        pooled_weight - (out.label < 0 ? 0 : out.weight) - (seen - (vanishes(out) ? 1 : 0));
    const double dof = tied ? together : std::max(own - 1, 0.0);
    return Spread::of_posterior({dof, rows, static_cast<double>(features())}, estimate, own);
  }
};

class BlockBuilder {
 public:
  BlockBuilder(const Statistics& statistics, std::size_t block, const Model& model,
               const EstimateOptions& options, std::span<const double> strengths, Workers& workers)
      : statistics_(std::get<GaussianStatistics>(statistics.blocks()[block])),
        model_(model),
        workers_(workers) {
    result_.block = block;
    result_.tied = is_tied(options.covariance);
    result_.estimate = options.inference;
    result_.factor = &std::get<GaussianFactor>(model.factors().blocks[block]);
    result_.class_weights = &model.weights();
    result_.weight = Vector(model.labels().size());
    result_.strengths = strengths;
    n_ = result_.features();
  }

  StrengthBlock run() {
    Matrix pooled(n_, n_);
    for (Index c = 0; c < result_.classes(); ++c) {
      if (!seen(c)) continue;
      result_.weight[c] = statistics_.classes[c].complete.weight;
      result_.pooled_weight += result_.weight[c];
      ++result_.seen;
      add_scatter(c, pooled);
    }
    if (n_ == 0) return std::move(result_);
    const double dof = result_.pooled_weight - result_.seen;
    const Matrix target =
        result_.tied ? diagonal_of(pooled, dof) : class_target(pooled, dof).covariance;
    whiten_shared(target, names_of_used(), whitener_, log_norm_);
    if (result_.tied) {
      result_.basis.push_back(make_basis(pooled, result_.factor->mean));
      fill_distances();
      return std::move(result_);
    }
    result_.basis.resize(static_cast<std::size_t>(result_.classes()));
    workers_.run(result_.classes(), [&](Index c, int) {
      if (!seen(c)) return;
      Matrix scatter(n_, n_), mean(1, n_);
      add_scatter(c, scatter);
      std::ranges::copy(result_.factor->mean.row(c), mean.row(0).begin());
      result_.basis[c] = make_basis(scatter, mean);
    });
    return std::move(result_);
  }

 private:
  bool seen(Index c) const { return model_.weights()[c] > 0; }
  std::vector<std::string> names_of_used() const {
    const std::vector<std::string> names =
        names_of(std::get<GaussianDensity>(model_.densities()[result_.block]), model_.schema(),
                 model_.schema().blocks()[result_.block]);
    std::vector<std::string> result;
    for (const Index j : result_.factor->used) result.push_back(names[static_cast<std::size_t>(j)]);
    return result;
  }

  void add_scatter(Index c, Matrix& sum) const {
    const Matrix& scatter = statistics_.classes[c].complete.scatter;
    const std::vector<Index>& used = result_.factor->used;
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) sum(i, j) += scatter(used[i], used[j]);
  }
  static Matrix diagonal_of(const Matrix& scatter, double dof) {
    Matrix result(scatter.rows(), scatter.rows());
    for (Index i = 0; i < scatter.rows(); ++i) result(i, i) = scatter(i, i) / dof;
    return result;
  }

  StrengthBlock::Basis make_basis(const Matrix& scatter, const Matrix& means) const {
    Matrix whole = whitened_scatter(scatter, whitener_);
    Vector values(n_);
    blas::eigh(n_, whole.data(), n_, values.data());
    const auto strengths = static_cast<Index>(result_.strengths.size());
    StrengthBlock::Basis result{Matrix(n_, n_), Matrix(means.rows(), n_), Matrix(n_, strengths),
                                Vector(strengths)};
    blas::gemm(n_, n_, n_, 1, whole.data(), n_, whitener_.data(), n_, 0, result.vectors.data(), n_);
    blas::gemm_nt(means.rows(), n_, n_, 1, means.data(), n_, result.vectors.data(), n_, 0,
                  result.means.data(), n_);
    for (Index g = 0; g < strengths; ++g) {
      // log det T = −2 log_norm − n log 2π.
      result.log_det[g] = -2 * log_norm_ - static_cast<double>(n_) * log_2pi;
      for (Index i = 0; i < n_; ++i) {
        const double value = std::max(values[i], 0.0) + result_.strengths[g];
        result.inverse(i, g) = 1 / value;
        result.log_det[g] += std::log(value);
      }
    }
    return result;
  }

  void fill_distances() {
    const StrengthBlock::Basis& basis = result_.basis[0];
    const Index classes = result_.classes();
    for (Index g = 0; g < std::ssize(result_.strengths); ++g) {
      Matrix distance(classes, classes);
      for (Index c = 0; c < classes; ++c)
        for (Index k = 0; k < classes; ++k)
          for (Index i = 0; i < n_; ++i) {
            const double apart = basis.means(c, i) - basis.means(k, i);
            distance(c, k) += apart * apart * basis.inverse(i, g);
          }
      result_.distance.push_back(std::move(distance));
    }
  }

  const GaussianStatistics& statistics_;
  const Model& model_;
  Workers& workers_;
  StrengthBlock result_;
  Index n_ = 0;
  Matrix whitener_;  // of T
  double log_norm_ = 0;
};

/// log p(x | c) of a Gaussian block for all strengths: strengths × K numbers a row. NaN where the
/// row lacks a value.
class StrengthScorer : public BlockScorer {
 public:
  StrengthScorer(const ScorerInput& input, const TakenRows& taken, const StrengthBlock& block)
      : taken_(taken),
        block_(block),
        used_(block.factor->used),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        n_(block.features()),
        classes_(block.classes()),
        strengths_(std::ssize(block.strengths)) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * reader_.features());
    own->centered = Matrix(chunk_rows, n_);
    own->rotated = Matrix(chunk_rows, n_);
    own->squares = Matrix(chunk_rows, n_);
    own->q.assign(static_cast<std::size_t>(classes_), Matrix(chunk_rows, strengths_));
    own->incomplete.resize(static_cast<std::size_t>(chunk_rows));
    own->known.resize(static_cast<std::size_t>(classes_ + 1));
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    own.first = chunk.first;
    if (n_ == 0) return;
    const auto [values, stride] = reader_.read(chunk.first, chunk.count, own.scratch.data());
    for (Index r = 0; r < chunk.count; ++r) {
      bool missing = false;
      for (Index j = 0; j < n_; ++j) {
        const double x = values[r * stride + used_[j]];
        missing = missing || std::isnan(x);
        own.centered(r, j) = x - block_.factor->center[j];
      }
      own.incomplete[r] = missing;
      if (missing) std::ranges::fill(own.centered.row(r), 0.0);
    }
    for (Index c = 0; c < classes_; ++c) {
      if (!((*block_.class_weights)[c] > 0)) continue;
      const StrengthBlock::Basis& basis = block_.basis[block_.tied ? 0 : c];
      if (!block_.tied || !own.rotated_for_all(chunk.first))
        blas::gemm_nt(chunk.count, n_, n_, 1, own.centered.data(), n_, basis.vectors.data(), n_, 0,
                      own.rotated.data(), n_);
      const double* mean = basis.means.row(block_.tied ? c : 0).data();
      for (Index r = 0; r < chunk.count; ++r) {
        const double* from = own.rotated.row(r).data();
        double* to = own.squares.row(r).data();
        for (Index i = 0; i < n_; ++i) to[i] = (from[i] - mean[i]) * (from[i] - mean[i]);
      }
      blas::gemm(chunk.count, strengths_, n_, 1, own.squares.data(), n_, basis.inverse.data(),
                 strengths_, 0, own.q[c].data(), strengths_);
    }
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    const Index width = strengths_ * classes_;
    for (Index i = 0; i < tile.count; ++i) {
      const Index r = tile.first - own.first + i;
      double* out = tile.out + i * width;
      if (!tile.add) std::fill_n(out, width, 0.0);
      if (n_ == 0) continue;
      if (own.incomplete[r]) {
        std::fill_n(out, width, std::nan(""));
        continue;
      }
      const TakenOut taken = taken_[tile.first + i];
      const std::vector<Known>& known = spreads(taken, own);
      for (Index g = 0; g < strengths_; ++g) add_row(r, g, taken, known, own, out + g * classes_);
    }
  }

 private:
  struct Known {
    Spread spread;
    double constant = 0;  // with −½ log det
  };
  struct Own : Workspace {
    Vector scratch;
    Matrix centered, rotated, squares;
    std::vector<Matrix> q;  // per class, rows × strengths
    std::vector<bool> incomplete;
    Index first = 0, rotated_first = -1;
    struct Remaining {
      double weight = -1;
      std::vector<Known> of;  // strengths × K
    };
    std::vector<Remaining> known;  // per class that loses a row; at the end for none

    /// Whether the rows from here on are in the basis that all classes share; from now on they are.
    bool rotated_for_all(Index chunk_first) {
      return std::exchange(rotated_first, chunk_first) == chunk_first;
    }
  };

  const std::vector<Known>& spreads(const TakenOut& taken, Own& own) const {
    Own::Remaining& known = own.known[taken.label < 0 ? classes_ : taken.label];
    if (known.weight == taken.weight) return known.of;
    known = {taken.weight, {}};
    for (Index g = 0; g < strengths_; ++g)
      for (Index c = 0; c < classes_; ++c) {
        Known one;
        // Without a complete row in its class the row's own mean is not known.
        const bool gone = c == taken.label && rest(block_.weight[c], taken.weight) == 0;
        if (gone) {
          one.constant = -infinity;
        } else if ((*block_.class_weights)[c] > 0) {
          one.spread = block_.spread(c, block_.strengths[g], taken);
          one.constant =
              one.spread.constant(n_) - 0.5 * block_.basis[block_.tied ? 0 : c].log_det[g];
        }
        known.of.push_back(one);
      }
    return known.of;
  }

  void add_row(Index r, Index g, const TakenOut& taken, const std::vector<Known>& known,
               const Own& own, double* out) const {
    const Index y = taken.label;
    const Removal removal = y < 0 ? Removal{} : Removal::of(block_.weight[y], taken.weight);
    const auto [a, factor] = removal;
    const double q_own = y < 0 ? 0 : own.q[y](r, g);
    const double h = 1 - a * q_own, log_h = a > 0 ? std::log(h) : 0;
    for (Index c = 0; c < classes_; ++c) {
      double q = own.q[c](r, g), gain = 0;
      if (a > 0 && c == y) {
        q *= factor * factor / h;
        gain = log_h;
      } else if (a > 0 && block_.tied) {
        const double p = 0.5 * (q + q_own - block_.distance[g](c, y));
        q += a * p * p / h;
        gain = log_h;
      }
      const Known& of = known[g * classes_ + c];
      out[c] += of.constant - 0.5 * gain + of.spread.of_distance(q, n_);
    }
  }

  const TakenRows& taken_;
  const StrengthBlock& block_;
  const std::vector<Index>& used_;
  NumberReader reader_;
  Index n_, classes_, strengths_;
};

/// A block whose scores are the same for all strengths.
class RepeatedScorer : public BlockScorer {
 public:
  RepeatedScorer(std::unique_ptr<BlockScorer> one, Index classes, Index strengths)
      : one_(std::move(one)), classes_(classes), strengths_(strengths) {}
  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->one = one_->workspace(chunk_rows);
    own->scores = Vector(rows_at_once * classes_);
    return own;
  }
  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    one_->prepare(chunk, *static_cast<Own&>(workspace).one);
  }
  void score(const Tile& tile, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    one_->score({tile.first, tile.count, own.scores.data(), false}, *own.one);
    for (Index i = 0; i < tile.count; ++i)
      for (Index g = 0; g < strengths_; ++g)
        for (Index c = 0; c < classes_; ++c) {
          double& out = tile.out[(i * strengths_ + g) * classes_ + c];
          out = (tile.add ? out : 0.0) + own.scores[i * classes_ + c];
        }
  }

 private:
  struct Own : Workspace {
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
  std::vector<std::unique_ptr<BlockRest>> rests;  // null: a Gaussian block, which is below
  std::vector<StrengthBlock> gaussian;
  std::vector<CompensatedSum> errors, losses;  // per strength
  CompensatedSum weight;
  double impossible = 0;  ///< the weight of rows whose own class has the probability 0

  /// Adds a row to the sums of its tile: weight, impossible, then error and loss per strength.
  void add(const double* scores, const TakenOut& taken, std::span<double> prior,
           std::span<double> mass, std::span<double> sums) const {
    const Index classes = model.labels().size();
    if (taken.label < 0 || std::isnan(scores[taken.label])) return;
    log_frequencies_without(model.weights(), taken.label, taken.weight, prior);
    sums[0] += taken.weight;
    bool impossible_row = false;
    for (std::size_t g = 0; g < strengths.size(); ++g) {
      for (Index c = 0; c < classes; ++c)
        mass[c] = prior[c] == -infinity ? -infinity : scores[g * classes + c] + prior[c];
      const auto best = std::ranges::max_element(mass) - mass.begin();
      const double own = mass[taken.label];
      impossible_row = own == -infinity;
      if (best != taken.label || impossible_row) sums[2 + 2 * g] += taken.weight;
      if (!impossible_row) sums[3 + 2 * g] += taken.weight * (log_sum_exp(mass) - own);
    }
    if (impossible_row) sums[1] += taken.weight;
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
                                         .rests = {},
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
  state.rests = make_rests(statistics, state.options, state.model, false);
  Workers workers(execution, state.model.labels().size());
  for (std::size_t b = 0; b < state.rests.size(); ++b)
    if (!state.rests[b])
      state.gaussian.push_back(
          BlockBuilder(statistics, b, state.model, used, state.strengths, workers).run());
}
LeaveOneOutShrinkage::~LeaveOneOutShrinkage() = default;
LeaveOneOutShrinkage::LeaveOneOutShrinkage(LeaveOneOutShrinkage&&) noexcept = default;
LeaveOneOutShrinkage& LeaveOneOutShrinkage::operator=(LeaveOneOutShrinkage&&) noexcept = default;

void LeaveOneOutShrinkage::score(const RowBlock& rows, const Execution& execution) {
  State& state = *state_;
  const Model& model = state.model;
  require_features(model.schema(), rows);
  const Index classes = model.labels().size(), strengths = std::ssize(state.strengths);
  const TakenRows taken(rows, model.labels(), model.weights());
  LeftOut left_out(model.schema().size());
  // Sums tile by tile, which are added in order: the same on any number of threads.
  Matrix sums((rows.rows() + rows_at_once - 1) / rows_at_once, 2 + 2 * strengths);
  score_tiles(
      {rows.rows(), model.schema().size(), classes * strengths, nullptr}, execution,
      [&](Workers& workers) {
        Scorers scorers;
        for (const StrengthBlock& block : state.gaussian)
          scorers.push_back(std::make_unique<StrengthScorer>(
              ScorerInput{model, block.block, rows, false, Missing::allow, workers, &left_out},
              taken, block));
        for (std::size_t b = 0; b < state.rests.size(); ++b)
          if (state.rests[b])
            scorers.push_back(std::make_unique<RepeatedScorer>(
                state.rests[b]->scorer({model, b, rows, false, Missing::allow, workers, &left_out},
                                       taken),
                classes, strengths));
        return scorers;
      },
      [&](Index first, Index count, double* scores) {
        Vector prior(classes), mass(classes);
        for (Index i = 0; i < count; ++i)
          state.add(scores + i * classes * strengths, taken[first + i],
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
