#include "left_out/strength_grid.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "algebra/blas.hpp"
#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "data/number_reader.hpp"
#include "estimate/shrinkage.hpp"
#include "factor/gaussian_factor.hpp"
#include "factor/whitener.hpp"
#include "score/unscored.hpp"
#include "stats/pooled.hpp"

namespace suffice {

StrengthGrid::StrengthGrid(const BlockInput& input, Axes axes, Workers& workers)
    : block_(input.block),
      axes_(std::move(axes)),
      factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
      rule_(input.options, std::ssize(factor_.used) + axes_.outside.value_or(0)),
      weights_(input.sums<GaussianStatistics>(), input.model),
      n_(std::ssize(factor_.used)),
      classes_(input.model.labels().size()) {
  if (n_ == 0) return;
  const auto& statistics = input.sums<GaussianStatistics>();
  PooledScatter pooled = weights_.pooled({});
  pooled.scatter = scatter_within(statistics, factor_.used);
  Matrix whitener;
  const double log_det = find_target(input, pooled, whitener);
  const Matrix* const white = whitener.empty() ? nullptr : &whitener;
  if (rule_.tied()) {
    bases_.push_back({ScatterBasis::of(pooled.scatter, white, factor_.mean), {}, {}});
  } else {
    bases_.resize(static_cast<std::size_t>(classes_));
    workers.run(classes_, [&](Index c, int) {
      if (!weights_.seen(c)) return;
      Matrix scatter(n_, n_), own_mean(1, n_);
      add_scatter(statistics, c, scatter);
      std::ranges::copy(factor_.mean.row(c), own_mean.row(0).begin());
      bases_[c].basis = ScatterBasis::of(scatter, white, moves() ? factor_.mean : own_mean);
    });
  }
  for (double& strength : axes_.strengths)
    if (strength == 0) strength = evidence_strength(pooled.dof());
  for (Basis& of : bases_)
    if (!of.basis.values.empty()) fill(of, log_det);
  if (rule_.tied()) fill_between();
}

double StrengthGrid::find_target(const BlockInput& input, const PooledScatter& pooled,
                                 Matrix& whitener) {
  if (axes_.outside) return 0;
  std::vector<std::string> names;
  for (const Index j : factor_.used)
    names.push_back(input.model.schema().feature(input.schema_block().features[j]).name);
  const CovariancePrior prior = rule_.prior(pooled);
  if (axes_.moving_target && !rule_.tied())
    pooled_share_ = input.options.target_share ? (1 - *input.options.target_share) / pooled.dof()
                                               : 1 / (pooled.dof() + prior.target_rows);
  double log_norm = 0;
  whiten_shared(prior.target, names, whitener, log_norm);
  return -2 * log_norm - static_cast<double>(n_) * log_2pi;
}

double StrengthGrid::evidence_strength(double pooled_dof) const {
  constexpr double all_of_it = 1e15;
  // As class_target: without enough rows a tied covariance is the diagonal itself.
  if (rule_.tied() && static_cast<double>(dimension()) > pooled_dof) return all_of_it;
  std::vector<SeenScatter> evidence;
  for (Index c = 0; c < std::ssize(bases_); ++c)
    if (!bases_[c].basis.values.empty())
      evidence.push_back({rule_.tied() ? pooled_dof : std::max(weights_[c] - 1, 0.0), dimension(),
                          bases_[c].basis.values, axes_.outside.value_or(0)});
  return best_rows(evidence);
}

ChangedDensity StrengthGrid::density(Index c, Index strength, Index tail,
                                     const RemovedRow& row) const {
  const CovarianceScale scale = rule_.scale(weights_.without(c, row), weights_.pooled(row),
                                            {.rows = axes_.strengths[strength], .target = {}});
  const double nu = axes_.tails[tail], log_det = basis_of(c).log_det[strength];
  if (nu > 0) return ChangedDensity::of(dimension(), log_det, scale.factor * (nu - 2) / nu, nu);
  return ChangedDensity::of(dimension(), log_det, scale.factor * scale.spread, scale.dof);
}

void StrengthGrid::add_scatter(const GaussianStatistics& statistics, Index c, Matrix& sum) const {
  const Matrix& scatter = statistics.classes[c].complete.scatter;
  for (Index i = 0; i < n_; ++i)
    for (Index j = 0; j < n_; ++j) sum(i, j) += scatter(factor_.used[i], factor_.used[j]);
}

void StrengthGrid::fill(Basis& of, double log_det_of_target) const {
  const auto strengths = std::ssize(axes_.strengths);
  of.inverse = Matrix(n_, strengths);
  of.log_det = Vector(strengths);
  for (Index g = 0; g < strengths; ++g) {
    of.log_det[g] = log_det_of_target +
                    static_cast<double>(axes_.outside.value_or(0)) * std::log(axes_.strengths[g]);
    for (Index i = 0; i < n_; ++i) {
      const double value = of.basis.values[i] + axes_.strengths[g];
      of.inverse(i, g) = 1 / value;
      of.log_det[g] += std::log(value);
    }
  }
}

void StrengthGrid::fill_between() {
  const Matrix& means = bases_[0].basis.means;
  for (Index g = 0; g < std::ssize(axes_.strengths); ++g) {
    Matrix& distance = between_.emplace_back(classes_, classes_);
    for (Index c = 0; c < classes_; ++c)
      for (Index k = 0; k < classes_; ++k)
        for (Index i = 0; i < n_; ++i) {
          const double apart = means(c, i) - means(k, i);
          distance(c, k) += apart * apart * bases_[0].inverse(i, g);
        }
  }
}

class StrengthScorer : public BlockScorer {
 public:
  StrengthScorer(const ScorerInput& input, const RemovedRows& removed, const StrengthGrid& grid)
      : removed_(removed),
        grid_(grid),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        n_(grid.n_),
        classes_(grid.classes_),
        strengths_(std::ssize(grid.axes_.strengths)),
        tails_(std::ssize(grid.axes_.tails)) {}

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto work = std::make_unique<Work>();
    work->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * reader_.features());
    for (Matrix* numbers : {&work->centered, &work->rotated, &work->products})
      *numbers = Matrix(chunk_rows, n_);
    for (auto* q : {&work->q, &work->q_own, &work->q_cross})
      if (q == &work->q || grid_.moves())
        q->assign(static_cast<std::size_t>(classes_), Matrix(chunk_rows, strengths_));
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
      if (!grid_.weights_.seen(c)) continue;
      const StrengthGrid::Basis& of = grid_.basis_of(c);
      if (!grid_.rule_.tied() || !std::exchange(rotated, true))
        blas::gemm_nt(chunk.count, n_, n_, 1, work.centered.data(), n_, of.basis.vectors.data(), n_,
                      0, work.rotated.data(), n_);
      const auto own_of = [&](Index r) { return removed_[chunk.first + r].label; };
      forms(
          chunk, c, work, work.q, [&](Index) { return c; }, [&](Index) { return c; });
      if (!grid_.moves()) continue;
      forms(chunk, c, work, work.q_own, own_of, own_of);
      forms(
          chunk, c, work, work.q_cross, [&](Index) { return c; }, own_of);
    }
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    Work& work = static_cast<Work&>(workspace);
    const Index width = grid_.width() * classes_;
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
        add_row(r, g, removed, densities.data() + g * tails_ * classes_, work,
                out + g * tails_ * classes_);
    }
  }

 private:
  struct Work : Workspace {
    Vector scratch;
    Matrix centered, rotated, products;
    std::vector<Matrix> q, q_own, q_cross;  // per class, rows × strengths: q_pp, q_δδ, q_pδ
    std::vector<bool> incomplete;
    Index first = 0;  // row of the chunk
    struct Densities {
      double weight = -1;
      std::vector<ChangedDensity> of;  // strengths × tails × K
    };
    std::vector<Densities> densities;  // per class that loses a row; at the end for none
  };

  void read(const Chunk& chunk, Work& work) const {
    const auto [values, stride] = reader_.read(chunk.first, chunk.count, work.scratch.data());
    for (Index r = 0; r < chunk.count; ++r) {
      bool missing = false;
      for (Index j = 0; j < n_; ++j) {
        const double x = values[r * stride + grid_.factor_.used[j]];
        missing = missing || std::isnan(x);
        work.centered(r, j) = x - grid_.factor_.center[j];
      }
      work.incomplete[r] = missing;
      if (missing) std::ranges::fill(work.centered.row(r), 0.0);
    }
  }

  /// (x − m_k)ᵀ A⁻¹ (x − m_l) of class c for all strengths, k and l being functions of the row.
  template <class K, class L>
  void forms(const Chunk& chunk, Index c, Work& work, std::vector<Matrix>& out, const K& k,
             const L& l) const {
    for (Index r = 0; r < chunk.count; ++r) {
      const double* from = work.rotated.row(r).data();
      double* to = work.products.row(r).data();
      const Index first = k(r), second = l(r);
      const double* one = grid_.mean(c, std::max<Index>(first, 0));
      const double* other = grid_.mean(c, std::max<Index>(second, 0));
      for (Index i = 0; i < n_; ++i) to[i] = (from[i] - one[i]) * (from[i] - other[i]);
    }
    blas::gemm(chunk.count, strengths_, n_, 1, work.products.data(), n_,
               grid_.basis_of(c).inverse.data(), strengths_, 0, out[c].data(), strengths_);
  }

  const std::vector<ChangedDensity>& densities_without(const RemovedRow& row, Work& work) const {
    Work::Densities& known = work.densities[row.label < 0 ? classes_ : row.label];
    if (known.weight == row.weight) return known.of;
    known = {row.weight, {}};
    for (Index g = 0; g < strengths_; ++g)
      for (Index t = 0; t < tails_; ++t)
        for (Index c = 0; c < classes_; ++c) {
          ChangedDensity& density = known.of.emplace_back();
          if (!grid_.weights_.seen(c)) continue;
          // The mean of a class is unknown without a complete row.
          if (grid_.weights_.without(c, row) == 0)
            density.constant = -infinity;
          else
            density = grid_.density(c, g, t, row);
        }
    return known.of;
  }

  void add_row(Index r, Index g, const RemovedRow& row, const ChangedDensity* densities,
               const Work& work, double* out) const {
    constexpr double least_h = 1e-12;  // what is left of the determinant is rounding
    const Index y = row.label;
    const auto [loss, gain] =
        y < 0 ? MomentsChange() : MomentsChange::of(grid_.weights_[y], row.weight);
    const double in_target = grid_.pooled_share_ * grid_.axes_.strengths[g];
    for (Index c = 0; c < classes_; ++c) {
      if (!grid_.weights_.seen(c)) continue;
      double q = work.q[c](r, g), log_h = 0;
      if (loss > 0 && c == y) {
        const double h = std::max(1 - loss * (1 + in_target) * q, least_h);
        q *= gain * gain / h;
        log_h = std::log(h);
      } else if (loss > 0 && (grid_.rule_.tied() || in_target > 0)) {
        const bool tied = grid_.rule_.tied();
        const double g_loss = tied ? loss : loss * in_target;
        const double own = tied ? work.q[y](r, g) : work.q_own[c](r, g);
        const double cross =
            tied ? 0.5 * (q + own - grid_.between_[g](c, y)) : work.q_cross[c](r, g);
        const double h = std::max(1 - g_loss * own, least_h);
        q += g_loss * cross * cross / h;
        log_h = std::log(h);
      }
      for (Index t = 0; t < tails_; ++t)
        out[t * classes_ + c] += densities[t * classes_ + c](q, log_h);
    }
  }

  const RemovedRows& removed_;
  const StrengthGrid& grid_;
  NumberReader reader_;
  Index n_, classes_, strengths_, tails_;
};

std::vector<Matrix> StrengthGrid::scores(const Model& model, const RowBlock& rows,
                                         const RemovedRows& removed,
                                         const Execution& execution) const {
  const Matrix all =
      added_scores(model, rows, width() * classes_, execution, [&](const InputOfBlock& input) {
        Scorers scorers;
        scorers.push_back(std::make_unique<StrengthScorer>(input(block_), removed, *this));
        return scorers;
      });
  std::vector<Matrix> result;
  for (Index k = 0; k < width(); ++k) {
    Matrix& one = result.emplace_back(rows.rows(), classes_);
    for (Index i = 0; i < one.rows(); ++i)
      std::copy_n(all.row(i).data() + k * classes_, classes_, one.row(i).data());
  }
  return result;
}

}  // namespace suffice
