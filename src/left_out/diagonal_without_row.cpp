// Each feature's weight and squares are those without the row, and DiagonalVariances makes
// variances of them, as in estimate. For complete rows of weight 1, variances that are squares over
// a divisor and nothing else have kernels of their own.

#include "left_out/diagonal_without_row.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/constants.hpp"
#include "core/kernels.hpp"
#include "core/log_product.hpp"
#include "core/minus_or_zero.hpp"
#include "core/special_functions.hpp"
#include "estimate/estimate_diagonal.hpp"
#include "left_out/changed_density.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

using kernels::rows_at_once;

/// Below this share of its squares a variance is worked out from what remains of them.
constexpr double least_variance_left = 1e-6;

/// What the kernels need to remove a row of weight 1 from a class. With s_j the squares behind a
/// variance, h_j = 1 − loss_j (x_j − m_j)² is the share of them that is left, and the variance is
/// h_j s_j / divisor; one variance for all features has the sums over features of these.
struct ClassRemoval {
  bool possible = false;
  Vector mean, loss, inverse, gain;  // m; a / s; divisor / s; (W / W₋)²: padded n
  double all_inverse = 0;            // Σ divisor / Σ s
  ChangedDensity density = {};       // of the variances s_j / divisor
};

/// The sums of some features, their means and names.
struct FeatureBlock {
  DiagonalSums sums;
  Matrix mean;  // K × n
  std::vector<std::string> names;

  FeatureBlock only(std::span<const Index> kept) const {
    const Index classes = mean.rows(), n = static_cast<Index>(kept.size());
    FeatureBlock part{
        {sums.class_weight, Matrix(classes, n), Matrix(classes, n)}, Matrix(classes, n), {}};
    if (!sums.pooled.empty()) part.sums.pooled = Vector(n);
    for (Index k = 0; k < n; ++k) {
      if (!sums.pooled.empty()) part.sums.pooled[k] = sums.pooled[kept[k]];
      part.names.push_back(names[kept[k]]);
      for (Index c = 0; c < classes; ++c) {
        part.sums.weight(c, k) = sums.weight(c, kept[k]);
        part.sums.squares(c, k) = sums.squares(c, kept[k]);
        part.mean(c, k) = mean(c, kept[k]);
      }
    }
    return part;
  }
};

FeatureBlock features_of(const BlockInput& input, const std::vector<Index>& used) {
  const auto& statistics = input.sums<GaussianStatistics>();
  const Index classes = input.model.labels().size(), n = std::ssize(used);
  FeatureBlock all{
      {input.model.weights(), Matrix(classes, n), Matrix(classes, n)}, Matrix(classes, n), {}};
  const auto names = input.model.schema().names(input.schema_block());
  for (const Index j : used) all.names.push_back(names[j]);
  const bool pooled = !statistics.has_class_squares();
  if (pooled) all.sums.pooled = Vector(n);
  for (Index c = 0; c < classes; ++c) {
    if (!all.sums.seen(c)) continue;
    const Moments moments = statistics.moments(c);
    for (Index j = 0; j < n && !moments.weight.empty(); ++j) {
      all.sums.weight(c, j) = moments.weight[used[j]];
      all.sums.squares(c, j) = moments.squares[used[j]];
      if (pooled) all.sums.pooled[j] += moments.squares[used[j]];
      all.mean(c, j) = moments.mean[used[j]] + moments.mean_low[used[j]];
    }
  }
  return all;
}

/// Scores rows one by one: takes a row out of the sums, and puts it back.
class RowScorer {
 public:
  RowScorer(FeatureBlock features, const Names& labels, const EstimateOptions& options,
            const VariancePrior* fixed_prior)
      : features_(std::move(features)),
        labels_(labels),
        options_(options),
        fixed_prior_(fixed_prior),
        rule_(options, features_.sums),
        n_(features_.sums.features()),
        spherical_(is_spherical(options.covariance)),
        bayes_(rule_.has_prior() && options.inference == Inference::bayes),
        weight_(n_),
        squares_(n_),
        gain_(n_),
        group_variance_(rule_.groups()),
        variance_(n_),
        inverse_(n_) {
    rule_.pool();
    if (pools()) rule_.remember();
  }
  RowScorer(const RowScorer&) = delete;  // the rule refers to the sums

  /// `all_classes`: otherwise only the row's own class.
  void score(const double* x, const RemovedRow& row, bool all_classes, double* out) {
    const double class_weight = row.label < 0 ? 0 : features_.sums.class_weight[row.label];
    remove(x, row);
    if (pools() && row.label >= 0) rule_.pool_changed(row.label);
    if (pools() && row.label < 0) rule_.pool();
    if (!fixed_prior_) prior_ = rule_.prior(std::move(prior_));
    variances_of_ = -1;
    for (Index c = 0; c < labels_.size(); ++c) {
      if (!all_classes && c != row.label) continue;
      out[c] = features_.sums.seen(c) ? log_density(c, x, row) : 0;
    }
    if (row.label < 0) return;
    features_.sums.class_weight[row.label] = class_weight;
    std::ranges::copy(weight_, features_.sums.weight.row(row.label).begin());
    std::ranges::copy(squares_, squares_with(row.label).begin());
  }

 private:
  bool pools() const { return rule_.depends_on_other_classes(fixed_prior_); }

  /// The sums that a row of the class is taken out of: its own, or all where those are unknown.
  std::span<double> squares_with(Index c) {
    DiagonalSums& sums = features_.sums;
    if (sums.pooled.empty()) return sums.squares.row(c);
    return {sums.pooled.data(), static_cast<std::size_t>(n_)};
  }

  void remove(const double* x, const RemovedRow& row) {
    std::fill(gain_.begin(), gain_.end(), 1.0);
    if (row.label < 0) return;
    DiagonalSums& sums = features_.sums;
    std::ranges::copy(sums.weight.row(row.label), weight_.begin());
    const std::span<double> all_squares = squares_with(row.label);
    std::ranges::copy(all_squares, squares_.begin());
    const bool whole_class = is_whole_class(row, sums.class_weight);
    if (whole_class) sums.class_weight[row.label] = 0;
    for (Index j = 0; j < n_; ++j) {
      if (std::isnan(x[j])) continue;
      double &weight = sums.weight(row.label, j),
             &squares = all_squares[static_cast<std::size_t>(j)];
      const auto [loss, gain] = MomentsChange::of(weight, row.weight);
      const double delta = x[j] - features_.mean(row.label, j);
      const double lost = loss * delta * delta;
      const double noise = row.weight * (1e-9 * x[j]) * (1e-9 * x[j]);  // of a mean's rounding
      if (row.weight > weight * (1 + 1e-9) || lost > squares * (1 + 1e-6) + noise)
        throw_not_among(row.row, "feature '" + features_.names[j] + "' varies less in its class");
      gain_[j] = gain;
      weight = minus_or_zero(weight, row.weight);
      if (weight == 0 && !whole_class)
        throw InvalidArgument(
            {.row = row.row, .label = labels_[row.label], .features = {features_.names[j]}},
            "without this row the class has no value",
            "leave this feature out, or use a number of folds");
      constexpr double rounding = 32 * std::numeric_limits<double>::epsilon();
      squares = squares - lost > rounding * squares ? squares - lost : 0;
    }
  }

  /// Variances of class c and their inverses; of Student's t the squared scales, which have 1 + 1/W
  /// if it is a predictive density.
  void fill_variances(Index c, const RemovedRow& row) {
    if (variances_of_ >= 0 && is_tied(options_.covariance) && !bayes_) return;
    variances_of_ = c;
    rule_.variances(c, prior(),
                    {group_variance_.data(), static_cast<std::size_t>(group_variance_.size())});
    for (Index j = 0; j < n_; ++j) {
      variance_[j] = group_variance_[spherical_ ? 0 : j];
      variance_[j] *= bayes_ ? 1 + 1 / features_.sums.weight(c, j) : options_.tails->scale();
      if (!(variance_[j] > 0)) throw_flat(c, j, row);
      inverse_[j] = 1 / variance_[j];
    }
  }

  /// log p(x | c) over the values that are present.
  double log_density(Index c, const double* x, const RemovedRow& row) {
    fill_variances(c, row);
    const bool one_each = bayes_ && !spherical_;
    LogProduct det;
    Log1pProduct same;  // of the features with the same ν, since a logarithm is expensive
    double q = 0, n = 0, log_p = 0, dof = 0, alike = 0;
    for (Index j = 0; j < n_; ++j) {
      if (std::isnan(x[j])) continue;
      const double t = (x[j] - features_.mean(c, j)) * (c == row.label ? gain_[j] : 1.0);
      const double square = t * t * inverse_[j];
      det.multiply(variance_[j]);
      q += square;
      ++n;
      if (!one_each) continue;
      if (const double next = rule_.predictive_dof(c, j, prior()); next != dof) {
        log_p += alike * log_constant(dof, 1) - 0.5 * (dof + 1) * same.value();
        same = {};
        dof = next;
        alike = 0;
      }
      same.multiply(square / dof);
      ++alike;
    }
    if (alike > 0) log_p += alike * log_constant(dof, 1) - 0.5 * (dof + 1) * same.value();
    if (!one_each && n > 0) {
      dof = bayes_ ? rule_.predictive_dof(c, 0, prior()) : options_.tails->dof();
      log_p = dof > 0 ? log_constant(dof, n) - 0.5 * (dof + n) * std::log1p(q / dof) : -0.5 * q;
    }
    return log_p - 0.5 * (n * log_2pi + det.value());
  }

  /// What Student's t of n features adds to the constant of a normal density; 0 for ν = 0, none.
  double log_constant(double dof, double n) {
    if (dof == 0) return 0;
    if (dof != known_dof_ || n != known_n_) known_constant_ = log_gamma_excess(dof / 2, n / 2);
    known_dof_ = dof;
    known_n_ = n;
    return known_constant_;
  }

  const VariancePrior& prior() const { return fixed_prior_ ? *fixed_prior_ : prior_; }

  [[noreturn]] void throw_flat(Index c, Index j, const RemovedRow& row) const {
    const std::string label = is_tied(options_.covariance) ? std::string() : labels_[c];
    throw_singular_without(row, label, {features_.names[j]}, {n_ - 1, n_}, "the variance",
                           "is 0, or there are too few rows for one");
  }

  FeatureBlock features_;
  const Names& labels_;
  const EstimateOptions& options_;
  const VariancePrior* fixed_prior_;
  DiagonalVariances rule_;
  Index n_;
  bool spherical_, bayes_;
  Vector weight_, squares_;  // of the row's class, to be put back
  Vector gain_;              // W / W₋
  VariancePrior prior_;
  Vector group_variance_, variance_, inverse_;
  Index variances_of_ = -1;                                  // the class that they are of
  double known_dof_ = 0, known_n_ = 0, known_constant_ = 0;  // often those of the last call
};

class DiagonalWithoutRow : public GaussianWithoutRow {
 public:
  explicit DiagonalWithoutRow(const BlockInput& input)
      : labels_(input.model.labels()),
        options_(input.options),
        features_(features_of(
            input, std::get<GaussianFactor>(input.model.factors().blocks[input.block]).used)),
        n_(features_.sums.features()),
        tied_(is_tied(options_.covariance)),
        spherical_(is_spherical(options_.covariance)) {
    DiagonalVariances rule(options_, features_.sums);
    rule.pool();
    has_fixed_prior_ = rule.has_prior() && options_.shrinkage->kind() == Shrinkage::Kind::rows;
    if (has_fixed_prior_) fixed_prior_ = rule.prior();
    corrects_scores_ = !rule.depends_on_other_classes(has_fixed_prior_);
    const bool shrunk =
        !spherical_ && options_.target == Target::spherical && options_.shrinkage->value() > 0;
    if (!rule.has_prior() && options_.towards_tied == 0 && !shrunk) fill_removals();
  }

  std::unique_ptr<Workspace> workspace() const override {
    auto work = std::make_unique<Work>(*this);
    if (removals_.empty()) return work;
    work->inverse = Vector(rows_at_once * kernels::padded(n_));
    work->all_q = Vector(rows_at_once * mean_by_feature_.cols());
    return work;
  }
  bool corrects_scores() const override { return corrects_scores_; }
  bool counts_incomplete_rows() const override { return true; }

  void score(const double* values, Index stride, Index count, const RemovedRow* rows,
             const bool* skip, Workspace& workspace, double* scores) const override {
    Work& work = static_cast<Work&>(workspace);
    if (!removals_.empty()) remove_rows(values, stride, count, rows, work);
    for (Index r = 0; r < count; ++r) {
      if (skip[r] || (corrects_scores_ && rows[r].label < 0)) continue;
      double* out = scores + r * labels_.size();
      if (removals_.empty() || !score_by_kernels(r, rows[r], work, out))
        work.rows.score(values + r * stride, rows[r], !corrects_scores_, out);
    }
  }

  void score_from_sums(const double* x, std::span<const Index> kept, const RemovedRow& row,
                       double* scores) const override {
    row_scorer(features_.only(kept)).score(x, row, true, scores);
  }

 private:
  struct Work : Workspace {
    explicit Work(const DiagonalWithoutRow& of) : rows(of.row_scorer(of.features_)) {}
    RowScorer rows;
    // Of the rows of a tile: q, log h and the least h of their own class; 1 / variance, rows ×
    // padded n; and the q of all classes, rows × padded K.
    double q[rows_at_once], log_h[rows_at_once], least[rows_at_once];
    Vector inverse, all_q;
  };

  RowScorer row_scorer(FeatureBlock features) const {
    return RowScorer(std::move(features), labels_, options_,
                     has_fixed_prior_ ? &fixed_prior_ : nullptr);
  }

  // ---- by kernels -----------------------------------------------------------------------------

  void fill_removals() {
    for (Index c = 0; c < labels_.size(); ++c) removals_.push_back(removal_from(c));
    if (!tied_) return;
    mean_by_feature_ = Matrix(n_, kernels::padded(labels_.size()));
    for (Index j = 0; j < n_; ++j)
      for (Index c = 0; c < labels_.size(); ++c) mean_by_feature_(j, c) = features_.mean(c, j);
  }

  ClassRemoval removal_from(Index y) const {
    const Index width = kernels::padded(n_);
    const DiagonalSums& sums = features_.sums;
    ClassRemoval result{.mean = Vector(width),
                        .loss = Vector(width),
                        .inverse = Vector(width),
                        .gain = Vector(width)};
    double all_squares = 0, all_divisors = 0, log_det = 0;
    for (Index j = 0; j < n_; ++j) {
      const auto [loss, gain] = MomentsChange::of(sums.weight(y, j), 1);
      double squares = 0, weight = 0, seen = 0;
      for (Index c = 0; c < sums.classes(); ++c) {
        if (!sums.seen(c) || !(tied_ || c == y)) continue;
        squares += sums.squares(c, j);
        weight += sums.weight(c, j);
        ++seen;
      }
      const double left = weight - 1;
      const double divisor = options_.normalize == Normalize::mle ? left : left - seen;
      if (!(loss > 0 && divisor > 0 && squares > 0)) return result;
      result.mean[j] = features_.mean(y, j);
      result.loss[j] = spherical_ ? loss : loss / squares;
      result.inverse[j] = divisor / squares;
      result.gain[j] = gain * gain;
      log_det += std::log(squares / divisor);
      all_squares += squares;
      all_divisors += divisor;
    }
    if (spherical_) {
      for (double& loss : result.loss) loss /= all_squares;
      log_det = static_cast<double>(n_) * std::log(all_squares / all_divisors);
      result.all_inverse = all_divisors / all_squares;
    }
    result.density =
        ChangedDensity::of(n_, log_det, options_.tails->scale(), options_.tails->dof());
    result.possible = true;
    return result;
  }

  void remove_rows(const double* values, Index stride, Index count, const RemovedRow* rows,
                   Work& work) const {
    kernels::Removal removal[rows_at_once] = {};
    const auto of_row = [&](Index r) -> const ClassRemoval& {
      return removals_[std::max<Index>(rows[r].label, 0)];
    };
    for (Index r = 0; r < count; ++r) {
      const ClassRemoval& of = of_row(r);
      removal[r] = {of.mean.data(), of.loss.data(), of.inverse.data(), of.gain.data()};
    }
    double* inverse = work.inverse.data();
    if (spherical_) {
      kernels::remove_from_one(values, stride, count, n_, removal, work.q, work.log_h, work.least);
      for (Index r = 0; r < count; ++r) {
        const double one = of_row(r).all_inverse / work.least[r];
        work.q[r] *= one;
        work.log_h[r] *= static_cast<double>(n_);
        if (tied_) std::fill_n(inverse + r * kernels::padded(n_), n_, one);
      }
    } else {
      kernels::remove_from_each(values, stride, count, n_, removal, inverse, work.q, work.log_h,
                                work.least);
    }
    if (tied_)
      kernels::weighted_squares(values, stride, count, n_, inverse, mean_by_feature_.data(),
                                labels_.size(), work.all_q.data());
  }

  /// False where the kernels do not apply: another weight than 1, or little left of a variance.
  bool score_by_kernels(Index r, const RemovedRow& row, const Work& work, double* out) const {
    if (row.label < 0 || row.weight != 1 || !(work.least[r] > least_variance_left)) return false;
    const ClassRemoval& of = removals_[row.label];
    if (!of.possible) return false;
    if (tied_) {
      const double* q = work.all_q.data() + r * mean_by_feature_.cols();
      for (Index c = 0; c < labels_.size(); ++c) out[c] = of.density(q[c], work.log_h[r]);
    }
    out[row.label] = of.density(work.q[r], work.log_h[r]);
    return true;
  }

  const Names& labels_;
  const EstimateOptions& options_;
  FeatureBlock features_;
  Index n_;
  bool tied_, spherical_;
  bool corrects_scores_ = false;  // a row changes the variances of its own class only
  bool has_fixed_prior_ = false;
  VariancePrior fixed_prior_;
  std::vector<ClassRemoval> removals_;  // per class; empty: no kernels for these options
  Matrix mean_by_feature_;              // n × padded K
};

}  // namespace

std::unique_ptr<GaussianWithoutRow> make_diagonal_without_row(const BlockInput& input) {
  return std::make_unique<DiagonalWithoutRow>(input);
}

}  // namespace suffice
