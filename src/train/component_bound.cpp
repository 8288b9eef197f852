#include "train/component_bound.hpp"

#include <algorithm>
#include <numeric>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "estimate/shrinkage.hpp"
#include "factor/whitener.hpp"
#include "stats/semidefinite.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// The covariance of the rows of a class over the features that vary, or its diagonal.
Matrix class_covariance(const GaussianStatistics::Class& sums, const Vector& variance,
                        const std::vector<Index>& varying, bool diagonal) {
  const Index n = std::ssize(varying);
  Matrix result(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (!diagonal)
        result(i, j) = sums.complete.scatter(varying[at(i)], varying[at(j)]) / sums.complete.weight;
      else if (i == j)
        result(i, j) = variance[varying[at(i)]];
  return result;
}

}  // namespace

ComponentBound::ComponentBound(const Statistics& statistics, const Mixture& grouping,
                               const EstimateOptions& options)
    : for_each_(!is_tied(options.covariance) && !has_prior(options)), label_(grouping.label) {
  const Covariance covariance = options.covariance;
  for (const BlockStatistics& block : statistics.blocks()) {
    auto& of_block = references_.emplace_back();
    const auto* sums = std::get_if<GaussianStatistics>(&block);
    if (!sums) continue;
    for (Index c = 0; c < statistics.labels().size(); ++c) {
      Reference& reference = of_block.emplace_back();
      const Moments moments = sums->moments(c);
      reference.variance = Vector(moments.weight.size());
      for (Index j = 0; j < moments.weight.size(); ++j) {
        if (moments.weight[j] > 0) reference.variance[j] = moments.squares[j] / moments.weight[j];
        if (reference.variance[j] > 0) reference.varying.push_back(j);
      }
      if (!is_dense(covariance) || reference.varying.empty()) continue;
      const Index n = std::ssize(reference.varying);
      std::vector<Index> all(at(n));
      std::iota(all.begin(), all.end(), Index{0});
      const auto& of = sums->classes[at(c)];
      double log_norm = 0;
      const bool known = of.complete.weight > static_cast<double>(n) &&
                         whiten(class_covariance(of, reference.variance, reference.varying, false),
                                all, reference.whitener, log_norm) == n;
      if (!known)
        whiten(class_covariance(of, reference.variance, reference.varying, true), all,
               reference.whitener, log_norm);
      reference.factor = reference.whitener;
      for (Index i = 0; i < n; ++i)
        for (Index j = i + 1; j < n; ++j) reference.factor(i, j) = 0;
      blas::invert_lower(n, reference.factor.data(), n);
    }
  }
}

bool ComponentBound::raise(JointMoments& moments, const Reference& reference) const {
  const Index n = std::ssize(reference.varying);
  if (!(moments.weight > 0) || n == 0) return false;
  Matrix scatter(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      scatter(i, j) = moments.scatter(reference.varying[at(i)], reference.varying[at(j)]);
  Matrix relative = whitened_scatter(scatter, reference.whitener);
  const double least = share * moments.weight;
  Matrix check = relative;
  for (Index i = 0; i < n; ++i) check(i, i) -= least;
  if (blas::cholesky(n, check.data(), n) == n) return false;
  Vector values(n);
  blas::eigh(n, relative.data(), n, values.data());
  // L V diag(what is lacking) Vᵀ Lᵀ, where the rows of `relative` are the vectors
  Matrix lacking(n, n);
  for (Index k = 0; k < n; ++k) {
    const double more = least - values[k];
    if (!(more > 0)) continue;
    Vector direction(n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) direction[i] += reference.factor(i, j) * relative(k, j);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) lacking(i, j) += more * direction[i] * direction[j];
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const Index a = reference.varying[at(i)], b = reference.varying[at(j)];
      moments.scatter(a, b) += lacking(i, j);
      moments.scatter(b, a) = moments.scatter(a, b);
    }
  return true;
}

bool ComponentBound::raise(Moments& moments, const Reference& reference) {
  bool raised = false;
  for (Index j = 0; j < moments.squares.size() && j < reference.variance.size(); ++j) {
    const double least = share * moments.weight[j] * reference.variance[j];
    if (moments.squares[j] >= least) continue;
    moments.squares[j] = least;
    raised = true;
  }
  return raised;
}

void ComponentBound::remove_rounding(Statistics::Parts& components) const {
  constexpr double rounding = 1e-12;  // of the squares in the class
  for (std::size_t b = 0; b < references_.size(); ++b) {
    auto* sums = std::get_if<GaussianStatistics>(&components.blocks[b]);
    for (std::size_t g = 0; sums && g < label_.size(); ++g) {
      const Vector& variance = references_[b][at(label_[g])].variance;
      auto& [complete, present] = sums->classes[g];
      for (Index j = 0; j < complete.scatter.rows() && j < variance.size(); ++j) {
        if (complete.scatter(j, j) > rounding * complete.weight * variance[j]) continue;
        for (Index k = 0; k < complete.scatter.rows(); ++k)
          complete.scatter(j, k) = complete.scatter(k, j) = 0;
      }
      // Where features nearly determine each other, rounding may go in any direction.
      for (double more = rounding; more <= share && !is_scatter(complete.scatter); more *= 10)
        for (Index j = 0; j < complete.scatter.rows() && j < variance.size(); ++j)
          if (complete.scatter(j, j) > 0)
            complete.scatter(j, j) += more * complete.weight * variance[j];
      for (double& squares : present.squares) squares = std::max(squares, 0.0);
    }
  }
}

Index ComponentBound::apply(Statistics::Parts& components) const {
  std::vector<bool> raised(label_.size());
  for (std::size_t b = 0; b < references_.size(); ++b) {
    auto* sums = std::get_if<GaussianStatistics>(&components.blocks[b]);
    if (!sums || references_[b].empty()) continue;
    for (std::size_t g = 0; g < label_.size(); ++g) {
      const Reference& reference = references_[b][at(label_[g])];
      GaussianStatistics::Class& of = sums->classes[g];
      const bool met = sums->kind == Scatter::diagonal ? raise(of.present, reference)
                       : reference.whitener.empty()    ? false
                                                       : raise(of.complete, reference);
      if (met) raised[g] = true;
    }
  }
  return std::count(raised.begin(), raised.end(), true);
}

}  // namespace suffice
