#include "suffice/inspect/discriminant.hpp"

#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "algebra/blas.hpp"
#include "core/at.hpp"
#include "core/constants.hpp"
#include "data/transform.hpp"
#include "factor/factors.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// The columns z: where each feature's first column is, and all names.
struct Columns {
  std::vector<Index> first;
  std::vector<std::string> names;
};

Columns columns_of(const Model& model) {
  std::vector<const Names*> levels(at(model.schema().size()), nullptr);
  std::vector<const Words*> words(at(model.schema().size()), nullptr);
  for (std::size_t b = 0; b < model.densities().size(); ++b)
    if (const auto* categorical = std::get_if<CategoricalDensity>(&model.densities()[b])) {
      const std::vector<Index>& features = model.schema().blocks()[b].features;
      for (std::size_t j = 0; j < features.size(); ++j)
        levels[features[j]] = &categorical->levels[j];
    } else if (const auto* text = std::get_if<TextDensity>(&model.densities()[b])) {
      const std::vector<Index>& features = model.schema().blocks()[b].features;
      for (std::size_t j = 0; j < features.size(); ++j) words[features[j]] = &text->words[j];
    }
  Columns columns;
  for (Index i = 0; i < model.schema().size(); ++i) {
    const std::string name = transformed_name(model.schema().feature(i));
    columns.first.push_back(std::ssize(columns.names));
    if (words[i])
      for (Index w = 0; w < words[i]->size(); ++w)
        columns.names.push_back(name + "=" + std::string((*words[i])[w]));
    else if (!levels[i])
      columns.names.push_back(name);
    else
      for (const std::string& level : *levels[i]) columns.names.push_back(name + "=" + level);
  }
  return columns;
}

bool is_quadratic(const Model& model) {
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density))
      if (!is_tied(gaussian->structure)) return true;
  return false;
}

Index class_of(const Model& model, std::string_view label) {
  if (model.mixture())
    throw InvalidArgument(
        "classes of this model are mixtures of several components, and the "
        "logarithm of such a density is no polynomial",
        "look at the components one by one");
  const Index c = model.labels().at(label, "class");
  if (!(model.weights()[c] > 0))
    throw InvalidArgument("class '" + std::string(label) +
                          "' has weight 0: it has no density to show");
  return c;
}

/// Adds sign · log p(x | c), block by block, to a form.
class Builder {
 public:
  explicit Builder(const Model& model) : model_(model), columns_(columns_of(model)) {
    const Index size = std::ssize(columns_.names);
    form_.w = Vector(size);
    if (is_quadratic(model)) form_.A = Matrix(size, size);
  }

  /// `pair`: the other class follows, so that what both share drops out.
  void add(Index c, double sign, bool pair) {
    if (model_.logistic()) return add_weights(c, sign);
    for (std::size_t b = 0; b < model_.densities().size(); ++b) {
      features_ = &model_.schema().blocks()[b].features;
      density_ = &model_.densities()[b];
      std::visit([&](const auto& factor) { add_block(factor, c, sign, pair); },
                 model_.factors().blocks[b]);
    }
  }

  Discriminant take() {
    form_.columns = std::move(columns_.names);
    return std::move(form_);
  }

 private:
  Index column(Index position) const { return columns_.first[(*features_)[position]]; }

  /// P = Σ⁻¹ = Wᵀ W of one class, over the used features.
  static Matrix precision(const GaussianFactor& factor, Index c) {
    const Index n = std::ssize(factor.used);
    Matrix result(n, n);
    if (factor.whitener.empty()) {
      const auto inverse =
          factor.inverse_deviation.row(factor.inverse_deviation.rows() == 1 ? 0 : c);
      for (Index i = 0; i < n; ++i) result(i, i) = inverse[i] * inverse[i];
    } else if (n > 0) {
      const Matrix& w = factor.whitener[factor.whitener.size() == 1 ? 0 : at(c)];
      blas::gemm_tn(n, n, n, 1, w.data(), n, w.data(), n, 0, result.data(), n);
    }
    return result;
  }

  /// What a block adds, over the features that its density uses (or their projections).
  struct Part {
    Matrix A;
    Vector w;
    double c = 0;
  };

  /// −½ xᵀ P x + (P m)ᵀ x − ½ mᵀ P m − ½ log det 2πΣ, about the offset of a projection.
  static Part quadratic(const GaussianFactor& factor, const Vector& mean, Index c) {
    Part part = linear(factor, mean, c);
    part.A = precision(factor, c);
    const Index n = part.w.size();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j)
        part.A(i, j) = part.A(j, i) = -0.25 * (part.A(i, j) + part.A(j, i));
    part.c += factor.log_norm[c];
    return part;
  }

  /// a⁻¹ m − Bᵀ B m, of a thin covariance that classes share.
  static Vector thin_precision_times(const ThinFactor& thin, const Vector& mean) {
    Vector result(mean.size());
    for (Index j = 0; j < mean.size(); ++j) result[j] = thin.inverse(0, j) * mean[j];
    for (Index i = 0; i < thin.directions.rows(); ++i) {
      const auto row = thin.directions.row(i);
      const double y = std::inner_product(row.begin(), row.end(), mean.begin(), 0.0);
      for (Index j = 0; j < mean.size(); ++j) result[j] -= row[j] * y;
    }
    return result;
  }

  /// (P m)ᵀ x − ½ mᵀ P m
  static Part linear(const GaussianFactor& factor, const Vector& mean, Index c) {
    if (!factor.thin.empty()) {
      Part part{{}, thin_precision_times(factor.thin, mean)};
      for (Index j = 0; j < mean.size(); ++j) part.c -= 0.5 * part.w[j] * mean[j];
      return part;
    }
    const Matrix p = precision(factor, c);
    Part part{{}, Vector(p.rows())};
    for (Index i = 0; i < p.rows(); ++i) {
      for (Index j = 0; j < p.rows(); ++j) part.w[i] += p(i, j) * mean[j];
      part.c -= 0.5 * part.w[i] * mean[i];
    }
    return part;
  }

  /// The same for a pair of classes of a tied covariance, about their centre: what they share is
  /// never there to cancel.
  static Part centred(const GaussianFactor& factor, const Vector& center, Index c) {
    Part part{{}, Vector(std::ssize(factor.used)), factor.linear_constant[c]};
    for (Index j = 0; j < part.w.size(); ++j) {
      part.w[j] = factor.linear(c, j);
      part.c -= factor.linear(c, j) * center[j];
    }
    return part;
  }

  void add_block(const GaussianFactor& factor, Index c, double sign, bool pair) {
    const auto& density = std::get<GaussianDensity>(*density_);
    // z = Mᵀ x − Mᵀ offset: with the centre moved by Mᵀ offset, a form over Mᵀ x.
    Vector center = factor.center;
    const LinearMap& map = density.projection;
    for (Index j = 0; j < center.size() && !map.empty(); ++j)
      for (Index i = 0; i < map.offset.size(); ++i)
        center[j] += map.matrix(i, factor.used[j]) * map.offset[i];
    Vector mean = center;
    for (Index j = 0; j < mean.size(); ++j) mean[j] += factor.mean(c, j);
    const Part part = !is_tied(density.structure) ? quadratic(factor, mean, c)
                      : pair                      ? centred(factor, center, c)
                                                  : linear(factor, mean, c);
    form_.c += sign * part.c;
    if (map.empty())
      place(part, factor.used, sign);
    else
      place(through(map, factor.used, part), {}, sign);
  }

  /// Of a discriminative model: its weights, multiplied out.
  void add_weights(Index c, double sign) {
    const Logistic& logistic = *model_.logistic();
    const LogisticFactor& factor = *model_.factors().logistic;
    form_.c += sign * factor.base[c];
    for (std::size_t b = 0; b < model_.densities().size(); ++b) {
      features_ = &model_.schema().blocks()[b].features;
      const double* weight = logistic.weights.row(c).data() + factor.first_term[b];
      const double* center = logistic.center.data() + factor.first_term[b];
      const Index count = term_count(model_.densities()[b]);
      if (const auto* density = std::get_if<GaussianDensity>(&model_.densities()[b])) {
        add_weights(*density, std::get<GaussianFactor>(model_.factors().blocks[b]).used, weight,
                    center, logistic.origin.data() + factor.first_origin[b], sign);
        continue;
      }
      for (Index t = 0; t < count; ++t) form_.c -= sign * weight[t] * center[t];
      const auto* levels = std::get_if<CategoricalDensity>(&model_.densities()[b]);
      for (Index j = 0, t = 0; j < std::ssize(*features_); ++j)
        for (Index l = 0; l < (levels ? levels->levels[at(j)].size() : 1); ++l, ++t)
          form_.w[column(j) + l] += sign * weight[t];
    }
  }

  void add_weights(const GaussianDensity& density, const std::vector<Index>& used,
                   const double* weight, const double* center, const double* origin, double sign) {
    const Index n = std::ssize(used);
    const Powers powers = powers_of(density);
    const LinearMap& map = density.projection;
    Vector moved(n);  // z = Mᵀ x − moved
    for (Index j = 0; j < n && !map.empty(); ++j)
      for (Index i = 0; i < map.offset.size(); ++i)
        moved[j] += map.matrix(i, used[j]) * map.offset[i];
    Part part{powers == Powers::linear ? Matrix() : Matrix(n, n), Vector(n)};
    for (Index j = 0; j < n; ++j) {
      part.w[j] = weight[j];
      part.c -= weight[j] * (center[j] + moved[j]);
    }
    Index t = n;
    for (Index i = 0; i < n && powers != Powers::linear; ++i)
      for (Index j = i; j < (powers == Powers::products ? n : i + 1); ++j, ++t) {
        const double a = origin[i] + moved[i], b = origin[j] + moved[j];
        part.A(i, j) += 0.5 * weight[t];
        part.A(j, i) += 0.5 * weight[t];
        part.w[i] -= weight[t] * b;
        part.w[j] -= weight[t] * a;
        part.c += weight[t] * (a * b - center[t]);
      }
    form_.c += sign * part.c;
    if (map.empty())
      place(part, used, sign);
    else
      place(through(map, used, part), {}, sign);
  }

  /// Over the features: M A Mᵀ and M w.
  static Part through(const LinearMap& map, const std::vector<Index>& used, const Part& part) {
    const Index d = map.matrix.rows(), n = part.w.size();
    Matrix m(d, n);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < n; ++j) m(i, j) = map.matrix(i, used[j]);
    Part result{{}, Vector(d)};
    blas::gemm(d, 1, n, 1, m.data(), n, part.w.data(), 1, 0, result.w.data(), 1);
    if (part.A.empty()) return result;
    Matrix half(d, n);
    result.A = Matrix(d, d);
    blas::gemm(d, n, n, 1, m.data(), n, part.A.data(), n, 0, half.data(), n);
    blas::gemm_nt(d, d, n, 1, half.data(), n, m.data(), n, 0, result.A.data(), d);
    return result;
  }

  /// Adds A and w at the columns of some features of the block (empty: of all of them).
  void place(const Part& part, const std::vector<Index>& features, double sign) {
    const auto at_column = [&](Index i) { return column(features.empty() ? i : features[i]); };
    for (Index i = 0; i < part.w.size(); ++i) {
      form_.w[at_column(i)] += sign * part.w[i];
      for (Index j = 0; j < part.A.cols(); ++j)
        form_.A(at_column(i), at_column(j)) += sign * 0.5 * (part.A(i, j) + part.A(j, i));
    }
  }

  void add_block(const CountFactor& factor, Index c, double sign, bool) {
    form_.c += sign * factor.constant[c];
    for (Index j = 0; j < factor.slope.cols(); ++j) form_.w[column(j)] += sign * factor.slope(c, j);
    for (const CountFactor::Excluded& excluded : factor.excluded) {
      if (excluded.label != c) continue;
      if (excluded.zero)
        throw InvalidArgument("class '" + model_.labels()[c] + "' excludes 0 in feature '" +
                                  model_.schema().feature((*features_)[excluded.feature]).name +
                                  "' (its probability of 1 is 1), which no linear form can say",
                              "estimate with a smoothing above 0");
      form_.w[column(excluded.feature)] -= sign * infinity;
    }
  }

  void add_block(const TextFactor& factor, Index c, double sign, bool) {
    for (Index j = 0; j < factor.constant.rows(); ++j) {
      form_.c += sign * factor.constant(j, c);
      const Matrix& slope = factor.slope[at(j)];
      for (Index i = 0; i < slope.rows(); ++i) form_.w[column(j) + i] += sign * slope(i, c);
    }
  }

  void add_block(const CategoricalFactor& factor, Index c, double sign, bool) {
    for (Index j = 0; j + 1 < std::ssize(factor.first); ++j)
      for (Index l = 0; l < factor.first[j + 1] - factor.first[j]; ++l)
        form_.w[column(j) + l] += sign * factor.table(factor.first[j] + l, c);
  }

  const Model& model_;
  Columns columns_;
  const std::vector<Index>* features_ = nullptr;  ///< of the current block
  const Density* density_ = nullptr;              ///< of the current block
  Discriminant form_;
};

/// Whether log p(x | c) is linear or quadratic in x. Student's t and other posterior predictive
/// densities are not.
struct HasForm {
  bool operator()(const GaussianFactor& factor) const { return factor.dof.empty(); }
  bool operator()(const CountFactor& factor) const {
    return factor.shape.empty() && factor.length_power == 1;
  }
  bool operator()(const CategoricalFactor&) const { return true; }
  bool operator()(const TextFactor& factor) const { return factor.length_power == 1; }
};

void require_form(const Model& model) {
  if (model.logistic()) return;
  for (const Density& density : model.densities())
    if (const auto* gaussian = std::get_if<GaussianDensity>(&density);
        gaussian && !gaussian->thin.empty() && gaussian->structure == Covariance::full)
      throw InvalidArgument("the quadratic form of " + std::to_string(gaussian->mean.cols()) +
                                " features has the square of that many numbers, which a model of "
                                "fewer rows than features never makes",
                            "use " + Option{"covariance", "tied"} +
                                ", whose discriminant is "
                                "linear, or " +
                                Option{"pca"});
  for (const Factor& factor : model.factors().blocks)
    if (!std::visit(HasForm{}, factor))
      throw InvalidArgument(
          "the logarithms of Student's t and of posterior predictive densities (negative binomial, "
          "Dirichlet-multinomial and related distributions) are neither linear nor quadratic in x, "
          "so there is no discriminant to show",
          "use " + Option{"tails", "normal"} + " and " + Option{"estimate", "plugin"} + " or " +
              Option{"estimate", "map"});
}

}  // namespace

double Discriminant::operator()(std::span<const double> z) const {
  if (std::ssize(z) != w.size())
    throw InvalidArgument("the discriminant has " + std::to_string(w.size()) + " columns, not " +
                          std::to_string(z.size()));
  double value = c;
  for (Index i = 0; i < w.size(); ++i) {
    if (z[i] == 0) continue;  // also where the coefficient is infinite
    value += w[i] * z[i];
    if (A.empty()) continue;
    double row = 0;
    for (Index j = 0; j < w.size(); ++j) row += A(i, j) * z[j];
    value += row * z[i];
  }
  return value;
}

Discriminant discriminant(const Model& model, std::string_view label) {
  require_form(model);
  const Index c = class_of(model, label);
  Builder builder(model);
  builder.add(c, 1, false);
  return builder.take();
}

Discriminant discriminant(const Model& model, std::string_view first, std::string_view second) {
  require_form(model);
  const Index a = class_of(model, first);
  const Index b = class_of(model, second);
  Builder builder(model);
  builder.add(a, 1, true);
  builder.add(b, -1, true);
  return builder.take();
}

}  // namespace suffice
