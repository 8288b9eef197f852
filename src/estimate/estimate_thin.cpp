#include "estimate/estimate_thin.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/system.hpp"
#include "estimate/estimate_dense.hpp"
#include "estimate/shrinkage.hpp"
#include "factor/gram.hpp"
#include "stats/thin.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

using Kind = Shrinkage::Kind;

/// Whether the target of class covariances is found in the pooled scatter, not only its diagonal.
bool has_target_share(const EstimateOptions& options) {
  return has_prior(options) && !is_tied(options.covariance) &&
         options.shrinkage->kind() != Kind::share && options.target_share &&
         *options.target_share < 1;
}

bool mixes_classes(const EstimateOptions& options) {
  return is_tied(options.covariance) || options.towards_tied > 0 || has_target_share(options);
}

/// A covariance to be: b_k of each class, and the diagonal.
struct ThinMix {
  Vector parts;  ///< per class
  Vector diagonal;
};

class ThinEstimate {
 public:
  ThinEstimate(const GaussianInput& input, GaussianEstimate& result)
      : input_(input),
        options_(input.options()),
        kind_(options_.shrinkage->kind()),
        classes_(input.context.classes()),
        n_(std::ssize(input.used)),
        rule_(options_, n_),
        density_(result.density),
        strength_(result.strength) {
    for (Index c = 0; c < classes_; ++c) {
      Vector& squares = squares_.emplace_back(n_);
      if (!seen(c)) continue;
      const Vector all = squares_of(input_.complete(c));
      for (Index i = 0; i < n_; ++i) squares[i] = all[input_.used[i]];
      pooled_.weight += weight(c);
      ++pooled_.classes;
    }
  }

  void run() {
    if (rule_.has_prior()) {
      find_target();
      if (rule_.tied() && kind_ == Kind::automatic && options_.inference == Inference::plugin) {
        strength_.rows = infinity;  // more features than rows: the pooled diagonal
        return store({{.parts = Vector(classes_), .diagonal = target_}});
      }
      rows_ = kind_ == Kind::rows ? options_.shrinkage->value() : 1;
      if (kind_ == Kind::automatic) rows_ = evidence_rows();
      if (kind_ == Kind::automatic || kind_ == Kind::rows) {
        strength_.rows = rows_;
        if (!rule_.tied() && !options_.target_share) strength_.target_rows = infinity;
      }
    }
    rule_.tied() ? tied() : full();
  }

 private:
  bool seen(Index c) const { return input_.context.seen(c); }
  double weight(Index c) const { return input_.complete(c).weight; }
  const Matrix& factor(Index c) const { return input_.complete(c).factor; }
  /// Without its target.
  CovariancePrior prior() const { return {.rows = rows_, .target = {}}; }

  /// T₀: the pooled variances, or their mean.
  void find_target() {
    const double dof = pooled_.dof();
    if (!(dof > 0)) throw_too_few(input_, -1, pooled_.weight);
    target_ = Vector(n_);
    for (const Vector& squares : squares_)
      for (Index i = 0; i < n_; ++i) target_[i] += squares[i];
    std::vector<Index> flat;
    for (Index i = 0; i < n_; ++i) {
      if (!(target_[i] > 0)) flat.push_back(input_.used[i]);
      target_[i] /= dof;
    }
    require_varying(input_, flat);
    const bool shared = !rule_.tied() && kind_ != Kind::share && options_.target_share;
    if (shared && *options_.target == Target::spherical)
      std::ranges::fill(target_, target_.map().mean());
    target_share_ = shared ? *options_.target_share : 1;
  }

  /// Rows of a class over the used features, divided by the roots of `variance` if there is one.
  void add_rows(Index c, double root, const Vector* variance, double* to) const {
    for (Index i = 0; i < factor(c).rows(); ++i) {
      const double* row = factor(c).row(i).data();
      for (Index j = 0; j < n_; ++j)
        *to++ = root * row[input_.used[j]] / (variance ? std::sqrt((*variance)[j]) : 1);
    }
  }
  /// Those of some classes, each with the root of its part.
  Matrix rows_of(const Vector& parts, const Vector* variance) const {
    Index count = 0;
    for (Index c = 0; c < classes_; ++c) count += parts[c] > 0 ? factor(c).rows() : 0;
    Matrix result(count, n_);
    double* to = result.data();
    for (Index c = 0; c < classes_; ++c) {
      if (!(parts[c] > 0)) continue;
      add_rows(c, std::sqrt(parts[c]), variance, to);
      to += factor(c).rows() * n_;
    }
    return result;
  }
  Vector one(Index c) const {
    Vector result(classes_);
    for (Index k = 0; k < classes_; ++k) result[k] = (c < 0 || k == c) && seen(k) ? 1 : 0;
    return result;
  }

  /// (M + v T) · factor
  ThinMix with_prior(Index c, const CovarianceScale& scale) const {
    ThinMix result{one(c), Vector(n_)};
    const double pooled = rows_ * (1 - target_share_) / pooled_.dof();
    for (Index k = 0; k < classes_; ++k)
      result.parts[k] = (result.parts[k] + (seen(k) ? pooled : 0)) * scale.factor;
    for (Index i = 0; i < n_; ++i)
      result.diagonal[i] = rows_ * target_share_ * target_[i] * scale.factor;
    return result;
  }

  /// (1 − s) M + s T(M); returns s.
  double shrink(ThinMix& of, double rows, const std::string& label) const {
    Vector variance(n_);
    for (Index k = 0; k < classes_; ++k)
      for (Index i = 0; of.parts[k] > 0 && i < n_; ++i)
        variance[i] += of.parts[k] * squares_[at(k)][i];
    const double mean = variance.map().mean();
    double share = rule_.share();
    if (kind_ == Kind::oas) share = oas(of, mean, rows);
    of.diagonal = Vector(n_);
    std::vector<Index> flat;
    for (Index i = 0; i < n_; ++i) {
      of.diagonal[i] = share * (*options_.target == Target::spherical ? mean : variance[i]);
      if (!(of.diagonal[i] > 0)) flat.push_back(input_.used[i]);
    }
    for (double& part : of.parts) part *= 1 - share;
    if (!flat.empty()) throw_singular(of, label, share, flat);
    return share;
  }

  /// As oas_share, whose Σ Σ_ij² is that of the Gram matrix of the rows.
  double oas(const ThinMix& of, double mean, double rows) const {
    if (!(mean > 0)) return 1;
    const auto p = static_cast<double>(n_);
    const double squares =
        gram(rows_of(of.parts, nullptr), input_.context.workers).map().squaredNorm() /
        (mean * mean * p * p);
    const double over = (rows + 1) * (squares - 1 / p);
    return over > 0 ? std::min((squares + 1) / over, 1.0) : 1.0;
  }

  [[noreturn]] void throw_singular(const ThinMix& of, const std::string& label, double share,
                                   const std::vector<Index>& flat) const {
    Index rank = 0;
    for (Index c = 0; c < classes_; ++c) rank += of.parts[c] > 0 ? factor(c).rows() : 0;
    if (share > 0)
      throw SingularError(
          {.label = label, .features = input_.names(flat)}, n_ - std::ssize(flat), n_,
          std::string("the variance") + (label.empty() ? " of all classes" : "") +
              " is 0, so the density has no finite value there",
          "use " + Option{"target", "spherical"} + ", leave " +
              (flat.size() == 1 ? "this feature" : "these features") + " out, or give more rows");
    throw SingularError({.label = label}, rank, n_,
                        "the covariance" + std::string(label.empty() ? " of all classes" : "") +
                            " of " + std::to_string(n_) + " features has the rank " +
                            std::to_string(rank) + ", since there are fewer rows than features",
                        "use " + Option{"shrinkage"} + " above 0, " + Option{"covariance", "diag"} +
                            ", or " + Option{"pca"});
  }

  void full() {
    const bool bayes = options_.inference == Inference::bayes;
    if (bayes) density_.dof = Matrix(classes_, 1);
    std::vector<ThinMix> mixtures(at(classes_));
    std::vector<double> shares(at(classes_));
    for (Index c = 0; c < classes_; ++c) {
      mixtures[at(c)] = {Vector(classes_), Vector(n_)};
      if (!seen(c)) continue;
      const CovarianceScale scale = rule_.scale(weight(c), pooled_, prior());
      if (!(scale.divisor > 0)) throw_too_few(input_, rule_.towards_tied() > 0 ? -1 : c, weight(c));
      if (bayes) density_.dof(c, 0) = scale.dof;
      if (rule_.has_prior()) {
        mixtures[at(c)] = with_prior(c, scale);
        continue;
      }
      const double a = options_.towards_tied;
      for (Index k = 0; k < classes_; ++k)
        mixtures[at(c)].parts[k] = seen(k) ? ((k == c ? 1 - a : 0) + a) / scale.divisor : 0;
      shares[at(c)] = shrink(mixtures[at(c)], scale.rows, input_.context.labels[c]);
    }
    if (kind_ == Kind::oas) strength_.shares = std::move(shares);
    store(mixtures);
  }

  void tied() {
    const CovarianceScale scale = rule_.scale(1, pooled_, prior());
    ThinMix mixture{one(-1), Vector(n_)};
    if (rule_.has_prior()) {
      mixture = with_prior(-1, scale);
    } else {
      double rows = scale.rows;
      if (options_.pooling.empty()) {
        if (!(scale.divisor > 0)) throw_too_few(input_, -1, pooled_.weight);
        for (double& part : mixture.parts) part /= scale.divisor;
      } else {
        rows = pool_by_weights(mixture);
      }
      const double share = shrink(mixture, rows, "");
      if (kind_ == Kind::oas) strength_.shares = {share};
    }
    store({std::move(mixture)});
    if (options_.inference != Inference::bayes) return;
    density_.dof = Matrix(classes_, 1);
    density_.scale = Matrix(classes_, 1);
    for (Index c = 0; c < classes_; ++c) {
      density_.dof(c, 0) = scale.dof;
      density_.scale(c, 0) = seen(c) ? rule_.scale(weight(c), pooled_, prior()).spread : 1;
    }
  }

  /// Class covariances added up with the given weights; returns the rows behind them.
  double pool_by_weights(ThinMix& mixture) const {
    double sum = 0, rows = 0;
    for (const double weight : options_.pooling) sum += weight;
    for (Index c = 0; c < classes_; ++c) {
      const double part = options_.pooling[at(c)] / sum;
      mixture.parts[c] = 0;
      if (!(part > 0)) continue;
      const double divisor = options_.normalize == Normalize::mle ? weight(c) : weight(c) - 1;
      if (!(divisor > 0)) throw_too_few(input_, c, weight(c));
      mixture.parts[c] = part / divisor;
      rows += weight(c);
    }
    return rows;
  }

  /// Makes the thin covariances of the block.
  void store(const std::vector<ThinMix>& mixtures) const {
    const Index d = input_.context.features();
    Index count = 0;
    for (const ThinMix& of : mixtures) {
      Index rows = 0;
      for (Index k = 0; k < classes_; ++k) rows += of.parts[k] > 0 ? factor(k).rows() : 0;
      density_.thin.rows.push_back(rows);
      count += rows;
    }
    require_room(count);
    density_.thin.factor = Matrix(count, d);
    density_.thin.diagonal = Matrix(std::ssize(mixtures), d);
    for (std::size_t m = 0; m < mixtures.size(); ++m) {
      Index next = density_.thin.first_row(static_cast<Index>(m));
      for (Index i = 0; i < n_; ++i)
        density_.thin.diagonal(static_cast<Index>(m), input_.used[i]) = mixtures[m].diagonal[i];
      for (Index k = 0; k < classes_; ++k) {
        if (!(mixtures[m].parts[k] > 0)) continue;
        const double root = std::sqrt(mixtures[m].parts[k]);
        for (Index i = 0; i < factor(k).rows(); ++i, ++next)
          for (const Index j : input_.used) density_.thin.factor(next, j) = root * factor(k)(i, j);
      }
    }
  }

  void require_room(Index rows) const {
    const double bytes = static_cast<double>(rows) * static_cast<double>(n_) * 8;
    if (bytes < 1e8 || 3 * bytes < available_memory()) return;
    throw InvalidArgument(
        "the covariances of " + std::to_string(classes_) + " classes and " + std::to_string(n_) +
            " features need more memory than is free",
        "use a tied covariance, " + Option{"covariance", "diag"} + ", or fewer features");
  }

  double evidence_rows() const {
    Workers& workers = input_.context.workers;
    std::vector<SeenScatter> evidence;
    if (rule_.tied()) {
      evidence.push_back(evidence_of(pooled_.dof(), gram(rows_of(one(-1), &target_), workers)));
      return best_rows(evidence);
    }
    if (target_share_ < 1) return evidence_with_pooled_target();
    for (Index c = 0; c < classes_; ++c)
      if (seen(c))
        evidence.push_back(
            evidence_of(std::max(weight(c) - 1, 0.0), gram(rows_of(one(c), &target_), workers)));
    return best_rows(evidence);
  }

  SeenScatter evidence_of(double dof, Matrix gram) const {
    SeenScatter result{dof, n_, Vector(gram.rows()), n_ - gram.rows()};
    blas::eigenvalues(gram.rows(), gram.data(), gram.rows(), result.eigenvalues.data());
    for (double& value : result.eigenvalues) value = std::max(value, 0.0);
    return result;
  }

  /// T = t T₀ + κ Rᵀ R. With G = R (t T₀)⁻¹ Rᵀ, R T⁻¹ Rᵀ = G − κ G (I + κ G)⁻¹ G, of which class c
  /// has a block.
  double evidence_with_pooled_target() const {
    Vector diagonal = target_;
    for (double& value : diagonal) value *= target_share_;
    const double k = (1 - target_share_) / pooled_.dof();
    const Matrix g = gram(rows_of(one(-1), &diagonal), input_.context.workers);
    const Index r = g.rows();
    Matrix lower = g, half(r, r), all = g;
    for (Index i = 0; i < lower.size(); ++i) lower.data()[i] *= k;
    for (Index i = 0; i < r; ++i) lower(i, i) += 1;
    blas::cholesky(r, lower.data(), r);
    blas::invert_lower(r, lower.data(), r);
    for (Index i = 0; i < r; ++i)
      for (Index j = i + 1; j < r; ++j) lower(i, j) = 0;
    blas::gemm(r, r, r, 1, lower.data(), r, g.data(), r, 0, half.data(), r);
    blas::gemm_tn(r, r, r, -k, half.data(), r, half.data(), r, 1, all.data(), r);
    std::vector<SeenScatter> evidence;
    Index first = 0;
    for (Index c = 0; c < classes_; ++c) {
      if (!seen(c)) continue;
      const Index size = factor(c).rows();
      Matrix own(size, size);
      for (Index i = 0; i < size; ++i)
        std::copy_n(all.row(first + i).data() + first, size, own.row(i).data());
      evidence.push_back(evidence_of(std::max(weight(c) - 1, 0.0), std::move(own)));
      first += size;
    }
    return best_rows(evidence);
  }

  const GaussianInput& input_;
  const EstimateOptions& options_;
  Kind kind_;
  Index classes_, n_;
  CovarianceRule rule_;
  GaussianDensity& density_;
  GaussianStrength& strength_;
  std::vector<Vector> squares_;  ///< per class, over the used features
  PooledScatter pooled_;         ///< without its matrix
  Vector target_;                ///< T₀
  double target_share_ = 1;      ///< t
  double rows_ = 0;              ///< v
};

}  // namespace

bool is_thin_estimate(const GaussianInput& input) {
  if (input.statistics.kind != Scatter::thin) return false;
  const EstimateOptions& options = input.options();
  double weight = 0, classes = 0;
  Index all = 0, most = 0;
  for (Index c = 0; c < input.context.classes(); ++c) {
    if (!input.context.seen(c)) continue;
    weight += input.complete(c).weight;
    ++classes;
    all += input.complete(c).factor.rows();
    most = std::max(most, input.complete(c).factor.rows());
  }
  const Index n = std::ssize(input.used);
  // Up to here the evidence mixes the pooled scatter into the target.
  const bool by_evidence = has_prior(options) && options.shrinkage->kind() != Kind::share &&
                           !options.target_share &&
                           static_cast<double>(n) <= minus_or_zero(weight, classes);
  if (by_evidence) return false;
  return (mixes_classes(options) ? all : most) < n;
}

void estimate_thin(const GaussianInput& input, GaussianEstimate& result) {
  ThinEstimate(input, result).run();
}

}  // namespace suffice
