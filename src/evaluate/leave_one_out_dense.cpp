// Full and tied covariances without one row.
//
// Every covariance is a number times a matrix M_c, which loses κ a δδᵀ with a row of class y: κ = 1
// where y is c or the covariance is tied, otherwise the share towards the tied one. With
// r = δᵀ M_c⁻¹ δ, p = (x − m_c)ᵀ M_c⁻¹ δ and h = 1 − κ a r, the quadratic form of another class is
// q_c + κ a p² / h, that of the row's own (W / W₋)² r / h, and log det M_c gains log h.
// A spherical target moves with the row as well: all is then worked out in the eigenbasis of the
// part that does not move. A diagonal target that moves needs a factorisation for each row.

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/blas.hpp"
#include "core/kernels.hpp"
#include "evaluate/leave_one_out_dense.hpp"
#include "models/shrinkage.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// Below this h a row is taken out of the matrix, which is factorised anew.
constexpr double least_h = 1e-6;
/// So it is where the terms of h, of which some 16 digits are right, are larger than h by this.
constexpr double most_cancelled = 1e4;
/// What is left of a variance is rounding.
constexpr double rounding = 1e-12;

class DenseRest : public GaussianRest {
 public:
  DenseRest(std::shared_ptr<const DenseSums> sums, std::vector<Index> used,
            const GaussianFactor* factor)
      : sums_(std::move(sums)),
        options_(sums_->options),
        used_(std::move(used)),
        factor_(factor),
        n_(std::ssize(used_)),
        classes_(sums_->classes()),
        tied_(sums_->tied()),
        towards_(sums_->towards()),
        share_(sums_->share()),
        spherical_(share_ > 0 && options_.target == Target::spherical),
        factorise_(sums_->weak_prior() || (share_ > 0 && options_.target == Target::diag)),
        simple_(!factorise_ && !spherical_ && options_.inference != Inference::bayes &&
                (tied_ || towards_ == 0)),
        mean_(classes_, n_) {
    for (Index c = 0; c < classes_; ++c)
      for (Index j = 0; j < n_; ++j) mean_(c, j) = sums_->density.mean(c, used_[j]);
    for (Index c = 0; c < classes_; ++c) scale_of_all_.push_back(sums_->spread(c, {}, n_).scale);
    if (!factor_ || n_ == 0) return;
    ones_ = Matrix(tied_ ? classes_ : 0, tied_ ? n_ : 0);
    std::fill_n(ones_.data(), ones_.size(), 1.0);
    zeros_ = Vector(classes_);
    fill_determinants();
    fill_distances();
    if (spherical_) fill_eigenbases();
  }

  std::unique_ptr<Workspace> workspace() const override {
    auto own = std::make_unique<Own>();
    own->x = Vector(kernels::padded(n_) * rows_at_once);
    own->y = Vector(tied_ ? n_ * rows_at_once : 0);
    own->lanes = Vector(classes_ * rows_at_once);
    own->q = Matrix(rows_at_once, classes_);
    own->log_det = Matrix(rows_at_once, classes_);
    own->simple.resize(static_cast<std::size_t>(classes_));
    own->remaining.resize(static_cast<std::size_t>(classes_ + 1));
    if (spherical_) {
      own->centered = Matrix(rows_at_once, n_);
      own->rotated = Matrix(rows_at_once, n_);
      own->inverse = Vector(n_);
    }
    return own;
  }

  bool counts_incomplete_rows() const override { return false; }

  std::unique_ptr<GaussianRest> only(std::span<const Index> kept) const override {
    std::vector<Index> used;
    for (const Index k : kept) used.push_back(used_[k]);
    return std::make_unique<DenseRest>(sums_, std::move(used), nullptr);
  }

  void score(const double* values, Index stride, Index count, const TakenRow* rows,
             Workspace& workspace, double* scores) const override {
    Own& own = static_cast<Own&>(workspace);
    if (simple_) return score_simply(values, stride, count, rows, own, scores);
    const bool none_stays = sums_->weak_prior() || (spherical_ && towards_ > 0);
    if (!none_stays) whiten_tile(values, stride, count, own);
    if (spherical_) {
      std::fill_n(own.least, count, 1.0);
      for (Index m = 0; m < std::ssize(basis_); ++m)
        in_eigenbasis(m, values, stride, count, rows, own);
    }
    for (Index r = 0; r < count; ++r) {
      if (rows[r].skip) continue;
      const double* x = values + r * stride;
      double* out = scores + r * classes_;
      if (!factorise_ && !spherical_) own.least[r] = by_rank_one(x, rows[r], r, own);
      if (factorise_ || !(own.least[r] > least_h)) {
        score_changed(x, rows[r], none_stays ? nullptr : own.q.row(r).data(), out);
        continue;
      }
      const std::vector<Known>& known = without(rows[r], own);
      for (Index c = 0; c < classes_; ++c)
        out[c] = known[c].constant - 0.5 * own.log_det(r, c) +
                 (known[c].half_inverse > 0 ? -known[c].half_inverse * own.q(r, c)
                                            : known[c].spread.of_distance(own.q(r, c), n_));
    }
  }

  void score_one(const double* x, const TakenRow& row, double* scores) const override {
    score_changed(x, row, nullptr, scores);
  }

 private:
  struct Known {
    Spread spread;
    double constant = 0, half_inverse = 0;  // of normal densities: 1 / (2 scale)
  };
  /// What a row of one class and weight changes where the densities are simple: q is by the
  /// covariance of all rows, and lost is a times that over M.
  struct Simple {
    double weight = -1;
    bool gone = false;  // its class goes with it
    double lost = 0, gain = 1;
    double constant = 0, half = 0.5;  // log p = constant − ½ log h − half · q
  };
  struct Own : Workspace {
    Vector x, y, lanes, inverse;
    Matrix q, log_det;  // rows × K: of M_c, when the row is out
    Matrix centered, rotated;
    double least[rows_at_once];     // the smallest h of a row
    double h = 1, rotated_det = 0;  // of the row in hand, in an eigenbasis
    struct Remaining {
      double weight = -1;
      std::vector<Known> classes;
    };
    std::vector<Simple> simple;        // per class that loses a row
    std::vector<Remaining> remaining;  // per class that loses a row; at the end for none
  };

  /// Whether M_c is another one when the row is out.
  bool changes(Index c, const TakenRow& row) const {
    return row.label >= 0 && (sums_->weak_prior() || sums_->kappa(c, row.label) > 0);
  }
  const std::vector<Known>& without(const TakenRow& row, Own& own) const {
    Own::Remaining& known = own.remaining[row.label < 0 ? classes_ : row.label];
    if (known.weight != row.weight) {
      known = {row.weight, {}};
      for (Index c = 0; c < classes_; ++c) {
        const Spread of = sums_->spread(c, row, n_);
        known.classes.push_back({of, of.constant(n_), of.dof > 0 ? 0 : 0.5 / of.scale});
      }
    }
    return known.classes;
  }

  // ---- M_c as it is for all rows --------------------------------------------------------------

  const Matrix& whitener(Index c) const { return factor_->whitener[tied_ ? 0 : c]; }
  /// Σ / M for the covariance that the model holds; classes that share it have scales of their own.
  double model_scale(Index c) const {
    double scale = scale_of_all_[c];
    if (tied_ && options_.inference == Inference::bayes) scale /= 1 + 1 / sums_->weight[c];
    return scale;
  }

  void fill_determinants() {
    log_det_ = Vector(classes_);
    for (Index c = 0; c < classes_; ++c) {
      if (!sums_->seen_class(c)) continue;
      for (Index i = 0; i < n_; ++i) log_det_[c] -= 2 * std::log(whitener(c)(i, i));
      log_det_[c] -= static_cast<double>(n_) * std::log(model_scale(c));
    }
  }

  /// distance_(c, k) = (m_k − m_c)ᵀ M_c⁻¹ (m_k − m_c), and direction_[c] has M_c⁻¹ (m_k − m_c).
  void fill_distances() {
    if (!(towards_ > 0) || spherical_ || factorise_) return;
    distance_ = Matrix(classes_, classes_);
    Vector apart(n_), whitened(n_);
    for (Index c = 0; c < classes_; ++c) {
      Matrix direction(tied_ ? 0 : classes_, n_);
      for (Index k = 0; k < classes_; ++k) {
        if (!sums_->seen_class(c) || !sums_->seen_class(k)) continue;
        const Matrix& w = whitener(c);
        const double scale = model_scale(c);
        for (Index j = 0; j < n_; ++j) apart[j] = factor_->mean(k, j) - factor_->mean(c, j);
        for (Index i = 0; i < n_; ++i) {
          const auto row = w.row(i);
          whitened[i] = std::inner_product(row.begin(), row.begin() + i + 1, apart.begin(), 0.0);
          distance_(c, k) += whitened[i] * whitened[i] * scale;
          for (Index j = 0; j <= i && !tied_; ++j) direction(k, j) += row[j] * whitened[i] * scale;
        }
      }
      direction_.push_back(std::move(direction));
    }
    if (!tied_) return;
    covariance_distance_ = distance_;
    for (Index c = 0; c < classes_; ++c)
      if (sums_->seen_class(c))
        for (double& between : covariance_distance_.row(c)) between /= model_scale(c);
  }

  /// base − ½ q of all classes by their covariances, all rows being in; K × rows_at_once.
  void fill_lanes(const double* values, Index stride, Index count, const Vector& base,
                  Own& own) const {
    kernels::transpose(values, stride, count, n_, factor_->center.data(), own.x.data(),
                       rows_at_once);
    double* lanes = own.lanes.data();
    if (tied_) {
      kernels::multiply_lower(own.x.data(), n_, factor_->whitener[0].data(), own.y.data());
      kernels::score_diagonal(own.y.data(), n_, classes_, ones_.data(),
                              factor_->whitened_mean.data(), base.data(), lanes);
    } else {
      for (Index c = 0; c < classes_; ++c)
        if (sums_->seen_class(c))
          kernels::score_lower(own.x.data(), n_, factor_->whitener[c].data(),
                               factor_->whitened_mean.row(c).data(), base[c],
                               lanes + c * rows_at_once);
    }
  }
  /// q of all classes by M_c.
  void whiten_tile(const double* values, Index stride, Index count, Own& own) const {
    fill_lanes(values, stride, count, zeros_, own);
    const double* lanes = own.lanes.data();
    for (Index c = 0; c < classes_; ++c) {
      if (!sums_->seen_class(c)) continue;
      const double scale = -2 * model_scale(c);
      for (Index r = 0; r < count; ++r) {
        own.q(r, c) = lanes[c * rows_at_once + r] * scale;
        own.log_det(r, c) = log_det_[c];
      }
    }
  }

  // ---- closed forms ---------------------------------------------------------------------------

  Simple simple_for(const TakenRow& row) const {
    const Index y = row.label;
    const auto [a, g] = sums_->removal(row);
    Simple result{row.weight, sums_->vanishes(row), a * model_scale(y), g * g};
    Index c = y;
    if (result.gone && tied_)  // any other class: they share the covariance
      for (c = 0; c < classes_ && !sums_->remains(c, row);) ++c;
    if (c == classes_ || (result.gone && !tied_)) return result;
    const Spread of = sums_->spread(c, row, n_);
    result.constant = of.constant(n_) - 0.5 * log_det_[y];
    result.half = 0.5 * model_scale(y) / of.scale;
    return result;
  }

  void score_simply(const double* values, Index stride, Index count, const TakenRow* rows, Own& own,
                    double* scores) const {
    fill_lanes(values, stride, count, factor_->log_norm, own);
    kernels::transpose(own.lanes.data(), rows_at_once, classes_, count, nullptr, scores, classes_);
    for (Index r = 0; r < count; ++r) {
      const Index y = rows[r].label;
      if (rows[r].skip || y < 0) continue;
      Simple& simple = own.simple[y];
      if (simple.weight != rows[r].weight) simple = simple_for(rows[r]);
      double* out = scores + r * classes_;
      const double norm = factor_->log_norm[y], q_own = 2 * (norm - out[y]);
      const double h = 1 - simple.lost * q_own;
      if (!(h > least_h)) {
        score_one(values + r * stride, rows[r], out);
        continue;
      }
      const double at_mean = simple.constant - 0.5 * std::log(h);
      if (tied_) {
        const double slope = simple.half * simple.lost / h;
        const double* distance = covariance_distance_.row(y).data();
        for (Index c = 0; c < classes_; ++c) {
          const double q = 2 * (norm - out[c]);
          const double p = 0.5 * (q + q_own - distance[c]);
          out[c] = at_mean - simple.half * q - slope * p * p;
        }
      }
      if (!simple.gone) out[y] = at_mean - simple.half * simple.gain * q_own / h;
    }
  }

  /// Takes the row out of q and log det; returns the smallest h.
  double by_rank_one(const double* x, const TakenRow& row, Index r, Own& own) const {
    const Index y = row.label;
    if (y < 0) return 1;
    const auto [a, g] = sums_->removal(row);
    if (a == 0) return 1;
    const auto q = own.q.row(r), log_det = own.log_det.row(r);
    const double q_own = q[y], h = 1 - a * q_own, log_h = std::log(h);
    double least = h;
    for (Index c = 0; c < classes_ && towards_ > 0; ++c) {
      if (c == y) continue;
      if (tied_) {
        const double p = 0.5 * (q[c] + q_own - distance_(c, y));
        q[c] += a * p * p / h;
        log_det[c] += log_h;
        continue;
      }
      if (!sums_->seen_class(c)) continue;
      const auto direction = direction_[c].row(y), mean = mean_.row(c);
      double along = 0;
      for (Index j = 0; j < n_; ++j) along += (x[j] - mean[j]) * direction[j];
      const double p = q[c] - along;
      const double h_c = 1 - towards_ * a * (p - along + distance_(c, y));
      // A heavy row: its r is small beside the terms that it is made of.
      const bool cancels = towards_ * a * (q[c] + distance_(c, y)) > most_cancelled * h_c;
      least = cancels ? 0 : std::min(least, h_c);
      q[c] += towards_ * a * p * p / h_c;
      log_det[c] += std::log(h_c);
    }
    q[y] = g * g * q_own / h;
    log_det[y] += log_h;
    return least;
  }

  /// base_c = V_cᵀ diag(λ) V_c, and V_c (m_k − center).
  struct Eigenbasis {
    Matrix vectors, columns;  // V and Vᵀ
    Vector values;
    Matrix means;  // K × n
    double trace = 0;
  };
  void fill_eigenbases() {
    basis_.resize(sums_->base.size());
    for (std::size_t m = 0; m < basis_.size(); ++m) {
      Eigenbasis& basis = basis_[m];
      basis.vectors = Matrix(n_, n_);
      basis.values = Vector(n_);
      for (Index i = 0; i < n_; ++i) {
        for (Index j = 0; j < n_; ++j) basis.vectors(i, j) = sums_->base[m](used_[i], used_[j]);
        basis.trace += basis.vectors(i, i);
      }
      blas::eigh(n_, basis.vectors.data(), n_, basis.values.data());
      for (double& value : basis.values) value = std::max(value, 0.0);
      basis.columns = Matrix(n_, n_);
      basis.columns.map() = basis.vectors.map().transpose();
      basis.means = Matrix(classes_, n_);
      blas::gemm_nt(classes_, n_, n_, 1, factor_->mean.data(), n_, basis.vectors.data(), n_, 0,
                    basis.means.data(), n_);
    }
  }

  /// Takes rows out of the classes that have this basis: those that lose something with them.
  void in_eigenbasis(Index m, const double* values, Index stride, Index count, const TakenRow* rows,
                     Own& own) const {
    Index chosen = 0;
    Index at[rows_at_once];
    for (Index r = 0; r < count; ++r) {
      if (rows[r].skip || !(towards_ > 0 || rows[r].label == m)) continue;
      for (Index j = 0; j < n_; ++j)
        own.centered(chosen, j) = values[r * stride + j] - factor_->center[j];
      at[chosen++] = r;
    }
    if (chosen == 0) return;
    const Eigenbasis& basis = basis_[m];
    rotate(basis, chosen, own);
    for (Index k = 0; k < chosen; ++k) {
      const Index r = at[k];
      if (tied_) {
        for (Index c = 0; c < classes_; ++c)
          rotate_one(basis, c, c == 0, own.rotated.row(k).data(), rows[r], r, own);
      } else {
        rotate_one(basis, m, true, own.rotated.row(k).data(), rows[r], r, own);
      }
    }
  }

  void rotate(const Eigenbasis& basis, Index rows, Own& own) const {
    constexpr Index worth_a_call = 24;
    if (n_ >= worth_a_call) {
      blas::gemm_nt(rows, n_, n_, 1, own.centered.data(), n_, basis.vectors.data(), n_, 0,
                    own.rotated.data(), n_);
      return;
    }
    for (Index k = 0; k < rows; ++k) {
      double* to = own.rotated.row(k).data();
      std::fill_n(to, n_, 0.0);
      for (Index j = 0; j < n_; ++j) {
        const double* column = basis.columns.row(j).data();
        for (Index i = 0; i < n_; ++i) to[i] += own.centered(k, j) * column[i];
      }
    }
  }

  /// q and log det of one class, from V (x − center). `first` of those that share the basis.
  void rotate_one(const Eigenbasis& basis, Index c, bool first, const double* z,
                  const TakenRow& row, Index r, Own& own) const {
    const Index y = row.label;
    const auto [a, g] = sums_->removal(row);
    const double lost = y < 0 ? 0 : sums_->kappa(c, y) * a;
    const double* delta_mean = basis.means.row(std::max<Index>(y, 0)).data();
    double* inverse = own.inverse.data();
    if (first) {
      double length = 0;
      for (Index i = 0; i < n_; ++i) length += (z[i] - delta_mean[i]) * (z[i] - delta_mean[i]);
      const double trace = basis.trace - lost * length;
      if (!(trace > least_h * basis.trace)) own.least[r] = 0;
      const double target = share_ * trace / static_cast<double>(n_);
      LogProduct det;
      double s = 0;
      for (Index i = 0; i < n_; ++i) {
        const double value = (1 - share_) * basis.values[i] + target;
        if (!(value > 0)) own.least[r] = 0;
        inverse[i] = 1 / value;
        det.multiply(value);
        s += (z[i] - delta_mean[i]) * (z[i] - delta_mean[i]) * inverse[i];
      }
      own.h = 1 - lost * (1 - share_) * s;
      own.least[r] = std::min(own.least[r], own.h);
      own.rotated_det = det.value() + std::log(own.h);
    }
    const double* mean = basis.means.row(c).data();
    double q = 0, p = 0;
    for (Index i = 0; i < n_; ++i) {
      const double t = (z[i] - mean[i]) * inverse[i];
      q += t * (z[i] - mean[i]);
      p += t * (z[i] - delta_mean[i]);
    }
    own.q(r, c) = c == y && a > 0 ? g * g * q / own.h : q + lost * (1 - share_) * p * p / own.h;
    own.log_det(r, c) = own.rotated_det;
  }

  // ---- by factorisation -----------------------------------------------------------------------

  /// M_c without the row.
  Matrix matrix_without(Index c, const Vector& delta, double a, const TakenRow& row) const {
    Matrix result(n_, n_);
    const std::size_t m = tied_ ? 0 : static_cast<std::size_t>(c);
    const bool has_base = !sums_->base.empty();
    const Matrix& from = has_base ? sums_->base[m] : sums_->density.covariance[m];
    const double scale = has_base ? 1 : 1 / model_scale(c);
    const double lost = row.label < 0 ? 0 : sums_->kappa(c, row.label) * a;
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j)
        result(i, j) = from(used_[i], used_[j]) * scale - lost * (delta[i] * delta[j]);
    for (Index i = 0; i < n_; ++i)
      if (result(i, i) <= rounding * from(used_[i], used_[i]) * scale)
        for (Index j = 0; j < n_; ++j) result(i, j) = result(j, i) = 0;
    shrink(result, share_, *options_.target);
    if (!sums_->weak_prior()) return result;
    const double dof = sums_->pooled_dof(row);
    if (!(dof > 0)) sums_->throw_singular(-1, row, 0, n_, {});
    for (Index i = 0; i < n_; ++i)
      result(i, i) += (sums_->pooled[used_[i]] - a * delta[i] * delta[i]) / dof;
    return result;
  }

  /// `unchanged` has q by M_c of the classes that do not change; null: not known.
  void score_changed(const double* x, const TakenRow& row, const double* unchanged,
                     double* scores) const {
    std::vector<Index> present;
    for (Index j = 0; j < n_; ++j)
      if (!std::isnan(x[j])) present.push_back(j);
    const bool complete = std::ssize(present) == n_;
    const TakenRow leaves = complete ? row : TakenRow{-1, 0, row.row};  // it never was in the sums
    const Index y = leaves.label;
    const auto [a, g] = sums_->removal(leaves);
    Vector delta(n_);
    for (Index j = 0; j < n_ && y >= 0; ++j) delta[j] = x[j] - mean_(y, j);
    Matrix w;
    double log_norm = 0;
    bool known = false;
    for (Index c = 0; c < classes_; ++c) {
      scores[c] = 0;
      if (!sums_->remains(c, row) || present.empty()) continue;
      const Spread of = sums_->spread(c, leaves, n_);
      const Index n = std::ssize(present);
      if (complete && unchanged && !changes(c, leaves)) {
        scores[c] = of.constant(n) - 0.5 * log_det_[c] + of.of_distance(unchanged[c], n);
        continue;
      }
      if (!known) {
        const Matrix matrix = matrix_without(c, delta, a, leaves);
        const Index rank = whiten(matrix, present, w, log_norm);
        if (rank < n)
          sums_->throw_singular(c, leaves, rank, n, {sums_->names[used_[present[rank]]]});
        known = tied_;
      }
      double q = 0;
      for (Index i = 0; i < std::ssize(present); ++i) {
        double t = 0;
        for (Index k = 0; k <= i; ++k)
          t += w(i, k) * (c == y ? g * delta[present[k]] : x[present[k]] - mean_(c, present[k]));
        q += t * t;
      }
      const double half_log_det = -log_norm - 0.5 * static_cast<double>(n) * log_2pi;
      scores[c] = of.constant(n) - half_log_det + of.of_distance(q, n);
    }
  }

  std::shared_ptr<const DenseSums> sums_;
  const EstimateOptions& options_;
  std::vector<Index> used_;       // positions in the block
  const GaussianFactor* factor_;  // of the model; null: for single rows only
  Index n_, classes_;
  bool tied_;
  double towards_, share_;
  bool spherical_, factorise_;
  bool simple_;  // normal densities, of which one matrix changes, and by rank one
  Matrix mean_;  // K × n
  std::vector<double> scale_of_all_;  // per class: its covariance is this times M_c
  Vector log_det_;                    // K: of M_c
  Matrix ones_;
  Vector zeros_;
  Matrix distance_;
  Matrix covariance_distance_;  // tied: by the covariance, not M
  std::vector<Matrix> direction_;
  std::vector<Eigenbasis> basis_;
};

}  // namespace

std::unique_ptr<GaussianRest> make_dense_rest(const RestInput& input) {
  const auto& factor = std::get<GaussianFactor>(input.model.factors().blocks[input.block]);
  return std::make_unique<DenseRest>(std::make_shared<DenseSums>(DenseSums::of(input)), factor.used,
                                     &factor);
}

}  // namespace suffice
