#include "export/logistic_terms.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/at.hpp"
#include "factor/factors.hpp"
#include "models/feature_family.hpp"

namespace suffice {
namespace {

/// One block of the twin: its weights, and what stands for a missing value.
class LogisticBlock {
 public:
  LogisticBlock(const Model& model, std::size_t block)
      : model_(model),
        factor_(*model.factors().logistic),
        first_(factor_.first_term[block]),
        first_origin_(factor_.first_origin[block]),
        classes_(model.labels().size()),
        fill_(factor_.expected.mean(block)),
        base_(block == 0 ? factor_.base : Vector(classes_)) {}

  LogisticPart part(const Density& density) {
    Terms terms = std::visit([&](const auto& of) { return terms_of(of); }, density);
    return {std::move(terms), std::move(base_)};
  }

 private:
  double weight(Index c, Index t) const { return model_.logistic()->weights(c, first_ + t); }
  /// Term t of a row in which nothing is known.
  void add_base(Index t, double value) {
    for (Index c = 0; c < classes_; ++c)
      base_[c] += weight(c, t) * (value - model_.logistic()->center[first_ + t]);
  }

  /// Σ w (z + m − center) and Σ w ((z_i + m_i − o_i)(z_j + m_j − o_j) − center), z = x − m.
  Terms terms_of(const GaussianDensity& density) {
    const Index n = fill_.size();
    LinearTerms terms{fill_, Matrix(classes_, n), Vector(classes_)};
    for (Index j = 0; j < n; ++j) {
      for (Index c = 0; c < classes_; ++c) terms.weight(c, j) = weight(c, j);
      add_base(j, fill_[j]);
    }
    const Powers powers = powers_of(density);
    if (powers == Powers::linear) return terms;
    const auto apart = [&](Index j) {
      return fill_[j] - model_.logistic()->origin[first_origin_ + j];
    };
    const Index products = term_count(density) - n;
    terms.product = Matrix(classes_, products);
    Index t = 0;
    for (Index i = 0; i < n; ++i)
      for (Index j = i; j < (powers == Powers::products ? n : i + 1); ++j, ++t) {
        for (Index c = 0; c < classes_; ++c) {
          const double w = weight(c, n + t);
          terms.product(c, t) = w;
          terms.weight(c, i) += w * apart(j);
          terms.weight(c, j) += w * apart(i);
        }
        add_base(n + t, apart(i) * apart(j));
      }
    return terms;
  }

  /// No discriminative model has text.
  Terms terms_of(const TextDensity&) { return TextTerms(); }

  Terms terms_of(const BernoulliDensity&) {
    BinaryTerms terms{Matrix(classes_, fill_.size()), Matrix(classes_, fill_.size())};
    for (Index j = 0; j < fill_.size(); ++j) {
      for (Index c = 0; c < classes_; ++c) {
        terms.log_zero(c, j) = -weight(c, j) * fill_[j];
        terms.log_one(c, j) = weight(c, j) * (1 - fill_[j]);
      }
      add_base(j, fill_[j]);
    }
    return terms;
  }

  template <FeatureDensity Features>
  Terms terms_of(const Features&) {
    return counts();
  }
  /// Words are never missing.
  Terms terms_of(const MultinomialDensity&) {
    CountTerms terms{.documents = true, .slope = Matrix(classes_, fill_.size())};
    for (Index j = 0; j < fill_.size(); ++j) {
      for (Index c = 0; c < classes_; ++c) terms.slope(c, j) = weight(c, j);
      add_base(j, 0);
    }
    return terms;
  }
  CountTerms counts() {
    CountTerms terms{.constant = Matrix(classes_, fill_.size()),
                     .slope = Matrix(classes_, fill_.size())};
    for (Index j = 0; j < fill_.size(); ++j) {
      for (Index c = 0; c < classes_; ++c) {
        terms.slope(c, j) = weight(c, j);
        terms.constant(c, j) = -weight(c, j) * fill_[j];
      }
      add_base(j, fill_[j]);
    }
    return terms;
  }

  Terms terms_of(const CategoricalDensity& density) {
    LevelTerms terms;
    Index first = 0;
    for (const Names& levels : density.levels) {
      Matrix table(levels.size(), classes_);
      for (Index c = 0; c < classes_; ++c) {
        double filled = 0;
        for (Index l = 0; l < levels.size(); ++l) filled += weight(c, first + l) * fill_[first + l];
        for (Index l = 0; l < levels.size(); ++l) table(l, c) = weight(c, first + l) - filled;
      }
      for (Index l = 0; l < levels.size(); ++l) add_base(first + l, fill_[first + l]);
      first += levels.size();
      terms.log_probability.push_back(std::move(table));
    }
    return terms;
  }

  const Model& model_;
  const LogisticFactor& factor_;
  Index first_, first_origin_, classes_;
  const Vector& fill_;
  Vector base_;
};

}  // namespace

LogisticPart logistic_part(const Model& model, std::size_t block) {
  return LogisticBlock(model, block).part(model.densities()[block]);
}

}  // namespace suffice
