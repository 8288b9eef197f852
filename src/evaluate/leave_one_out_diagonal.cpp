// Covariances that take features one by one, without one row: each feature's weight, mean and
// squares are those that remain, and the variances follow from them as they do in estimate.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/kernels.hpp"
#include "evaluate/leave_one_out_gaussian.hpp"
#include "models/gaussian_estimate.hpp"
#include "models/structure.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;
using Kind = Shrinkage::Kind;

/// Below this share of its squares a variance is worked out from what remains of them.
constexpr double least_variance_left = 1e-6;

/// Over the used features; K × n.
struct DiagonalSums {
  const Model* model;
  const EstimateOptions* options;
  std::vector<std::string> names;
  Matrix weight, mean, squares;

  Index classes() const { return weight.rows(); }
  Index features() const { return weight.cols(); }
};

DiagonalSums sums_of(const RestInput& input, const std::vector<Index>& used) {
  const auto& statistics = std::get<GaussianStatistics>(input.statistics.blocks()[input.block]);
  const Index classes = input.model.labels().size(), n = std::ssize(used);
  const auto names = input.model.schema().names(input.schema_block());
  DiagonalSums sums{&input.model,       &input.options,     {},
                    Matrix(classes, n), Matrix(classes, n), Matrix(classes, n)};
  for (const Index j : used) sums.names.push_back(names[j]);
  for (Index c = 0; c < classes; ++c) {
    if (!(input.model.weights()[c] > 0)) continue;
    const Moments moments = statistics.moments(c);
    for (Index j = 0; j < n && !moments.weight.empty(); ++j) {
      sums.weight(c, j) = moments.weight[used[j]];
      sums.mean(c, j) = moments.mean[used[j]] + moments.mean_low[used[j]];
      sums.squares(c, j) = moments.squares[used[j]];
    }
  }
  return sums;
}

class DiagonalRest : public GaussianRest {
 public:
  DiagonalRest(DiagonalSums sums, const GaussianFactor* factor)
      : sums_(std::move(sums)),
        options_(*sums_.options),
        factor_(factor),
        n_(sums_.features()),
        classes_(sums_.classes()),
        tied_(is_tied(options_.covariance)),
        one_variance_(is_spherical(options_.covariance)),
        mle_(options_.normalize == Normalize::mle),
        bayes_(options_.inference == Inference::bayes),
        pooled_squares_(n_),
        pooled_weight_(n_) {
    // What only the plug-in asks for has nothing to draw these towards: see estimate.
    prior_ = has_prior(options_) &&
             !(options_.inference == Inference::plugin && (tied_ || one_variance_));
    fixed_target_ = options_.shrinkage->kind() == Kind::rows;
    prior_rows_ = fixed_target_ ? options_.shrinkage->value() : 1;
    for (Index c = 0; c < classes_; ++c) {
      seen_ += seen(c) ? 1 : 0;
      for (Index j = 0; j < n_; ++j) {
        pooled_squares_[j] += sums_.squares(c, j);
        pooled_weight_[j] += sums_.weight(c, j);
      }
    }
    others_stay_ = !tied_ && options_.towards_tied == 0 && (!prior_ || fixed_target_);
    if (prior_ && fixed_target_) fill_fixed_target();
    const bool own_target =
        options_.target == Target::diag || options_.shrinkage->value() == 0 || one_variance_;
    plain_ = !prior_ && options_.towards_tied == 0 && own_target;
    for (Index c = 0; c < classes_ && plain_; ++c) quick_.push_back(quick_for(c));
    if (plain_ && tied_) {
      mean_by_feature_ = Matrix(n_, kernels::padded(classes_));
      for (Index j = 0; j < n_; ++j)
        for (Index c = 0; c < classes_; ++c) mean_by_feature_(j, c) = sums_.mean(c, j);
    }
    if (!factor_ || !lanes()) return;
    scale_ = Matrix(classes_, n_);
    for (Index c = 0; c < classes_; ++c)
      std::ranges::copy(factor_->inverse_deviation.row(c), scale_.row(c).begin());
  }

  std::unique_ptr<Workspace> workspace() const override {
    auto own = std::make_unique<Own>(n_);
    if (plain_) {
      for (Vector* numbers : {&own->q, &own->log_h, &own->least}) *numbers = Vector(rows_at_once);
      own->inverse = Vector(rows_at_once * kernels::padded(n_));
      own->all_q = Vector(rows_at_once * mean_by_feature_.cols());
    }
    if (!lanes()) return own;
    own->x = Vector(kernels::padded(n_) * rows_at_once);
    own->lanes = Vector(classes_ * rows_at_once);
    return own;
  }

  bool counts_incomplete_rows() const override { return true; }

  std::unique_ptr<GaussianRest> only(std::span<const Index> kept) const override {
    const Index n = std::ssize(kept);
    DiagonalSums part{sums_.model,         sums_.options,       {},
                      Matrix(classes_, n), Matrix(classes_, n), Matrix(classes_, n)};
    for (Index k = 0; k < n; ++k) {
      part.names.push_back(sums_.names[kept[k]]);
      for (Index c = 0; c < classes_; ++c) {
        part.weight(c, k) = sums_.weight(c, kept[k]);
        part.mean(c, k) = sums_.mean(c, kept[k]);
        part.squares(c, k) = sums_.squares(c, kept[k]);
      }
    }
    return std::make_unique<DiagonalRest>(std::move(part), nullptr);
  }

  void score(const double* values, Index stride, Index count, const TakenRow* rows,
             Workspace& workspace, double* scores) const override {
    Own& own = static_cast<Own&>(workspace);
    if (lanes()) {
      kernels::transpose(values, stride, count, n_, factor_->center.data(), own.x.data(),
                         rows_at_once);
      kernels::score_diagonal(own.x.data(), n_, classes_, scale_.data(),
                              factor_->whitened_mean.data(), factor_->log_norm.data(),
                              own.lanes.data());
      kernels::transpose(own.lanes.data(), rows_at_once, classes_, count, nullptr, scores,
                         classes_);
    }
    if (plain_) remove_rows(values, stride, count, rows, own);
    for (Index r = 0; r < count; ++r) {
      if (rows[r].skip) continue;
      const double* x = values + r * stride;
      double* out = scores + r * classes_;
      if (plain_ && score_quickly(r, rows[r], own, out)) continue;
      if (!lanes()) {
        score_row(x, rows[r], own, out);
      } else if (rows[r].label >= 0 && !vanishes(rows[r])) {
        take_out(x, rows[r], own);
        out[rows[r].label] = score_class(rows[r].label, x, rows[r], own);
      }
    }
  }

  void score_one(const double* x, const TakenRow& row, double* scores) const override {
    Own own(n_);
    score_row(x, row, own, scores);
  }

 private:
  /// For complete rows of one class that have the weight 1. With s_j the squares that a variance is
  /// made of, h_j = 1 − loss_j δ_j², and the variance is h_j s_j / divisor; one variance for all
  /// features has the sums of these.
  struct Quick {
    bool possible = false;
    Vector mean, loss, inverse, gain;  // m; a / s; divisor / s; (W / W₋)²: padded n
    double all_inverse = 0;            // Σ divisor / Σ s
    double constant = 0;               // −½ (n log 2π + Σ log s_j / divisor)
  };

  struct Own : Workspace {
    explicit Own(Index n)
        : weight(n), squares(n), pooled_weight(n), pooled(n), factor(n), variance(n), dof(n) {}
    // What remains in the row's own class, and in all classes together.
    Vector weight, squares, pooled_weight, pooled;
    Vector factor;  // W / W₋
    double seen = 0;
    Vector variance, dof;
    Vector x, lanes;
    const Quick* of_row[rows_at_once];  // null: takes the long way
    // Of the rows of a tile: q, log h and the least h of their own class; 1 / variance, rows ×
    // padded n; and the q of all classes, rows × padded K.
    Vector q, log_h, least, inverse, all_q;
    double known_dof = 0, known_excess = 0;
  };

  /// Normal densities of which a row changes that of its own class only.
  bool lanes() const { return others_stay_ && !bayes_; }
  bool seen(Index c) const { return sums_.model->weights()[c] > 0; }
  bool vanishes(const TakenRow& row) const {
    return row.label >= 0 && rest(sums_.model->weights()[row.label], row.weight) == 0;
  }

  void take_out(const double* x, const TakenRow& row, Own& own) const {
    const Index y = row.label;
    const bool gone = vanishes(row);
    own.seen = seen_ - (gone ? 1 : 0);
    constexpr double rounding = 32 * std::numeric_limits<double>::epsilon();
    for (Index j = 0; j < n_; ++j) {
      double& weight = own.weight[j] = y < 0 ? 0 : sums_.weight(y, j);
      double& squares = own.squares[j] = y < 0 ? 0 : sums_.squares(y, j);
      own.pooled_weight[j] = pooled_weight_[j];
      own.pooled[j] = pooled_squares_[j];
      own.factor[j] = 1;
      if (y < 0 || std::isnan(x[j])) continue;
      const auto [a, g] = Removal::of(weight, row.weight);
      const double delta = x[j] - sums_.mean(y, j);
      const double lost = a * delta * delta;
      const double noise = row.weight * (1e-9 * x[j]) * (1e-9 * x[j]);  // of a mean's rounding
      if (row.weight > weight * (1 + 1e-9) || lost > squares * (1 + 1e-6) + noise)
        throw_not_among(row.row, "feature '" + sums_.names[j] + "' varies less in its class");
      own.factor[j] = g;
      weight = rest(weight, row.weight);
      if (weight == 0 && !gone)
        throw InvalidArgument(without_row(sums_.model->labels(), row) +
                              "its class has no value of feature '" + sums_.names[j] +
                              "'; leave this feature out, or choose a number of folds");
      squares = squares - lost > rounding * squares ? squares - lost : 0;
      own.pooled_weight[j] -= row.weight;
      const double pooled = own.pooled[j];
      own.pooled[j] = pooled - lost > rounding * pooled ? pooled - lost : 0;
    }
  }

  double weight(Index c, Index j, const TakenRow& row, const Own& own) const {
    return c == row.label ? own.weight[j] : sums_.weight(c, j);
  }
  double squares(Index c, Index j, const TakenRow& row, const Own& own) const {
    return c == row.label ? own.squares[j] : sums_.squares(c, j);
  }

  // ---- variances ------------------------------------------------------------------------------

  struct Sums {
    double squares = 0, divisor = 0;
  };
  /// Of one feature: a class's own sums drawn towards those of all.
  Sums sums(Index c, Index j, const TakenRow& row, const Own& own) const {
    const Sums all{own.pooled[j], mle_ ? own.pooled_weight[j] : own.pooled_weight[j] - own.seen};
    if (tied_) return all;
    const double w = weight(c, j, row, own), a = options_.towards_tied;
    Sums result{squares(c, j, row, own), mle_ ? w : w - 1};
    if (a > 0) {
      result.squares = (1 - a) * result.squares + a * all.squares;
      result.divisor = (1 - a) * result.divisor + a * all.divisor;
    }
    return result;
  }

  void variances(Index c, const TakenRow& row, Own& own) const {
    if (prior_)
      one_variance_ ? spherical_with_prior(c, row, own) : diagonal_with_prior(c, row, own);
    else
      one_variance_ ? spherical_by_share(c, row, own) : diagonal_by_share(c, row, own);
    for (Index j = 0; j < n_; ++j)
      if (!(own.variance[j] > 0)) throw_flat(c, j, row);
  }

  void spherical_by_share(Index c, const TakenRow& row, Own& own) const {
    Sums total;
    for (Index j = 0; j < n_; ++j) {
      const Sums of = sums(c, j, row, own);
      total.squares += of.squares;
      total.divisor += of.divisor;
    }
    const double variance = total.divisor > 0 ? total.squares / total.divisor : 0;
    std::fill(own.variance.begin(), own.variance.end(), variance);
  }

  void diagonal_by_share(Index c, const TakenRow& row, Own& own) const {
    double mean = 0;
    for (Index j = 0; j < n_; ++j) {
      const Sums of = sums(c, j, row, own);
      own.variance[j] = of.divisor > 0 ? of.squares / of.divisor : 0;
      mean += own.variance[j] / static_cast<double>(n_);
    }
    const double share =
        options_.shrinkage->kind() == Kind::share ? options_.shrinkage->value() : 0;
    if (options_.target != Target::spherical || share == 0) return;
    for (double& variance : own.variance) variance = (1 - share) * variance + share * mean;
  }

  void fill_fixed_target() {
    target_ = Vector(n_);
    double all_squares = 0, all_dof = 0;
    for (Index j = 0; j < n_; ++j) {
      target_[j] = pooled_squares_[j] / (pooled_weight_[j] - seen_);
      all_squares += pooled_squares_[j];
      all_dof += pooled_weight_[j] - seen_;
    }
    if (one_variance_) std::fill(target_.begin(), target_.end(), all_squares / all_dof);
  }

  double class_dof(Index c, Index j, const TakenRow& row, const Own& own) const {
    return std::max(weight(c, j, row, own) - 1, 0.0);
  }

  void diagonal_with_prior(Index c, const TakenRow& row, Own& own) const {
    for (Index j = 0; j < n_; ++j) {
      const double pooled_dof = own.pooled_weight[j] - own.seen;
      if (!(pooled_dof > 0)) throw_flat(-1, j, row);
      const double target = fixed_target_ ? target_[j] : own.pooled[j] / pooled_dof;
      const Posterior of{tied_ ? pooled_dof : class_dof(c, j, row, own), prior_rows_, 1};
      const double sum = tied_ ? own.pooled[j] : squares(c, j, row, own);
      own.variance[j] = (sum + prior_rows_ * target) * of.factor(options_.inference);
      if (!bayes_) continue;
      own.dof[j] = of.predictive_dof();
      own.variance[j] *= 1 + 1 / weight(c, j, row, own);
    }
  }

  void spherical_with_prior(Index c, const TakenRow& row, Own& own) const {
    double all_squares = 0, all_dof = 0, dof = 0, sum = 0;
    for (Index j = 0; j < n_; ++j) {
      all_squares += own.pooled[j];
      all_dof += own.pooled_weight[j] - own.seen;
      dof += class_dof(c, j, row, own);
      sum += squares(c, j, row, own);
    }
    if (!(all_dof > 0)) throw_flat(-1, 0, row);
    const double target = fixed_target_ ? target_[0] : all_squares / all_dof;
    const double rows = prior_rows_ * static_cast<double>(n_);
    const Posterior of{tied_ ? all_dof : dof, rows, 1};
    const double variance =
        ((tied_ ? all_squares : sum) + rows * target) * of.factor(options_.inference);
    for (Index j = 0; j < n_; ++j) {
      own.variance[j] = variance * (bayes_ ? 1 + 1 / weight(c, j, row, own) : 1);
      own.dof[j] = of.predictive_dof();
    }
  }

  // ---- plain structures -----------------------------------------------------------------------

  Quick quick_for(Index y) const {
    const Index width = kernels::padded(n_);
    Quick quick{false, Vector(width), Vector(width), Vector(width), Vector(width)};
    double all_squares = 0, all_divisors = 0;
    for (Index j = 0; j < n_; ++j) {
      const double own = sums_.weight(y, j);
      const auto [a, g] = Removal::of(own, 1);
      const double left = (tied_ ? pooled_weight_[j] : own) - 1;
      const double divisor = mle_ ? left : left - (tied_ ? seen_ : 1);
      const double squares = tied_ ? pooled_squares_[j] : sums_.squares(y, j);
      if (!(a > 0 && divisor > 0 && squares > 0)) return quick;
      quick.mean[j] = sums_.mean(y, j);
      quick.loss[j] = one_variance_ ? a : a / squares;
      quick.inverse[j] = divisor / squares;
      quick.gain[j] = g * g;
      quick.constant -= 0.5 * (log_2pi + std::log(squares / divisor));
      all_squares += squares;
      all_divisors += divisor;
    }
    if (one_variance_) {
      const double n = static_cast<double>(n_);
      for (double& loss : quick.loss) loss /= all_squares;
      quick.constant = -0.5 * n * (log_2pi + std::log(all_squares / all_divisors));
      quick.all_inverse = all_divisors / all_squares;
    }
    quick.possible = true;
    return quick;
  }

  /// What the quick way of scoring needs, for all rows of a tile.
  void remove_rows(const double* values, Index stride, Index count, const TakenRow* rows,
                   Own& own) const {
    kernels::Removal removal[rows_at_once] = {};
    for (Index r = 0; r < count; ++r) {
      const Quick& quick = quick_[std::max<Index>(rows[r].label, 0)];
      const bool possible = quick.possible && !rows[r].skip && rows[r].weight == 1;
      removal[r] = {quick.mean.data(), quick.loss.data(), quick.inverse.data(), quick.gain.data()};
      own.of_row[r] = possible ? &quick : nullptr;
    }
    double *q = own.q.data(), *log_h = own.log_h.data(), *least = own.least.data();
    double* inverse = own.inverse.data();
    if (one_variance_) {
      kernels::remove_from_one(values, stride, count, n_, removal, q, log_h, least);
      const Index width = kernels::padded(n_);
      for (Index r = 0; r < count; ++r) {
        const double one = quick_[std::max<Index>(rows[r].label, 0)].all_inverse / least[r];
        q[r] *= one;
        log_h[r] *= static_cast<double>(n_);
        if (tied_) std::fill_n(inverse + r * width, n_, one);
      }
    } else {
      kernels::remove_from_each(values, stride, count, n_, removal, inverse, q, log_h, least);
    }
    if (tied_)
      kernels::weighted_squares(values, stride, count, n_, inverse, mean_by_feature_.data(),
                                classes_, own.all_q.data());
  }

  /// False where it takes the long way: little is left of a variance.
  bool score_quickly(Index r, const TakenRow& row, const Own& own, double* out) const {
    if (!own.of_row[r] || !(own.least[r] > least_variance_left)) return false;
    const double log_norm = own.of_row[r]->constant - 0.5 * own.log_h[r];
    if (tied_) {
      const double* q = own.all_q.data() + r * mean_by_feature_.cols();
      for (Index c = 0; c < classes_; ++c) out[c] = log_norm - 0.5 * q[c];
    }
    out[row.label] = log_norm - 0.5 * own.q[r];
    return true;
  }

  // ---- densities ------------------------------------------------------------------------------

  void score_row(const double* x, const TakenRow& row, Own& own, double* out) const {
    take_out(x, row, own);
    const bool shared = tied_ && !bayes_;
    bool known = false;
    double log_det = 0, present = 0;
    for (Index c = 0; c < classes_; ++c) {
      out[c] = 0;
      if (!seen(c) || (c == row.label && vanishes(row))) continue;
      if (!shared) {
        out[c] = score_class(c, x, row, own);
        continue;
      }
      if (!known) {  // one variance for all classes
        variances(c, row, own);
        LogProduct det;
        for (Index j = 0; j < n_; ++j) {
          if (std::isnan(x[j])) continue;
          det.multiply(own.variance[j]);
          own.dof[j] = 1 / own.variance[j];
          ++present;
        }
        log_det = det.value();
        known = true;
      }
      double q = 0;
      for (Index j = 0; j < n_; ++j) {
        const double t = (x[j] - sums_.mean(c, j)) * (c == row.label ? own.factor[j] : 1.0);
        if (!std::isnan(t)) q += t * t * own.dof[j];
      }
      out[c] = -0.5 * (present * log_2pi + log_det + q);
    }
  }

  /// log p(x | c) over the values that are there.
  double score_class(Index c, const double* x, const TakenRow& row, Own& own) const {
    variances(c, row, own);
    const bool joint = bayes_ && one_variance_;
    LogProduct det;
    double q = 0, log_p = 0, n = 0;
    for (Index j = 0; j < n_; ++j) {
      if (std::isnan(x[j])) continue;
      const double t = (x[j] - sums_.mean(c, j)) * (c == row.label ? own.factor[j] : 1.0);
      const double square = t * t / own.variance[j];
      det.multiply(own.variance[j]);
      ++n;
      if (bayes_ && !joint)
        log_p +=
            excess(own.dof[j], 0.5, own) - 0.5 * (own.dof[j] + 1) * std::log1p(square / own.dof[j]);
      else
        q += square;
    }
    if (joint && n > 0)
      log_p = excess(own.dof[0], n / 2, own) - 0.5 * (own.dof[0] + n) * std::log1p(q / own.dof[0]);
    else
      log_p -= 0.5 * q;
    return log_p - 0.5 * (n * log_2pi + det.value());
  }

  /// The constant of Student's t, which is often the one before.
  double excess(double dof, double half, Own& own) const {
    if (half != 0.5) return log_gamma_excess(dof / 2, half);
    if (dof != own.known_dof) {
      own.known_dof = dof;
      own.known_excess = log_gamma_excess(dof / 2, half);
    }
    return own.known_excess;
  }

  [[noreturn]] void throw_flat(Index c, Index j, const TakenRow& row) const {
    const Names& labels = sums_.model->labels();
    const std::string label = tied_ || c < 0 ? std::string() : labels[c];
    throw SingularError(
        (row.label < 0 ? std::string() : without_row(labels, row)) + "the variance " +
            (label.empty() ? "of all classes together" : "of class '" + label + "'") +
            " is 0 in '" + sums_.names[j] +
            "', or there are too few rows for one; choose a structure that needs less, shrinkage, "
            "or a number of folds",
        label, n_ - 1, n_, {sums_.names[j]});
  }

  DiagonalSums sums_;
  const EstimateOptions& options_;
  const GaussianFactor* factor_;  // of the model; null: for single rows only
  Index n_, classes_;
  bool tied_, one_variance_, mle_, bayes_;
  bool prior_ = false, fixed_target_ = false, others_stay_ = false;
  bool plain_ = false;  // variances are squares over their divisor, and nothing else
  double prior_rows_ = 1, seen_ = 0;
  Vector pooled_squares_, pooled_weight_, target_;
  Matrix scale_;
  Matrix mean_by_feature_;    // n × padded K
  std::vector<Quick> quick_;  // per class
};

}  // namespace

std::unique_ptr<GaussianRest> make_diagonal_rest(const RestInput& input) {
  const auto& factor = std::get<GaussianFactor>(input.model.factors().blocks[input.block]);
  return std::make_unique<DiagonalRest>(sums_of(input, factor.used), &factor);
}

}  // namespace suffice
