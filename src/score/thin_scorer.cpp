// Gaussian blocks with thin covariances: one product of the rows with the directions of all
// classes, then the distances to their means (factor/gaussian_factor.hpp has the formula).

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "data/number_reader.hpp"
#include "score/derivatives.hpp"
#include "score/row_projector.hpp"
#include "score/scorer.hpp"

namespace suffice {
namespace {

class ThinScorer : public BlockScorer {
 public:
  explicit ThinScorer(const ScorerInput& input)
      : input_(input),
        density_(std::get<GaussianDensity>(input.model.densities()[input.block])),
        factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
        thin_(factor_.thin),
        reader_(input.model.schema(), input.schema_block(), input.rows, &input.workers),
        d_(std::ssize(factor_.used)),
        classes_(input.model.labels().size()),
        linear_(input.relative && !factor_.linear.empty()) {
    if (!input.relative)
      derivatives_ = Derivatives(input.model.schema(), input.schema_block(), factor_.used, true);
  }

  std::unique_ptr<Workspace> workspace(Index chunk_rows) const override {
    auto own = std::make_unique<Own>();
    own->scratch = Vector(reader_.in_place() ? 0 : chunk_rows * reader_.features());
    own->used = Vector(chunk_rows * d_);
    own->centered = Vector(chunk_rows * d_);
    own->along = Vector(linear_ ? 0 : chunk_rows * thin_.directions.rows());
    own->scores = Vector(chunk_rows * classes_);
    return own;
  }

  void prepare(const Chunk& chunk, Workspace& workspace) const override {
    Own& own = static_cast<Own&>(workspace);
    const NumberReader::Panel panel = reader_.read(chunk.first, chunk.count, own.scratch.data());
    own.first = chunk.first;
    std::vector<Index> incomplete;
    for (Index i = 0; i < chunk.count; ++i) {
      const double* x = panel.values + i * panel.stride;
      if (take(x, chunk.first + i, own.used.data() + i * d_, own.centered.data() + i * d_))
        incomplete.push_back(i);
    }
    score_complete(chunk.count, own);
    for (const Index i : incomplete)
      score_marginals(own.used.data() + i * d_, own.scores.data() + i * classes_);
    for (Index i = 0; i < chunk.count && !derivatives_.empty(); ++i) {
      const double derivatives = derivatives_(own.used.data() + i * d_);
      for (Index c = 0; c < classes_; ++c) own.scores[i * classes_ + c] += derivatives;
    }
    for (const IndicatorReader& column : reader_.indicators())
      if (const Index cells = column.unknown(chunk.first, chunk.count); cells > 0)
        input_.unscored->add_unknown(input_.schema_block().features[column.position()], cells);
  }

  void score(const Tile& tile, Workspace& workspace) const override {
    const Own& own = static_cast<Own&>(workspace);
    const double* from = own.scores.data() + (tile.first - own.first) * classes_;
    if (tile.add)
      settle(tile, classes_, from);
    else
      std::copy_n(from, tile.count * classes_, tile.out);
  }

 private:
  struct Own : Workspace {
    Vector scratch, used, centered, along, scores;
    Index first = 0;
  };

  bool is_empty(Index c) const { return input_.model.weights()[c] == 0; }
  bool tied() const { return thin_.rows.size() == 1; }
  double inverse(Index c, Index j) const {
    return thin_.inverse(thin_.inverse.rows() == 1 ? 0 : c, j);
  }
  double spread_of(Index c) const { return factor_.spread.empty() ? 1 : factor_.spread[c]; }

  /// The used values of a row, and what they are minus the center, 0 where one is missing. Returns
  /// whether one is.
  bool take(const double* x, Index row, double* used, double* centered) const {
    bool missing = false;
    for (Index j = 0; j < d_; ++j) {
      used[j] = x[factor_.used[j]];
      centered[j] = used[j] - factor_.center[j];
      if (std::isfinite(centered[j])) continue;
      if (std::isinf(used[j]))
        throw_not_gaussian(input_.model.schema(), input_.rows,
                           input_.schema_block().features[factor_.used[j]], row);
      if (!std::isnan(used[j])) {  // too far from the center for a double
        centered[j] = std::copysign(std::numeric_limits<double>::max(), used[j]);
        continue;
      }
      input_.require_present(factor_.used[j], row);
      missing = true;
      centered[j] = 0;
    }
    for (Index k = 0; input_.missing == Missing::refuse && k < reader_.features(); ++k)
      if (std::isnan(x[k])) input_.require_present(k, row);
    return missing;
  }

  void score_complete(Index count, Own& own) const {
    if (linear_) {
      for (Index i = 0; i < count; ++i)
        std::ranges::copy(factor_.linear_constant, own.scores.data() + i * classes_);
      blas::gemm_nt(count, classes_, d_, 1, own.centered.data(), d_, factor_.linear.data(), d_, 1,
                    own.scores.data(), classes_);
      for (Index i = 0; i < count; ++i) {
        double* const row = own.scores.data() + i * classes_;
        if (std::all_of(row, row + classes_, [](double s) { return std::isfinite(s); })) continue;
        score_far(input_.model.weights(), row,
                  [&](Index c) { return wide(c, own.centered.data() + i * d_); });
      }
      return;
    }
    const Index width = thin_.directions.rows();
    blas::gemm_nt(count, width, d_, 1, own.centered.data(), d_, thin_.directions.data(), d_, 0,
                  own.along.data(), width);
    for (Index i = 0; i < count; ++i) {
      const double* x = own.centered.data() + i * d_;
      const double* along = own.along.data() + i * width;
      for (Index c = 0; c < classes_; ++c) {
        double& score = own.scores[i * classes_ + c] = 0;
        if (is_empty(c)) continue;
        const Index r = tied() ? thin_.rows[0] : thin_.rows[at(c)];
        score = factor_.log_norm[c] + log_kernel(c, square(x, along, c, r), d_);
        if (!tied()) along += r;
      }
    }
  }

  /// The linear score of a class, in a range that no product of doubles leaves.
  long double wide(Index c, const double* centered) const {
    long double sum = factor_.linear_constant[c];
    for (Index j = 0; j < d_; ++j)
      sum += static_cast<long double>(factor_.linear(c, j)) * centered[j];
    return sum;
  }

  /// Σ (x − m)²/a − |B (x − m)|²
  double square(const double* x, const double* along, Index c, Index r) const {
    const double* mean = factor_.mean.row(c).data();
    const double* scale = thin_.inverse.row(thin_.inverse.rows() == 1 ? 0 : c).data();
    double sum = 0;
    for (Index j = 0; j < d_; ++j) sum += (x[j] - mean[j]) * (x[j] - mean[j]) * scale[j];
    for (Index k = 0; k < r; ++k) {
      const double t = along[k] - thin_.means(c, k);
      sum -= t * t;
    }
    return std::max(sum, 0.0);
  }

  /// What the quadratic form q of n features adds to log_norm, which has the constant of t.
  double log_kernel(Index c, double q, Index n) const {
    if (factor_.dof.empty()) return -0.5 * q;
    const double dof = factor_.dof(c, 0);
    return -0.5 * (dof + static_cast<double>(n)) * std::log1p(q / (dof * spread_of(c)));
  }

  /// The density of the features that a row has. Without the columns of the missing ones,
  /// I + F a⁻¹ Fᵀ loses their products.
  void score_marginals(const double* x, double* scores) const {
    std::vector<Index> missing, present;
    for (Index j = 0; j < d_; ++j) (std::isnan(x[j]) ? missing : present).push_back(j);
    const auto kept = static_cast<double>(present.size());
    Index first = 0;
    Matrix lower;
    for (Index c = 0; c < classes_; ++c) {
      scores[c] = 0;
      const Index of = tied() ? 0 : c, r = thin_.rows[at(of)];
      if (!is_empty(c) && !present.empty()) {
        if (lower.rows() == 0 || !tied()) lower = marginal_factor(of, first, missing, present);
        scores[c] = log_marginal(c, of, first, x, present, lower);
        if (!factor_.dof.empty())
          scores[c] += log_gamma_excess(factor_.dof(c, 0) / 2, kept / 2) -
                       0.5 * kept * std::log(spread_of(c));
      }
      if (!tied()) first += r;
    }
  }

  double at_factor(Index row, Index j) const { return density_.thin.factor(row, factor_.used[j]); }

  /// L with L Lᵀ = I + F a⁻¹ Fᵀ over the present features.
  Matrix marginal_factor(Index of, Index first, const std::vector<Index>& missing,
                         const std::vector<Index>& present) const {
    const Index r = thin_.rows[at(of)];
    const bool subtract = 2 * missing.size() < present.size();
    const std::vector<Index>& columns = subtract ? missing : present;
    const Index n = std::ssize(columns);
    Matrix part(r, n), result = thin_.gram[at(of)];
    for (Index i = 0; i < r; ++i)
      for (Index k = 0; k < n; ++k)
        part(i, k) = at_factor(first + i, columns[at(k)]) * std::sqrt(inverse(of, columns[at(k)]));
    if (!subtract) {
      result = Matrix(r, r);
      for (Index i = 0; i < r; ++i) result(i, i) = 1;
    }
    blas::gemm_nt(r, r, n, subtract ? -1 : 1, part.data(), n, part.data(), n, 1, result.data(), r);
    blas::cholesky(r, result.data(), r);
    return result;
  }

  /// Without the constant of a Student's t.
  double log_marginal(Index c, Index of, Index first, const double* x,
                      const std::vector<Index>& present, const Matrix& lower) const {
    const Index r = lower.rows();
    double sum = 0, log_norm = -0.5 * static_cast<double>(present.size()) * log_2pi;
    Vector along(r);
    for (const Index j : present) {
      const double apart = (x[j] - factor_.center[j]) - factor_.mean(c, j);
      const double scaled = apart * inverse(of, j);
      sum += apart * scaled;
      log_norm += 0.5 * std::log(inverse(of, j));
      for (Index i = 0; i < r; ++i) along[i] += at_factor(first + i, j) * scaled;
    }
    for (Index i = 0; i < r; ++i) {  // L⁻¹ F a⁻¹ (x − m)
      for (Index k = 0; k < i; ++k) along[i] -= lower(i, k) * along[k];
      along[i] /= lower(i, i);
      sum -= along[i] * along[i];
      log_norm -= std::log(lower(i, i));
    }
    return log_norm + log_kernel(c, std::max(sum, 0.0), std::ssize(present));
  }

  ScorerInput input_;
  const GaussianDensity& density_;
  const GaussianFactor& factor_;
  const ThinFactor& thin_;
  NumberReader reader_;
  Index d_, classes_;
  bool linear_;
  Derivatives derivatives_;  // of scores that are not relative
};

}  // namespace

std::unique_ptr<BlockScorer> make_thin_scorer(const ScorerInput& input) {
  return std::make_unique<ThinScorer>(input);
}

}  // namespace suffice
