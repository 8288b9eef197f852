#include "models/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/blas.hpp"
#include "core/numeric.hpp"
#include "models/structure.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// sums[j] = p[0] + … + p[j].
void accumulate(std::span<const double> p, double* sums) {
  double sum = 0;
  for (const double value : p) *sums++ = sum += value;
}

/// The j with sums[j−1] ≤ u · total < sums[j]: never one of probability 0, unless all are; then -1.
Index pick(std::span<const double> sums, double u) {
  if (sums.empty() || !(sums.back() > 0)) return -1;
  const auto found = std::upper_bound(sums.begin(), sums.end(), u * sums.back());
  if (found != sums.end()) return found - sums.begin();
  // u · total was rounded up to the total: the last that has a probability.
  return std::lower_bound(sums.begin(), sums.end(), sums.back()) - sums.begin();
}

/// The Cholesky factor of the used features, on the correlation scale as in whiten(), transposed.
Matrix transposed_factor(const Matrix& covariance, std::span<const Index> used) {
  const auto n = static_cast<Index>(used.size());
  Matrix lower(n, n);
  Vector deviation(n);
  for (Index i = 0; i < n; ++i) {
    deviation[i] = std::sqrt(covariance(used[at(i)], used[at(i)]));
    for (Index j = 0; j <= i; ++j)
      lower(i, j) = covariance(used[at(i)], used[at(j)]) / deviation[i] / deviation[j];
  }
  blas::cholesky(n, lower.data(), n);  // the model's own factorisation has succeeded
  Matrix upper(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) upper(j, i) = lower(i, j) * deviation[i];
  return upper;
}

/// The smallest k with u ≤ P(X ≤ k), by adding up.
double poisson_by_inversion(double rate, double u) {
  double k = 0;
  double mass = std::exp(-rate);
  double sum = mass;
  while (u > sum) {
    mass *= rate / ++k;
    if (sum + mass == sum) break;  // u lies above the rounded total
    sum += mass;
  }
  return k;
}

/// Transformed rejection with a squeeze (Hörmann 1993, PTRS): exact, about 1.2 pairs of uniforms
/// for a large rate.
double poisson_by_rejection(double rate, RowRandom& random) {
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double edge = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    if (std::log(v * inverse_alpha / (a / (edge * edge) + b)) <= log_poisson(k, rate)) return k;
  }
}

constexpr double rejection_from = 30;

}  // namespace

void require_mixture(const Model& model, std::span<const double> mixture) {
  const Names& labels = model.labels();
  if (static_cast<Index>(mixture.size()) != labels.size())
    throw InvalidArgument("the mixture has " + std::to_string(mixture.size()) +
                          " probabilities, but the model has " + std::to_string(labels.size()) +
                          " classes; give one for each");
  double sum = 0;
  for (Index c = 0; c < labels.size(); ++c) {
    const double p = mixture[at(c)];
    if (!(p >= 0 && p <= 1 + 1e-9))
      throw InvalidArgument("the mixture gives class '" + labels[c] + "' the probability " +
                            name_of(p) + "; it must lie between 0 and 1");
    if (p > 0 && !(model.weights()[c] > 0))
      throw InvalidArgument("the mixture gives class '" + labels[c] + "' the probability " +
                            name_of(p) +
                            ", but the model has seen no row of it (its weight is 0); give it 0");
    sum += p;
  }
  if (!(std::abs(sum - 1) <= 1e-9))
    throw InvalidArgument("the probabilities of the mixture sum to " + name_of(sum) +
                          "; they must sum to 1");
}

Sampler::Sampler(const Model& model, std::span<const double> mixture)
    : model_(&model), cumulative_(mixture.size()) {
  accumulate(mixture, cumulative_.data());
  for (const Density& density : model.densities()) {
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density)) {
      Gaussian part{gaussian, {}, {}, {}};
      const Index d = gaussian->mean.cols();
      for (Index j = 0; j < d; ++j)
        if (!std::ranges::binary_search(gaussian->constant, j)) part.used.push_back(j);
      const auto n = static_cast<Index>(part.used.size());
      const bool tied = is_tied(gaussian->structure);
      const Index covariances = tied ? 1 : model.labels().size();
      if (is_dense(gaussian->structure)) {
        for (Index c = 0; c < covariances; ++c)
          part.factor.push_back(tied || mixture[at(c)] > 0
                                    ? transposed_factor(gaussian->covariance[at(c)], part.used)
                                    : Matrix());
      } else {
        const bool one_number = is_spherical(gaussian->structure);
        part.deviation = Matrix(covariances, n);
        for (Index c = 0; c < covariances; ++c)
          for (Index j = 0; j < n; ++j)
            part.deviation(c, j) =
                std::sqrt(gaussian->covariance[0](c, one_number ? 0 : part.used[at(j)]));
      }
      scratch_ = std::max(scratch_, n);
      parts_.emplace_back(std::move(part));
    } else if (const auto* bernoulli = std::get_if<BernoulliDensity>(&density)) {
      parts_.emplace_back(Bernoulli{&bernoulli->probability});
    } else if (const auto* poisson = std::get_if<PoissonDensity>(&density)) {
      parts_.emplace_back(Poisson{&poisson->rate});
    } else if (const auto* multinomial = std::get_if<MultinomialDensity>(&density)) {
      const Matrix& p = multinomial->probability;
      Multinomial part{Matrix(p.rows(), p.cols())};
      for (Index c = 0; c < p.rows(); ++c) accumulate(p.row(c), part.cumulative.row(c).data());
      parts_.emplace_back(std::move(part));
    } else if (const auto* categorical = std::get_if<CategoricalDensity>(&density)) {
      Categorical part;
      for (const Matrix& p : categorical->probability) {
        Matrix& sums = part.cumulative.emplace_back(p.rows(), p.cols());
        for (Index c = 0; c < p.rows(); ++c) accumulate(p.row(c), sums.row(c).data());
      }
      parts_.emplace_back(std::move(part));
    }
  }
}

/// Fills the features of one block.
struct Sampler::Draw {
  RowRandom& random;
  const std::vector<Index>& features;
  Index label;
  Index document_length;
  double* row;
  double* scratch;

  double& value(Index j) const { return row[features[at(j)]]; }

  void operator()(const Gaussian& part) const {
    const GaussianDensity& density = *part.density;
    for (Index j = 0; j < density.mean.cols(); ++j) value(j) = density.mean(label, j);
    const auto n = static_cast<Index>(part.used.size());
    const Index covariance = is_tied(density.structure) ? 0 : label;
    if (part.factor.empty()) {
      for (Index j = 0; j < n; ++j)
        value(part.used[at(j)]) += part.deviation(covariance, j) * random.normal();
      return;
    }
    // x = m + L z, column by column of L.
    const Matrix& factor = part.factor[at(covariance)];
    std::fill_n(scratch, n, 0.0);
    for (Index k = 0; k < n; ++k) {
      const double z = random.normal();
      const double* column = factor.row(k).data();
      for (Index j = k; j < n; ++j) scratch[j] += column[j] * z;
    }
    for (Index j = 0; j < n; ++j) value(part.used[at(j)]) += scratch[j];
  }

  void operator()(const Bernoulli& part) const {
    for (Index j = 0; j < part.probability->cols(); ++j)
      value(j) = random.uniform() < (*part.probability)(label, j) ? 1 : 0;
  }

  void operator()(const Poisson& part) const {
    for (Index j = 0; j < part.rate->cols(); ++j) {
      const double rate = (*part.rate)(label, j);
      value(j) = rate < rejection_from ? poisson_by_inversion(rate, random.uniform())
                                       : poisson_by_rejection(rate, random);
    }
  }

  void operator()(const Multinomial& part) const {
    for (Index j = 0; j < part.cumulative.cols(); ++j) value(j) = 0;
    for (Index word = 0; word < document_length; ++word)
      if (const Index j = pick(part.cumulative.row(label), random.uniform()); j >= 0) ++value(j);
  }

  void operator()(const Categorical& part) const {
    for (std::size_t j = 0; j < part.cumulative.size(); ++j) {
      const Index level = pick(part.cumulative[j].row(label), random.uniform());
      value(static_cast<Index>(j)) =
          level >= 0 ? static_cast<double>(level) : std::numeric_limits<double>::quiet_NaN();
    }
  }
};

Index Sampler::draw_class(RowRandom& random) const { return pick(cumulative_, random.uniform()); }

Index Sampler::draw_word(RowRandom& random, std::size_t block, Index label) const {
  return pick(std::get<Multinomial>(parts_[block]).cumulative.row(label), random.uniform());
}

Index Sampler::draw(RowRandom& random, const Index* document_length, double* row,
                    double* scratch) const {
  const Index label = draw_class(random);
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const std::vector<Index>& features = model_->schema().blocks()[b].features;
    std::visit(Draw{random, features, label, document_length[b], row, scratch}, parts_[b]);
  }
  return label;
}

}  // namespace suffice
