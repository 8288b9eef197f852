#include "sample/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/kernels.hpp"
#include "models/gaussian_density.hpp"
#include "models/variates.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

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

/// What makes a normal deviate one of Student's t: √(ν / χ²_ν).
double draw_student_factor(double dof, RowRandom& random) {
  return std::sqrt(dof / 2 / draw_gamma(dof / 2, random));
}

[[noreturn]] void throw_no_density() {
  throw InvalidArgument(
      "complement naive Bayes knows the documents outside of each class, and has no density to "
      "draw documents from",
      "use " + Option{"event_model", "multinomial"});
}

}  // namespace

void require_mixture(const Model& model, std::span<const double> mixture) {
  const Names& labels = model.labels();
  if (static_cast<Index>(mixture.size()) != labels.size())
    throw InvalidArgument("the mixture has " + std::to_string(mixture.size()) +
                              " probabilities, but the model has " + std::to_string(labels.size()) +
                              " classes",
                          "give one for each");
  double sum = 0;
  for (Index c = 0; c < labels.size(); ++c) {
    const double p = mixture[at(c)];
    if (!(p >= 0 && p <= 1 + 1e-9))
      throw InvalidArgument(
          "the mixture gives class '" + labels[c] + "' the probability " + name_of(p),
          "it must lie between 0 and 1");
    if (p > 0 && !(model.weights()[c] > 0))
      throw InvalidArgument("the mixture gives class '" + labels[c] + "' the probability " +
                                name_of(p) +
                                ", but the model has seen no row of it (its weight is 0)",
                            "give it 0");
    sum += p;
  }
  if (!(std::abs(sum - 1) <= 1e-9))
    throw InvalidArgument("the probabilities of the mixture sum to " + name_of(sum),
                          "they must sum to 1");
}

/// What all rows share of one block.
struct Sampler::Prepare {
  Index classes;
  std::span<const double> mixture;

  Part operator()(const GaussianDensity& density) const {
    Gaussian part{&density, {}, {}, {}};
    for (Index j = 0; j < density.mean.cols(); ++j)
      if (!std::ranges::binary_search(density.constant, j)) part.used.push_back(j);
    const auto n = static_cast<Index>(part.used.size());
    const bool tied = is_tied(density.structure);
    const Index covariances = tied ? 1 : classes;
    if (!density.thin.empty()) {
      part.deviation = Matrix(covariances, n);
      for (Index c = 0; c < covariances; ++c)
        for (Index j = 0; j < n; ++j)
          part.deviation(c, j) = std::sqrt(density.thin.diagonal(c, part.used[at(j)]));
    } else if (is_dense(density.structure)) {
      for (Index c = 0; c < covariances; ++c)
        part.factor.push_back(tied || mixture[at(c)] > 0
                                  ? lower_factor(density.covariance[at(c)], part.used)
                                  : Matrix());
    } else {
      const bool one_number = is_spherical(density.structure);
      part.deviation = Matrix(covariances, n);
      for (Index c = 0; c < covariances; ++c)
        for (Index j = 0; j < n; ++j)
          part.deviation(c, j) =
              std::sqrt(density.covariance[0](c, one_number ? 0 : part.used[at(j)]));
    }
    return part;
  }
  template <FeatureDensity Density>
  Part operator()(const Density& density) const {
    const Matrix* shapes = shapes_of(density);
    return Features{&values_of(density), shapes && !shapes->empty() ? shapes : nullptr,
                    FeatureFamily<Density>::draw};
  }
  Part operator()(const MultinomialDensity& density) const {
    if (density.event_model == EventModel::complement) throw_no_density();
    const Matrix& p = density.probability;
    Multinomial part{Matrix(p.rows(), p.cols()), {}, &density.concentration};
    for (Index c = 0; c < p.rows(); ++c) {
      accumulate(p.row(c), part.cumulative.row(c).data());
      const std::span<const double> sums = part.cumulative.row(c);
      std::int32_t j = 0;
      for (Index k = 0; k < p.cols(); ++k) {
        const double from = static_cast<double>(k) / static_cast<double>(p.cols()) * sums.back();
        while (j + 1 < p.cols() && !(sums[at(j)] > from)) ++j;
        part.start.push_back(j);
      }
    }
    return part;
  }
  Part operator()(const CategoricalDensity& density) const {
    Categorical part;
    for (const Matrix& p : density.probability) {
      Matrix& sums = part.cumulative.emplace_back(p.rows(), p.cols());
      for (Index c = 0; c < p.rows(); ++c) accumulate(p.row(c), sums.row(c).data());
    }
    return part;
  }
  Part operator()(const TextDensity& density) const {
    Text part{&density, {}};
    if (density.event_model == EventModel::complement) throw_no_density();
    for (std::size_t j = 0; j < density.words.size(); ++j) {
      const Matrix& p = density.probability[j];
      Matrix& sums = part.cumulative.emplace_back(p.rows(), p.cols());
      for (Index c = 0; c < p.rows(); ++c) {
        double sum = 0;  // of words as they were before they were weighed
        for (Index i = 0; i < p.cols(); ++i)
          sums(c, i) = sum += p(c, i) / (density.idf.empty() ? 1 : density.idf[j][i]);
      }
    }
    return part;
  }
};

Sampler::Sampler(const Model& model, std::span<const double> mixture)
    : model_(&model), cumulative_(mixture.size()) {
  accumulate(mixture, cumulative_.data());
  for (const Density& density : model.densities())
    parts_.push_back(std::visit(Prepare{model.labels().size(), mixture}, density));
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
        const bool one_each = is_one_each(density);
        const bool joint = !density.dof.empty() && !one_each;
        const double shared = joint ? draw_student_factor(density.dof(label(i), 0), random(i)) : 1;
        for (Index j = 0; j < n; ++j) {
          double& x = value(i, part.used[at(j)]);
          double step = deviation[at(j)] * random(i).normal();
          if (one_each)
            step *= draw_student_factor(density.dof(label(i), part.used[at(j)]), random(i));
          if (!density.scale.empty())
            step *= std::sqrt(scale_at(density, label(i), part.used[at(j)]));
          x += step * shared;
        }
        if (!density.thin.empty()) add_directions(part, i, shared);
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

  /// Fᵀ z of a thin covariance, in the same units as the deviations.
  void add_directions(const Gaussian& part, Index i, double shared) const {
    const GaussianDensity& density = *part.density;
    const ThinCovariance& thin = density.thin;
    const double scale = density.scale.empty() ? 1 : std::sqrt(density.scale(label(i), 0));
    const Index first = thin.first_row(label(i));
    for (Index k = first; k < first + thin.rows_of(label(i)); ++k) {
      const double z = shared * scale * random(i).normal();
      for (const Index j : part.used) value(i, j) += z * thin.factor(k, j);
    }
  }

  void operator()(const Features& part) const {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < part.value->cols(); ++j)
        value(i, j) = part.draw({.value = (*part.value)(label(i), j),
                                 .shape = part.shape ? (*part.shape)(label(i), j) : 0},
                                random(i));
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

  void operator()(const Text& part) const {
    for (std::size_t j = 0; j < part.cumulative.size(); ++j) {
      std::vector<std::string>& documents = scratch.texts[at(features[j])];
      for (Index i = 0; i < count; ++i) {
        documents.push_back(part.draw(random(i), j, label(i), document_length));
        value(i, static_cast<Index>(j)) = 0;
      }
    }
  }
};

/// The words of a document, with spaces between them.
std::string Sampler::Text::draw(RowRandom& random, std::size_t feature, Index label,
                                Index length) const {
  std::string document;
  const auto add = [&](Index word) {
    if (!document.empty()) document += ' ';
    document += density->words[feature][word];
  };
  const Matrix& p = density->probability[feature];
  if (density->event_model == EventModel::bernoulli) {
    for (Index i = 0; i < p.cols(); ++i)
      if (random.uniform() < p(label, i)) add(i);
    return document;
  }
  for (Index n = 0; n < length; ++n)
    if (const Index word = pick(cumulative[feature].row(label), random.uniform()); word >= 0)
      add(word);
  return document;
}

Index Sampler::draw_class(RowRandom& random) const { return pick(cumulative_, random.uniform()); }

/// As pick(), without a search of the whole list: the words that a part of the unit interval means
/// are few on average.
Index Sampler::Multinomial::pick_word(double u, Index label) const {
  const std::span<const double> sums = cumulative.row(label);
  if (sums.empty() || !(sums.back() > 0)) return -1;
  const double wanted = u * sums.back();
  if (!(wanted < sums.back())) return pick(sums, u);
  const auto d = static_cast<Index>(sums.size());
  const Index part = std::min(static_cast<Index>(u * static_cast<double>(d)), d - 1);
  Index j = start[at(label * d + part)];
  while (j > 0 && sums[at(j - 1)] > wanted) --j;  // the part's end was rounded
  while (!(sums[at(j)] > wanted)) ++j;
  return j;
}

/// Known probabilities, or Pólya's urn: with n words drawn, the next one is a copy of one of them
/// with probability n / (A + n), and otherwise a new one.
Index Sampler::Multinomial::next_word(RowRandom& random, Index label,
                                      std::vector<Index>& document) const {
  if (concentration->empty()) return pick_word(random.uniform(), label);
  const auto drawn = static_cast<double>(document.size());
  const double ball = document.empty() ? 0 : random.uniform() * ((*concentration)[label] + drawn);
  const Index word = !document.empty() && ball < drawn ? document[static_cast<std::size_t>(ball)]
                                                       : pick_word(random.uniform(), label);
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
  scratch.texts.assign(at(model_->schema().size()), {});
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
