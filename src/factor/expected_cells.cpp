#include "factor/expected_cells.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>

#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "factor/conditional.hpp"
#include "models/feature_family.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {

struct ExpectedCells::JointBlock {
  JointBlock(const GaussianFactor& of, const Vector& shares_of_classes)
      : factor(of), shares(shares_of_classes) {}

  const GaussianFactor& factor;
  Vector shares;
  std::once_flag made;
  std::vector<Matrix> precision = {};  ///< once a row lacks a number
};

namespace {

/// Means over the classes, with the classes' shares.
struct MeanOfCells {
  const Vector& shares;
  const Factor& factor;

  Vector operator()(const GaussianDensity& density) const {
    const std::vector<Index>& used = std::get<GaussianFactor>(factor).used;
    Vector mean(std::ssize(used));
    for (Index c = 0; c < shares.size(); ++c)
      for (Index k = 0; k < mean.size() && shares[c] > 0; ++k)
        mean[k] += shares[c] * density.mean(c, used[k]);
    return mean;
  }
  template <FeatureDensity Features>
  Vector operator()(const Features& density) const {
    const Matrix& values = values_of(density);
    Vector mean(values.cols());
    for (Index c = 0; c < shares.size(); ++c)
      for (Index j = 0; j < mean.size() && shares[c] > 0; ++j)
        mean[j] +=
            shares[c] * (Features::family == Family::exponential ? 1 / values(c, j) : values(c, j));
    return mean;
  }
  /// Words are never missing; their shares serve as a first guess of their means.
  Vector operator()(const MultinomialDensity& density) const {
    return mean_of(density.probability);
  }
  Vector operator()(const CategoricalDensity& density) const {
    Index levels = 0;
    for (const Names& names : density.levels) levels += names.size();
    Vector all(levels);
    Index first = 0;
    for (const Matrix& probability : density.probability) {
      const Vector mean = mean_of(probability);
      std::ranges::copy(mean, all.begin() + first);
      first += mean.size();
    }
    return all;
  }
  Vector operator()(const TextDensity&) const { return {}; }  // twins have no text

 private:
  Vector mean_of(const Matrix& of) const {
    Vector mean(of.cols());
    for (Index c = 0; c < shares.size(); ++c)
      for (Index j = 0; j < mean.size() && shares[c] > 0; ++j) mean[j] += shares[c] * of(c, j);
    return mean;
  }
};

}  // namespace

ExpectedCells::ExpectedCells(const Model::Parts& parts, const std::vector<Factor>& factors) {
  Vector shares = parts.weights;
  shares.map() /= parts.weights.map().sum();
  for (std::size_t b = 0; b < factors.size(); ++b) {
    auto block = std::make_shared<OfBlock>();
    block->mean = std::visit(MeanOfCells{shares, factors[b]}, parts.densities[b]);
    if (const auto* factor = std::get_if<GaussianFactor>(&factors[b]);
        factor && !factor->whitener.empty())
      block->joint = std::make_shared<JointBlock>(*factor, shares);
    blocks_.push_back(std::move(block));
  }
}

void ExpectedCells::complete(std::size_t block, double* numbers) const {
  const Vector& mean = blocks_[block]->mean;
  const Index n = mean.size();
  std::vector<Index> missing;
  for (Index j = 0; j < n; ++j)
    if (std::isnan(numbers[j])) missing.push_back(j);
  const auto fill_means = [&] {
    for (const Index j : missing) numbers[j] = mean[j];
  };
  JointBlock* const joint = blocks_[block]->joint.get();
  if (!joint || std::ssize(missing) == n) return fill_means();
  const GaussianFactor& factor = joint->factor;
  const Index classes = factor.mean.rows();
  std::call_once(joint->made, [&] {
    for (const Matrix& whitener : factor.whitener)
      joint->precision.push_back(precision_of(whitener));
  });
  // E[x | c] of what is missing, and log p(c, x_o) up to a term that classes share.
  Matrix expected(classes, std::ssize(missing));
  Vector log_joint(classes), deviation(n);
  try {
    std::optional<Conditional> conditional;
    for (Index c = 0; c < classes; ++c) {
      log_joint[c] = -infinity;
      if (!(joint->shares[c] > 0)) continue;
      const auto k = factor.whitener.size() == 1 ? 0 : static_cast<std::size_t>(c);
      if (!conditional || k > 0) conditional.emplace(joint->precision[k], missing);
      for (Index j = 0; j < n; ++j)
        deviation[j] =
            std::isnan(numbers[j]) ? 0 : (numbers[j] - factor.center[j]) - factor.mean(c, j);
      conditional->complete(deviation.data());
      double square = 0, log_det = 0;
      for (Index i = 0; i < n; ++i) {
        const double* row = factor.whitener[k].data() + i * n;
        const double y = std::inner_product(row, row + i + 1, deviation.begin(), 0.0);
        square += y * y;
        log_det += std::log(row[i]);
      }
      log_joint[c] =
          std::log(joint->shares[c]) + log_det - conditional->half_log_det() - 0.5 * square;
      for (Index m = 0; m < expected.cols(); ++m)
        expected(c, m) =
            factor.center[missing[m]] + (factor.mean(c, missing[m]) + deviation[missing[m]]);
    }
  } catch (const SingularError&) {  // too close to a singular covariance for conditional means
    return fill_means();
  }
  const double log_sum = log_sum_exp(log_joint);
  if (!std::isfinite(log_sum)) return fill_means();
  for (Index m = 0; m < expected.cols(); ++m) {
    double sum = 0;
    for (Index c = 0; c < classes; ++c)
      if (joint->shares[c] > 0) sum += std::exp(log_joint[c] - log_sum) * expected(c, m);
    numbers[missing[m]] = sum;
  }
}

}  // namespace suffice
