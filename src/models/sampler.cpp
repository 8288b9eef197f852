#include "models/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/at.hpp"
#include "core/blas.hpp"
#include "core/kernels.hpp"
#include "core/numeric.hpp"
#include "models/structure.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

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

/// The Cholesky factor of the used features, on the correlation scale as in whiten().
Matrix lower_factor(const Matrix& covariance, std::span<const Index> used) {
  const auto n = static_cast<Index>(used.size());
  Matrix lower(n, n);
  Vector deviation(n);
  for (Index i = 0; i < n; ++i) {
    deviation[i] = std::sqrt(covariance(used[at(i)], used[at(i)]));
    for (Index j = 0; j <= i; ++j)
      lower(i, j) = covariance(used[at(i)], used[at(j)]) / deviation[i] / deviation[j];
  }
  blas::cholesky(n, lower.data(), n);  // the model's own factorisation has succeeded
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) lower(i, j) *= deviation[i];
  return lower;
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

double draw_poisson(double rate, RowRandom& random) {
  return rate < rejection_from ? poisson_by_inversion(rate, random.uniform())
                               : poisson_by_rejection(rate, random);
}

/// A Gamma variate of that shape and rate 1 (Marsaglia and Tsang 2000); below the shape 1, one of
/// shape + 1 times u^(1/shape).
double draw_gamma(double shape, RowRandom& random) {
  if (shape < 1) {
    const double more = draw_gamma(shape + 1, random);
    return more * std::pow(random.uniform(), 1 / shape);
  }
  const double d = shape - 1. / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double u = random.uniform();
    const double root = 1 + c * x;
    if (!(root > 0)) continue;
    const double v = root * root * root;
    if (std::log(u) < x * x / 2 + d * (1 - v + std::log(v))) return d * v;
  }
}

/// What makes a normal deviate one of Student's t: √(ν / χ²_ν).
double draw_student_factor(double dof, RowRandom& random) {
  return std::sqrt(dof / 2 / draw_gamma(dof / 2, random));
}

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
                                    ? lower_factor(gaussian->covariance[at(c)], part.used)
                                    : Matrix());
      } else {
        const bool one_number = is_spherical(gaussian->structure);
        part.deviation = Matrix(covariances, n);
        for (Index c = 0; c < covariances; ++c)
          for (Index j = 0; j < n; ++j)
            part.deviation(c, j) =
                std::sqrt(gaussian->covariance[0](c, one_number ? 0 : part.used[at(j)]));
      }
      parts_.emplace_back(std::move(part));
    } else if (const auto* bernoulli = std::get_if<BernoulliDensity>(&density)) {
      parts_.emplace_back(Bernoulli{&bernoulli->probability});
    } else if (const auto* poisson = std::get_if<PoissonDensity>(&density)) {
      parts_.emplace_back(Poisson{&poisson->rate, &poisson->shape});
    } else if (const auto* multinomial = std::get_if<MultinomialDensity>(&density)) {
      const Matrix& p = multinomial->probability;
      Multinomial part{Matrix(p.rows(), p.cols()), &multinomial->concentration};
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

/// Fills the features of one block in all rows.
struct Sampler::Draw {
  const std::vector<Index>& features;
  Index count;
  Index document_length;
  double* rows;
  Index stride;
  Scratch& scratch;

  double& value(Index i, Index j) const { return rows[i * stride + features[at(j)]]; }
  RowRandom& random(Index i) const { return scratch.random[at(i)]; }
  Index label(Index i) const { return scratch.label[at(i)]; }

  void operator()(const Gaussian& part) const {
    const GaussianDensity& density = *part.density;
    const auto n = static_cast<Index>(part.used.size());
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < density.mean.cols(); ++j) value(i, j) = density.mean(label(i), j);
    if (part.factor.empty()) {
      for (Index i = 0; i < count; ++i) {
        const auto deviation = part.deviation.row(is_tied(density.structure) ? 0 : label(i));
        const bool one_each = !density.dof.empty() && is_diagonal(density.structure);
        const bool joint = !density.dof.empty() && !one_each;
        const double shared = joint ? draw_student_factor(density.dof(label(i), 0), random(i)) : 1;
        for (Index j = 0; j < n; ++j) {
          double& x = value(i, part.used[at(j)]);
          double step = deviation[at(j)] * random(i).normal();
          if (one_each)
            step *= draw_student_factor(density.dof(label(i), part.used[at(j)]), random(i));
          if (!density.scale.empty()) step *= std::sqrt(density.scale(label(i), part.used[at(j)]));
          x += step * shared;
        }
      }
      return;
    }
    // x = m + L z for rows of one class side by side, so that L is read once for all of them. What
    // a row gets does not depend on its neighbours.
    constexpr Index side_by_side = kernels::rows_at_once;
    if (scratch.normal.size() < n * side_by_side) {
      scratch.normal = Vector(n * side_by_side);
      scratch.product = Vector(n * side_by_side);
    }
    for (Index first = 0; first < count;) {
      const Index c = label(scratch.order[at(first)]);
      Index last = first;
      while (last < count && last - first < side_by_side && label(scratch.order[at(last)]) == c)
        ++last;
      for (Index k = first; k < last; ++k) {
        RowRandom& own = random(scratch.order[at(k)]);
        double factor = 1;
        if (!density.dof.empty()) factor = draw_student_factor(density.dof(c, 0), own);
        if (!density.scale.empty()) factor *= std::sqrt(density.scale(c, 0));
        for (Index j = 0; j < n; ++j)
          scratch.normal[j * side_by_side + k - first] = factor * own.normal();
      }
      kernels::multiply_lower(scratch.normal.data(), n,
                              part.factor[is_tied(density.structure) ? 0 : at(c)].data(),
                              scratch.product.data());
      for (Index k = first; k < last; ++k)
        for (Index j = 0; j < n; ++j)
          value(scratch.order[at(k)], part.used[at(j)]) +=
              scratch.product[j * side_by_side + k - first];
      first = last;
    }
  }

  void operator()(const Bernoulli& part) const {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < part.probability->cols(); ++j)
        value(i, j) = random(i).uniform() < (*part.probability)(label(i), j) ? 1 : 0;
  }

  void operator()(const Poisson& part) const {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < part.rate->cols(); ++j) {
        double rate = (*part.rate)(label(i), j);
        if (!part.shape->empty() && rate > 0) {
          const double shape = (*part.shape)(label(i), j);
          rate *= draw_gamma(shape, random(i)) / shape;
        }
        value(i, j) = draw_poisson(rate, random(i));
      }
  }

  void operator()(const Multinomial& part) const {
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < part.cumulative.cols(); ++j) value(i, j) = 0;
      scratch.document.clear();
      for (Index word = 0; word < document_length; ++word)
        ++value(i, part.next_word(random(i), label(i), scratch.document));
    }
  }

  void operator()(const Categorical& part) const {
    for (Index i = 0; i < count; ++i)
      for (std::size_t j = 0; j < part.cumulative.size(); ++j) {
        const Index level = pick(part.cumulative[j].row(label(i)), random(i).uniform());
        value(i, static_cast<Index>(j)) =
            level >= 0 ? static_cast<double>(level) : std::numeric_limits<double>::quiet_NaN();
      }
  }
};

Index Sampler::draw_class(RowRandom& random) const { return pick(cumulative_, random.uniform()); }

/// Known probabilities, or Pólya's urn: with n words drawn, the next one is a copy of one of them
/// with probability n / (A + n), and otherwise a new one.
Index Sampler::Multinomial::next_word(RowRandom& random, Index label,
                                      std::vector<Index>& document) const {
  if (concentration->empty()) return pick(cumulative.row(label), random.uniform());
  const auto drawn = static_cast<double>(document.size());
  const double ball = document.empty() ? 0 : random.uniform() * ((*concentration)[label] + drawn);
  const Index word = !document.empty() && ball < drawn
                         ? document[static_cast<std::size_t>(ball)]
                         : pick(cumulative.row(label), random.uniform());
  document.push_back(word);
  return word;
}

Index Sampler::draw_word(RowRandom& random, std::size_t block, Index label,
                         std::vector<Index>& document) const {
  return std::get<Multinomial>(parts_[block]).next_word(random, label, document);
}

void Sampler::draw(std::uint64_t seed, std::uint64_t first, Index count,
                   const Index* document_length, double* rows, Scratch& scratch) const {
  scratch.random.clear();
  scratch.label.resize(at(count));
  scratch.order.resize(at(count));
  for (Index i = 0; i < count; ++i) {
    scratch.random.emplace_back(seed, first + static_cast<std::uint64_t>(i));
    scratch.label[at(i)] = draw_class(scratch.random.back());
  }
  std::iota(scratch.order.begin(), scratch.order.end(), Index{0});
  std::ranges::stable_sort(scratch.order, {}, [&](Index i) { return scratch.label[at(i)]; });
  for (std::size_t b = 0; b < parts_.size(); ++b) {
    const std::vector<Index>& features = model_->schema().blocks()[b].features;
    std::visit(Draw{features, count, document_length[b], rows, model_->schema().size(), scratch},
               parts_[b]);
  }
}

}  // namespace suffice
