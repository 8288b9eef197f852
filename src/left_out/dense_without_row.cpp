// Without a row of class y and weight u, with δ = x − m_y, the scatter S_y loses a δδᵀ,
// a = W u / (W − u), so the matrix M_c behind the covariance of class c loses κ a δδᵀ: κ = 1 for
// c = y and for tied covariances, otherwise the share of the tied scatter in M_c. With
// r = δᵀ M_c⁻¹ δ, p = (x − m_c)ᵀ M_c⁻¹ δ and h = 1 − κ a r, the quadratic form of another class
// becomes q_c + κ a p² / h, that of the row's own class (W / W₋)² r / h, and log det M_c gains
// log h. A spherical target moves with the row as well; it has a closed form in the eigenbasis of
// the scatter. Everything else is estimated again from the sums without the row.

#include "left_out/dense_without_row.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/log_product.hpp"
#include "core/minus_or_zero.hpp"
#include "factor/whitener.hpp"
#include "left_out/changed_density.hpp"
#include "left_out/scatter_basis.hpp"
#include "stats/pooled.hpp"
#include "suffice/core/error.hpp"

namespace suffice {

CompleteWeights::CompleteWeights(const GaussianStatistics& statistics, const Model& model)
    : model_(model), weight_(model.labels().size()) {
  for (Index c = 0; c < weight_.size(); ++c) {
    if (!seen(c)) continue;
    weight_[c] = statistics.classes[static_cast<std::size_t>(c)].complete.weight;
    all_ += weight_[c];
    ++classes_;
  }
}

PooledScatter CompleteWeights::pooled(const RemovedRow& row) const {
  const bool whole_class = is_whole_class(row, model_.weights());
  return {.weight = row.label < 0 ? all_ : all_ - row.weight,
          .classes = whole_class ? classes_ - 1 : classes_,
          .scatter = {}};
}

namespace {

using kernels::rows_at_once;

/// Below this h, or where rounding of its terms is this much larger than usual, a row is scored
/// from the sums without it.
constexpr double least_h = 1e-6;
constexpr double most_cancelled = 1e4;
/// What is left of a variance is rounding.
constexpr double scatter_rounding = 1e-12;

/// How the scores without a row are found.
enum class Form {
  rank_one,   ///< the matrices change by rank one
  spherical,  ///< and a spherical target with them
  from_sums,  ///< a diagonal target changes, so there is a new factorisation for each row
};

class DenseWithoutRow : public GaussianWithoutRow {
 public:
  explicit DenseWithoutRow(const BlockInput& input)
      : labels_(input.model.labels()),
        options_(input.options),
        density_(std::get<GaussianDensity>(input.model.densities()[input.block])),
        factor_(std::get<GaussianFactor>(input.model.factors().blocks[input.block])),
        names_(input.model.schema().names(input.schema_block())),
        weights_(input.sums<GaussianStatistics>(), input.model),
        n_(std::ssize(factor_.used)),
        classes_(labels_.size()),
        rule_(options_, n_),
        moving_target_(rule_.has_prior() && options_.shrinkage->kind() != Shrinkage::Kind::rows) {
    if (n_ == 0) return;
    copy_sums(input.sums<GaussianStatistics>());
    if (rule_.has_prior() && !moving_target_) fixed_prior_ = rule_.prior(pooled_);
    if (moving_target_ || (rule_.share() > 0 && options_.target == Target::diag))
      form_ = Form::from_sums;
    else
      form_ = rule_.share() > 0 ? Form::spherical : Form::rank_one;
    if (form_ == Form::spherical) fill_bases();
    if (form_ == Form::rank_one) fill_rank_one();
  }

  std::unique_ptr<Workspace> workspace() const override {
    auto work = std::make_unique<Work>();
    work->changes.resize(static_cast<std::size_t>(classes_));
    if (form_ == Form::spherical) work->z = work->inverse = work->centered = Vector(n_);
    return work;
  }
  bool corrects_scores() const override { return true; }
  bool counts_incomplete_rows() const override { return false; }

  void score(const double* values, Index stride, Index count, const RemovedRow* rows,
             const bool* skip, Workspace& workspace, double* scores) const override {
    Work& work = static_cast<Work&>(workspace);
    for (Index r = 0; r < count; ++r) {
      if (skip[r] || rows[r].label < 0) continue;
      const double* x = values + r * stride;
      double* out = scores + r * classes_;
      bool done = false;
      if (form_ == Form::rank_one) done = score_by_rank_one(x, rows[r], work, out);
      if (form_ == Form::spherical) done = score_with_spherical_target(x, rows[r], work, out);
      if (!done) score_changed(x, every_feature_, rows[r], out);
    }
  }

  void score_from_sums(const double* x, std::span<const Index> kept, const RemovedRow& row,
                       double* scores) const override {
    for (Index c = 0; c < classes_; ++c) scores[c] = 0;
    if (!kept.empty()) score_changed(x, kept, row, scores);
  }

 private:
  /// What the removal of rows of one class and weight does to each class.
  struct Change {
    double weight = -1;
    MomentsChange moments;
    std::vector<ChangedDensity> density;  // per class
    std::vector<double> loss;             // per class: κ a, times Σ_c / M_c
  };
  struct Work : Workspace {
    std::vector<Change> changes;  // per class that loses a row
    Vector centered, z, inverse;  // spherical targets: x, B x, 1 / (λ + v)
  };

  // ---- sums -----------------------------------------------------------------------------------

  void copy_sums(const GaussianStatistics& statistics) {
    every_feature_.resize(static_cast<std::size_t>(n_));
    std::iota(every_feature_.begin(), every_feature_.end(), Index{0});
    const bool pools = rule_.towards_tied() > 0 || rule_.has_prior();
    pooled_ = weights_.pooled({});
    if (pools) pooled_.scatter = scatter_within(statistics, factor_.used);
    for (Index c = 0; c < classes_ && !rule_.tied(); ++c) {
      Matrix scatter(weights_.seen(c) ? n_ : 0, n_);
      const Matrix& all = statistics.classes[c].complete.scatter;
      for (Index i = 0; i < scatter.rows(); ++i)
        for (Index j = 0; j < n_; ++j) scatter(i, j) = all(factor_.used[i], factor_.used[j]);
      scatter_.push_back(std::move(scatter));
    }
  }

  double mean(Index c, Index j) const { return density_.mean(c, factor_.used[j]); }

  /// Throws where no complete row of the class is left.
  MomentsChange moments_change(const RemovedRow& row) const {
    if (row.label < 0) return {};
    const double whole = weights_[row.label];
    if (row.weight > whole * (1 + 1e-9))
      throw_not_among(row.row, "the complete rows of its class weigh less");
    if (minus_or_zero(whole, row.weight) == 0 && weights_.remains(row.label, row))
      throw InvalidArgument({.row = row.row, .label = labels_[row.label]},
                            "without this row no row of the class has all features",
                            "use a structure that takes features one by one, or a number of folds");
    return MomentsChange::of(whole, row.weight);
  }

  /// Throws SingularError where too few rows are left.
  CovarianceScale scale(const CovarianceRule& rule, Index c, const RemovedRow& row) const {
    const CovarianceScale result = rule.scale(weights_.without(c, row), weights_.pooled(row),
                                              {.rows = prior_rows(), .target = {}});
    if (!(result.divisor > 0)) throw_singular(c, row, 0, n_, {});
    return result;
  }
  double prior_rows() const { return moving_target_ ? 1 : fixed_prior_.rows; }

  /// Whether the covariance of class c is another one without the row.
  bool changes(Index c, const RemovedRow& row) const {
    return row.label >= 0 && (c == row.label || rule_.towards_tied() > 0 || moving_target_);
  }

  // ---- changes of rank one --------------------------------------------------------------------

  const Matrix& whitener(Index c) const { return factor_.whitener[rule_.tied() ? 0 : c]; }
  /// The covariance that the model holds, over M_c.
  double model_scale(Index c) const {
    const CovarianceScale all = scale(rule_, c, {});
    return all.factor / all.divisor;
  }

  /// Quadratic forms by the covariances of all rows: between_(c, k) = (m_k − m_c)ᵀ Σ_c⁻¹ (m_k −
  /// m_c), and direction_[c] has Σ_c⁻¹ (m_k − m_c), where classes have covariances of their own.
  void fill_rank_one() {
    log_det_ = Vector(classes_);
    for (Index c = 0; c < classes_; ++c)
      for (Index i = 0; i < n_ && weights_.seen(c); ++i)
        log_det_[c] -= 2 * std::log(whitener(c)(i, i));
    if (rule_.towards_tied() == 0) return;
    between_ = Matrix(classes_, classes_);
    for (Index c = 0; c < classes_; ++c) {
      Matrix direction(rule_.tied() ? 0 : classes_, n_);
      for (Index k = 0; k < classes_; ++k) {
        if (!weights_.seen(c) || !weights_.seen(k)) continue;
        for (Index i = 0; i < n_; ++i) {
          const auto row = whitener(c).row(i);
          double t = 0;
          for (Index j = 0; j <= i; ++j) t += row[j] * (factor_.mean(k, j) - factor_.mean(c, j));
          between_(c, k) += t * t;
          for (Index j = 0; j <= i && !rule_.tied(); ++j) direction(k, j) += row[j] * t;
        }
      }
      direction_.push_back(std::move(direction));
    }
  }

  const Change& change_of(const RemovedRow& row, Work& work) const {
    Change& change = work.changes[row.label];
    if (change.weight == row.weight) return change;
    change = {row.weight, moments_change(row), {}, {}};
    for (Index c = 0; c < classes_; ++c) {
      ChangedDensity& density = change.density.emplace_back();
      double& loss = change.loss.emplace_back();
      if (!weights_.remains(c, row) || !changes(c, row)) continue;
      const CovarianceScale now = scale(rule_, c, row);
      const double before = model_scale(c);
      density = ChangedDensity::of(n_, log_det_[c], now.factor / now.divisor * now.spread / before,
                                   now.dof);
      loss = (c == row.label ? 1 : rule_.towards_tied()) * change.moments.loss * before;
    }
    return change;
  }

  /// q by the covariance that the model holds, from the score by the model.
  double distance(Index c, double score) const {
    const double below = 2 * (factor_.log_norm[c] - score);
    if (factor_.dof.empty()) return below;
    const double dof = factor_.dof(c, 0);
    return dof * factor_.spread[c] * std::expm1(below / (dof + static_cast<double>(n_)));
  }

  /// False where digits are lost; `out` then has scores of changed classes that are undefined.
  bool score_by_rank_one(const double* x, const RemovedRow& row, Work& work, double* out) const {
    const Index y = row.label;
    const Change& change = change_of(row, work);
    const double q_own = distance(y, out[y]);
    const double h = 1 - change.loss[y] * q_own;
    if (!(h > least_h)) return false;
    const double log_h = std::log(h);
    for (Index c = 0; c < classes_ && rule_.towards_tied() > 0; ++c) {
      if (c == y || !weights_.seen(c)) continue;
      const double q = distance(c, out[c]), loss = change.loss[c];
      if (rule_.tied()) {
        const double p = 0.5 * (q + q_own - between_(y, c));
        out[c] = change.density[c](q + loss * p * p / h, log_h);
        continue;
      }
      const auto direction = direction_[c].row(y);
      double along = 0;
      for (Index j = 0; j < n_; ++j) along += (x[j] - mean(c, j)) * direction[j];
      const double p = q - along, h_c = 1 - loss * (p - along + between_(c, y));
      // The r of a heavy row is small beside the terms that it is made of.
      const bool cancels = loss * (q + between_(c, y)) > most_cancelled * h_c;
      if (cancels || !(h_c > least_h)) return false;
      out[c] = change.density[c](q + loss * p * p / h_c, std::log(h_c));
    }
    const double gain = change.moments.gain;
    out[y] = change.density[y](gain * gain * q_own / h, log_h);
    return true;
  }

  // ---- spherical targets ----------------------------------------------------------------------

  /// The scatter behind the covariance m (tied: the only one), without a target.
  Matrix mixed_scatter(Index m) const {
    if (rule_.tied()) return pooled_.scatter;
    Matrix result(n_, n_);
    const double a = rule_.towards_tied();
    if (!weights_.seen(m)) return result;
    result.map() = (1 - a) * scatter_[m].map();
    if (a > 0) result.map() += a * pooled_.scatter.map();
    return result;
  }

  void fill_bases() {
    for (Index m = 0; m < (rule_.tied() ? 1 : classes_); ++m) {
      const Matrix scatter = mixed_scatter(m);
      trace_.push_back(scatter.map().trace());
      basis_.push_back(ScatterBasis::of(scatter, nullptr, factor_.mean));
    }
  }

  /// (1 − s) M + s (trace M / n) I without the row, class by class. False where digits are lost.
  bool score_with_spherical_target(const double* x, const RemovedRow& row, Work& work,
                                   double* out) const {
    const auto [loss, gain] = moments_change(row);
    const auto n = static_cast<double>(n_);
    const double share = rule_.share(), own_share = 1 - share;
    for (Index j = 0; j < n_; ++j) work.centered[j] = x[j] - factor_.center[j];
    for (Index m = 0; m < std::ssize(basis_); ++m) {
      if (!rule_.tied() && !(changes(m, row) && weights_.remains(m, row))) continue;
      const ScatterBasis& basis = basis_[m];
      work.z.map().noalias() = basis.vectors.map() * work.centered.map();
      const bool own_class = rule_.tied() || m == row.label;
      const double lost = (own_class ? 1 : rule_.towards_tied()) * loss;
      const double* own_mean = basis.means.row(row.label).data();
      double length = 0, r = 0;
      for (Index i = 0; i < n_; ++i) length += square(work.z[i] - own_mean[i]);
      const double trace = trace_[m] - lost * length;
      if (!(trace > least_h * trace_[m])) return false;
      LogProduct det;
      for (Index i = 0; i < n_; ++i) {
        const double value = own_share * basis.values[i] + share * trace / n;
        det.multiply(value);
        work.inverse[i] = 1 / value;
        r += square(work.z[i] - own_mean[i]) * work.inverse[i];
      }
      const double h = 1 - lost * own_share * r;
      if (!(h > least_h)) return false;
      const double log_det = det.value() + std::log(h);
      for (Index c = rule_.tied() ? 0 : m; c < (rule_.tied() ? classes_ : m + 1); ++c) {
        if (!weights_.remains(c, row)) continue;
        const double* mean = basis.means.row(c).data();
        double q = 0, p = 0;
        for (Index i = 0; i < n_; ++i) {
          const double t = (work.z[i] - mean[i]) * work.inverse[i];
          q += t * (work.z[i] - mean[i]);
          p += t * (work.z[i] - own_mean[i]);
        }
        q = c == row.label ? gain * gain * q / h : q + lost * own_share * p * p / h;
        const CovarianceScale scale = this->scale(rule_, c, row);
        out[c] = ChangedDensity::of(n_, log_det, scale.spread / scale.divisor, scale.dof)(q, 0);
      }
    }
    return true;
  }
  static double square(double x) { return x * x; }

  // ---- from the sums without the row ----------------------------------------------------------

  /// The scatter at the kept features, without a δδᵀ.
  Matrix without(const Matrix& scatter, std::span<const Index> kept, double a,
                 const Vector& delta) const {
    const auto n = static_cast<Index>(kept.size());
    Matrix result(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        result(i, j) = scatter(kept[i], kept[j]) - a * (delta[i] * delta[j]);
    for (Index i = 0; i < n; ++i)
      if (result(i, i) <= scatter_rounding * scatter(kept[i], kept[i]))
        for (Index j = 0; j < n; ++j) result(i, j) = result(j, i) = 0;
    return result;
  }

  /// Scores the classes that change; where features are left out, all classes.
  void score_changed(const double* x, std::span<const Index> kept, const RemovedRow& row,
                     double* scores) const {
    const auto n = static_cast<Index>(kept.size());
    std::vector<Index> present;
    for (Index k = 0; k < n; ++k)
      if (!std::isnan(x[k])) present.push_back(k);
    if (present.empty()) return;
    // A row that lacks values never was in the sums.
    const RemovedRow removed = std::ssize(present) == n ? row : RemovedRow{.row = row.row};
    const auto [loss, gain] = moments_change(removed);
    Vector delta(n);
    for (Index k = 0; k < n && removed.label >= 0; ++k)
      delta[k] = x[k] - mean(removed.label, kept[k]);
    const CovarianceRule rule(options_, n);
    PooledScatter pooled = weights_.pooled(removed);
    if (!pooled_.scatter.empty()) pooled.scatter = without(pooled_.scatter, kept, loss, delta);
    if (moving_target_ && !(pooled.dof() > 0)) throw_singular(-1, removed, 0, n, {});
    const CovariancePrior moved = moving_target_ ? rule.prior(pooled) : CovariancePrior();
    const CovariancePrior& prior = moving_target_ ? moved : fixed_prior_;

    Matrix whitener;
    double log_norm = 0;
    for (Index c = 0; c < classes_; ++c) {
      if (!weights_.remains(c, row) || (n == n_ && !changes(c, removed))) continue;
      const CovarianceScale scale = this->scale(rule, c, removed);
      if (whitener.empty() || !rule.tied()) {
        Matrix covariance = rule.tied()
                                ? pooled.scatter
                                : without(scatter_[c], kept, c == removed.label ? loss : 0, delta);
        rule.finish(covariance, pooled, prior, scale);
        const Index rank = whiten(covariance, present, whitener, log_norm);
        if (rank < std::ssize(present))
          throw_singular(c, removed, rank, std::ssize(present),
                         {names_[factor_.used[kept[present[rank]]]]});
      }
      double q = 0;
      for (Index i = 0; i < std::ssize(present); ++i) {
        double t = 0;
        for (Index k = 0; k <= i; ++k) {
          const Index j = present[k];
          t += whitener(i, k) * (c == removed.label ? gain * delta[j] : x[j] - mean(c, kept[j]));
        }
        q += t * t;
      }
      const double log_det = -2 * log_norm - static_cast<double>(std::ssize(present)) * log_2pi;
      scores[c] = ChangedDensity::of(std::ssize(present), log_det, scale.spread, scale.dof)(q, 0);
    }
  }

  /// `features` has the first one that depends on those before it, if that is known; c < 0: of all
  /// classes.
  [[noreturn]] void throw_singular(Index c, const RemovedRow& row, Index rank, Index n,
                                   std::vector<std::string> features) const {
    const std::string label = rule_.tied() || c < 0 ? std::string() : labels_[c];
    throw_singular_without(row, label, std::move(features), {rank, n}, "the covariance",
                           "has no inverse");
  }

  const Names& labels_;
  const EstimateOptions& options_;
  const GaussianDensity& density_;
  const GaussianFactor& factor_;
  std::vector<std::string> names_;  // of the block's features
  CompleteWeights weights_;
  Index n_, classes_;
  CovarianceRule rule_;
  bool moving_target_;  // a prior whose target is estimated again without each row
  Form form_ = Form::from_sums;
  std::vector<Index> every_feature_;
  std::vector<Matrix> scatter_;  // per class, unless tied
  PooledScatter pooled_;
  CovariancePrior fixed_prior_;
  Vector log_det_;  // per class: of the covariance that the model holds
  Matrix between_;
  std::vector<Matrix> direction_;
  std::vector<ScatterBasis> basis_;  // per covariance
  std::vector<double> trace_;
};

}  // namespace

std::unique_ptr<GaussianWithoutRow> make_dense_without_row(const BlockInput& input) {
  return std::make_unique<DenseWithoutRow>(input);
}

}  // namespace suffice
