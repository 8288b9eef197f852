#include "export/formula.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/special_functions.hpp"
#include "data/other_spellings.hpp"
#include "export/logistic_terms.hpp"
#include "export/text.hpp"
#include "factor/factors.hpp"
#include "sample/drawn_columns.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

/// Rows of a matrix that has one for all classes, one for each.
Matrix for_each_class(const Matrix& matrix, Index classes) {
  if (matrix.rows() == classes) return matrix;
  Matrix result(classes, matrix.cols());
  for (Index c = 0; c < classes; ++c) std::ranges::copy(matrix.row(0), result.row(c).begin());
  return result;
}

Vector column_of(const Matrix& matrix) {
  Vector result(matrix.rows());
  for (Index c = 0; c < matrix.rows(); ++c) result[c] = matrix(c, 0);
  return result;
}

/// The terms of each block.
class FormulaBuilder {
 public:
  FormulaBuilder(const Model& model, bool relative, Formula& formula)
      : model_(model), relative_(relative), formula_(formula) {}

  void add_blocks() {
    for (std::size_t b = 0; b < model_.densities().size(); ++b) {
      block_ = &model_.schema().blocks()[b];
      factor_ = &model_.factors().blocks[b];
      FormulaBlock result;
      std::visit([&](const auto& density) { fill(density, result); }, model_.densities()[b]);
      if (model_.logistic()) {
        LogisticPart part = logistic_part(model_, b);
        result.terms = std::move(part.terms);
        bases_.push_back(std::move(part.base));
      }
      for (const Index column : result.columns) formula_.columns[at(column)].used = true;
      formula_.blocks.push_back(std::move(result));
    }
  }

  /// What blocks of a discriminative model add to the scores where all is missing; they are
  /// multiplied with the blocks' scales where these are given.
  Vector base(const Vector& scale) const {
    if (bases_.empty()) return {};
    Vector result(formula_.classes());
    for (std::size_t b = 0; b < bases_.size(); ++b)
      result.map() += (scale.empty() ? 1 : scale[static_cast<Index>(b)]) * bases_[b].map();
    return result;
  }

 private:
  bool has_weight(Index c) const { return formula_.has_numbers(c); }

  void fill(const GaussianDensity& density, FormulaBlock& result) const {
    const auto& factor = std::get<GaussianFactor>(*factor_);
    const std::vector<Index>& used = factor.used;
    if (density.projection.empty()) {
      for (const Index j : used) result.columns.push_back(block_->features[at(j)]);
      result.derivatives = !relative_;
    } else {
      // Features that the map does not look at may be missing; so may projections be constant.
      const LinearMap& map = density.projection;
      std::vector<Index> seen;
      for (Index i = 0; i < map.matrix.rows(); ++i)
        if (std::ranges::any_of(map.matrix.row(i), [](double m) { return m != 0; }))
          seen.push_back(i);
      LinearMap& own = result.projection;
      own.matrix = Matrix(std::ssize(seen), std::ssize(used));
      own.offset = Vector(std::ssize(seen));
      for (Index i = 0; i < std::ssize(seen); ++i) {
        result.columns.push_back(block_->features[at(seen[at(i)])]);
        own.offset[i] = map.offset[seen[at(i)]];
        for (Index j = 0; j < std::ssize(used); ++j)
          own.matrix(i, j) = map.matrix(seen[at(i)], used[at(j)]);
      }
    }
    if (relative_ && !factor.linear.empty() && !factor.used.empty() && density.projection.empty() &&
        !is_dense(density.structure))
      result.terms = linear_features(factor);
    else
      result.terms = gaussian_terms(factor);
  }

  /// Of naive classes with one variance: a feature that is missing has no term.
  IndependentTerms linear_features(const GaussianFactor& factor) const {
    const Index classes = formula_.parts(), n = std::ssize(factor.used);
    IndependentTerms terms{
        .center = factor.center, .scale = factor.linear, .constant = Matrix(classes, n)};
    for (Index c = 0; c < classes; ++c)
      for (Index j = 0; j < n && has_weight(c); ++j)
        terms.constant(c, j) = -0.5 * factor.whitened_mean(c, j) * factor.whitened_mean(c, j);
    return terms;
  }

  Terms gaussian_terms(const GaussianFactor& factor) const {
    const Index classes = formula_.parts(), n = std::ssize(factor.used);
    const bool student = !factor.dof.empty();
    const bool of_features = student && factor.dof.cols() > 1;
    const bool dense = !factor.whitener.empty();
    if (relative_ && !factor.linear.empty() && n > 0)
      return LinearTerms{factor.center, factor.linear, factor.linear_constant};
    if (!factor.thin.empty())
      throw InvalidArgument(
          "the covariances of " + std::to_string(n) +
              " Gaussian features come from fewer rows, and no export writes them",
          "use " + Option{"covariance", "tied"} + " or " + Option{"covariance", "diag"} + ", or " +
              Option{"pca"});
    if (n <= 1 || (!dense && (!student || of_features))) return independent(factor);
    JointTerms terms{.center = factor.center,
                     .whitener = factor.whitener,
                     .mean = factor.whitened_mean,
                     .constant = factor.log_norm};
    if (!dense) terms.scale = for_each_class(factor.inverse_deviation, classes);
    for (Index c = 0; c < classes; ++c) {  // any numbers, as long as they are numbers
      if (has_weight(c)) continue;
      terms.constant[c] = 0;
      std::ranges::fill(terms.mean.row(c), 0.0);
      if (!dense) std::ranges::fill(terms.scale.row(c), 0.0);
      if (terms.whitener.size() > 1) terms.whitener[at(c)] = Matrix(n, n);
    }
    if (student) {
      terms.dof = column_of(factor.dof);
      terms.spread = terms.dof;
      if (!factor.spread.empty())
        for (Index c = 0; c < classes; ++c) terms.spread[c] *= factor.spread[c];
      for (Index c = 0; c < classes; ++c)
        if (!has_weight(c)) terms.dof[c] = terms.spread[c] = 1;
    }
    return terms;
  }

  IndependentTerms independent(const GaussianFactor& factor) const {
    const Index classes = formula_.parts(), n = std::ssize(factor.used);
    IndependentTerms terms{.center = factor.center,
                           .scale = Matrix(classes, n),
                           .mean = factor.whitened_mean,
                           .constant = Matrix(classes, n)};
    const bool student = !factor.dof.empty();
    if (student) terms.dof = Matrix(classes, n);
    for (Index c = 0; c < classes; ++c)
      for (Index j = 0; j < n; ++j) {
        if (student) terms.dof(c, j) = 1;
        if (!has_weight(c)) terms.mean(c, j) = 0;
        if (!has_weight(c)) continue;
        const double spread = factor.spread.empty() ? 1 : std::sqrt(factor.spread[c]);
        double scale = 0;
        if (factor.whitener.empty())
          scale = factor.inverse_deviation(factor.inverse_deviation.rows() == 1 ? 0 : c, j);
        else  // one feature
          scale = factor.whitener[factor.whitener.size() == 1 ? 0 : at(c)](0, 0);
        terms.scale(c, j) = scale / spread;
        terms.mean(c, j) /= spread;
        terms.constant(c, j) = std::log(scale / spread) - 0.5 * log_2pi;
        if (!student) continue;
        const double dof = factor.dof(c, factor.dof.cols() > 1 ? j : 0);
        terms.dof(c, j) = dof;
        terms.constant(c, j) += log_gamma_excess(dof / 2, 0.5);
      }
    return terms;
  }

  void fill(const BernoulliDensity& density, FormulaBlock& result) const {
    result.columns = block_->features;
    const Matrix& p = density.probability;
    BinaryTerms terms{Matrix(p.rows(), p.cols()), Matrix(p.rows(), p.cols())};
    for (Index c = 0; c < p.rows(); ++c)
      for (Index j = 0; j < p.cols() && has_weight(c); ++j) {
        terms.log_zero(c, j) = std::log1p(-p(c, j));
        terms.log_one(c, j) = std::log(p(c, j));
      }
    result.terms = std::move(terms);
  }

  /// What is linear in x, as the engine has it.
  CountTerms linear_counts() const {
    const auto& factor = std::get<CountFactor>(*factor_);
    CountTerms terms{.constant = factor.at_zero, .slope = factor.slope, .shape = factor.shape};
    for (const CountFactor::Excluded& excluded : factor.excluded)
      terms.slope(excluded.label, excluded.feature) = -infinity;
    return terms;
  }
  void fill(const PoissonDensity& density, FormulaBlock& result) const {
    result.columns = block_->features;
    CountTerms terms = linear_counts();
    terms.factorial = !relative_;
    if (!density.shape.empty()) terms.beyond = CountTerms::Beyond::rising;
    result.terms = std::move(terms);
  }
  void fill(const ExponentialDensity& density, FormulaBlock& result) const {
    result.columns = block_->features;
    CountTerms terms = linear_counts();
    if (!density.shape.empty()) {
      terms.beyond = CountTerms::Beyond::lomax;
      terms.rate = density.rate;
      for (Index c = 0; c < terms.rate.rows(); ++c)
        for (Index j = 0; j < terms.rate.cols(); ++j)
          terms.rate(c, j) = has_weight(c) ? terms.rate(c, j) / density.shape(c, j) : 0;
    }
    result.terms = std::move(terms);
  }
  void fill(const MultinomialDensity& density, FormulaBlock& result) const {
    result.columns = block_->features;
    CountTerms terms = linear_counts();
    terms.documents = true;
    if (!density.length_power.empty())
      throw InvalidArgument("documents that are weighed by their length cannot be exported",
                            "use " + Option{"length_power", "1"});
    if (!density.concentration.empty()) {
      terms.beyond = CountTerms::Beyond::rising;
      terms.concentration = density.concentration;
    }
    result.terms = std::move(terms);
  }

  void fill(const CategoricalDensity& density, FormulaBlock& result) const {
    result.columns = block_->features;
    const auto& factor = std::get<CategoricalFactor>(*factor_);
    LevelTerms terms;
    for (std::size_t j = 0; j < density.levels.size(); ++j) {
      Matrix table(density.levels[j].size(), formula_.parts());
      for (Index l = 0; l < table.rows(); ++l)
        std::ranges::copy(factor.table.row(factor.first[j] + l), table.row(l).begin());
      terms.log_probability.push_back(std::move(table));
      FormulaColumn& column = formula_.columns[at(block_->features[j])];
      column.levels = density.levels[j].list();
      formula_.inputs[at(column.input)].levels = column.levels;
    }
    result.terms = std::move(terms);
  }

  void fill(const TextDensity&, FormulaBlock& result) const {
    result.columns = block_->features;
    const auto& factor = std::get<TextFactor>(*factor_);
    TextTerms terms{.words = factor.words,
                    .weight = factor.slope,
                    .constant = factor.constant,
                    .presence = factor.presence,
                    .length_power = factor.length_power};
    for (const Index j : block_->features)
      terms.tokens.push_back(to_string(model_.schema().feature(j).text));
    result.terms = std::move(terms);
  }

  const Model& model_;
  bool relative_;
  Formula& formula_;
  const Block* block_ = nullptr;
  const Factor* factor_ = nullptr;
  std::vector<Vector> bases_ = {};  ///< per block of a discriminative model
};

/// What is subtracted from the values of a row becomes a float, and the means take up the rest:
/// otherwise its rounding would move every value.
struct RoundCenters {
  LinearMap& projection;

  void operator()(JointTerms& terms) const {
    const Vector lost = rounded(terms.center);
    for (Index c = 0; c < terms.mean.rows(); ++c)
      for (Index i = 0; i < terms.mean.cols(); ++i) {
        if (terms.whitener.empty()) {
          terms.mean(c, i) += terms.scale(c, i) * lost[i];
          continue;
        }
        const Matrix& w = terms.whitener[terms.whitener.size() == 1 ? 0 : at(c)];
        for (Index j = 0; j <= i && !w.empty(); ++j) terms.mean(c, i) += w(i, j) * lost[j];
      }
  }
  void operator()(IndependentTerms& terms) const {
    const Vector lost = rounded(terms.center);
    for (Index c = 0; c < terms.scale.rows(); ++c)
      for (Index j = 0; j < terms.scale.cols(); ++j) {
        if (terms.is_linear())
          terms.constant(c, j) -= terms.scale(c, j) * lost[j];
        else
          terms.mean(c, j) += terms.scale(c, j) * lost[j];
      }
  }
  void operator()(LinearTerms& terms) const {
    const Vector lost = rounded(terms.center);
    terms = terms.moved(lost);
  }
  void operator()(BinaryTerms&) const {}
  void operator()(CountTerms&) const {}
  void operator()(LevelTerms&) const {}
  void operator()(TextTerms&) const {}

 private:
  /// Rounds, and returns what was lost.
  static Vector round(Vector& numbers) {
    Vector lost(numbers.size());
    for (Index j = 0; j < numbers.size(); ++j) {
      const auto near = static_cast<double>(static_cast<float>(numbers[j]));
      if (!std::isfinite(near)) continue;  // the target refuses such a number
      lost[j] = numbers[j] - near;
      numbers[j] = near;
    }
    return lost;
  }
  Vector rounded(Vector& center) const {
    const Vector lost = round(projection.offset);
    for (Index i = 0; i < lost.size(); ++i)
      for (Index k = 0; k < center.size(); ++k) center[k] += lost[i] * projection.matrix(i, k);
    return round(center);
  }
};

struct CountNumbers {
  Index operator()(const JointTerms& terms) const {
    Index count = terms.center.size() + terms.scale.size() + terms.mean.size();
    for (const Matrix& w : terms.whitener) count += w.rows() * (w.rows() + 1) / 2;
    return count;
  }
  Index operator()(const IndependentTerms& terms) const {
    return terms.scale.size() + terms.mean.size() + terms.constant.size() + terms.dof.size();
  }
  Index operator()(const LinearTerms& terms) const {
    return terms.weight.size() + terms.product.size();
  }
  Index operator()(const BinaryTerms& terms) const {
    return terms.log_zero.size() + terms.log_one.size();
  }
  Index operator()(const CountTerms& terms) const {
    return terms.constant.size() + terms.slope.size() + terms.shape.size() + terms.rate.size();
  }
  Index operator()(const LevelTerms& terms) const {
    Index count = 0;
    for (const Matrix& table : terms.log_probability) count += table.size();
    return count;
  }
  Index operator()(const TextTerms& terms) const {
    Index count = 0;
    for (const Matrix& weight : terms.weight) count += weight.size();
    return count;
  }
};

struct NeedsLogarithms {
  bool operator()(const JointTerms& terms) const { return !terms.dof.empty(); }
  bool operator()(const IndependentTerms& terms) const { return !terms.dof.empty(); }
  bool operator()(const LinearTerms&) const { return false; }
  bool operator()(const BinaryTerms&) const { return false; }
  bool operator()(const CountTerms& terms) const {
    return terms.factorial || terms.beyond != CountTerms::Beyond::none;
  }
  bool operator()(const LevelTerms&) const { return false; }
  bool operator()(const TextTerms&) const { return false; }
};

struct TermsInWords {
  std::string operator()(const JointTerms& terms) const {
    return terms.dof.empty() ? "a joint normal density" : "a joint Student's t";
  }
  std::string operator()(const IndependentTerms& terms) const {
    if (terms.is_linear()) return "linear scores";
    return terms.dof.empty() ? "normal densities" : "Student's t densities";
  }
  std::string operator()(const LinearTerms& terms) const {
    return terms.product.empty() ? "linear scores" : "quadratic scores";
  }
  std::string operator()(const BinaryTerms&) const { return "Bernoulli features"; }
  std::string operator()(const CountTerms& terms) const {
    if (terms.documents) return "word counts";
    return terms.factorial || terms.beyond == CountTerms::Beyond::rising ? "counts"
                                                                         : "counts or times";
  }
  std::string operator()(const LevelTerms&) const { return "categories"; }
  std::string operator()(const TextTerms&) const { return "documents"; }
};

}  // namespace

LinearTerms LinearTerms::moved(const Vector& by) const {
  LinearTerms result = *this;
  const Index n = weight.cols();
  for (Index c = 0; c < weight.rows(); ++c) {
    for (Index j = 0; j < n; ++j) result.constant[c] -= weight(c, j) * by[j];
    Index t = 0;
    for (Index i = 0; i < n && !product.empty(); ++i)
      for (Index j = i; j < (has_all_products() ? n : i + 1); ++j, ++t) {
        const double a = product(c, t);
        result.weight(c, i) -= a * by[j];
        result.weight(c, j) -= a * by[i];
        result.constant[c] += a * by[i] * by[j];
      }
  }
  return result;
}

std::vector<Index> FormulaMixture::of(Index c) const {
  std::vector<Index> result;
  for (Index g = 0; g < std::ssize(label); ++g)
    if (label[at(g)] == c) result.push_back(g);
  return result;
}

Domain FormulaColumn::domain() const {
  if (level) return Domain::level;
  switch (family) {
    case Family::gaussian:
      break;
    case Family::bernoulli:
      return Domain::zero_or_one;
    case Family::categorical:
      return Domain::level;
    case Family::poisson:
      return Domain::count;
    case Family::multinomial:
    case Family::exponential:
      return Domain::not_negative;
    case Family::text:
      break;
  }
  switch (transform.kind) {
    case Transform::Kind::none:
    case Transform::Kind::signed_log:
      break;
    case Transform::Kind::log:
      return Domain::positive;
    case Transform::Kind::log1p:
      return Domain::above_minus_one;
    case Transform::Kind::sqrt:
      return Domain::not_negative;
    case Transform::Kind::logit:
      return Domain::unit_interval;
  }
  return Domain::finite;
}

namespace {

/// What rows have, and what is read from it.
void add_inputs(const Schema& schema, const ExportOptions& options, Formula& formula) {
  for (Index j = 0; j < std::ssize(schema.columns()); ++j) {
    formula.inputs.push_back({schema.columns()[at(j)], schema.has_names(j)});
    if (schema.has_level_indicators(j))
      formula.inputs.back().levels = indicator_levels(schema, j).list();
  }
  if (!options.columns.empty()) {
    if (options.columns.size() != formula.inputs.size())
      throw InvalidArgument("there are " + std::to_string(options.columns.size()) + " names for " +
                            std::to_string(formula.inputs.size()) + " columns");
    for (std::size_t j = 0; j < formula.inputs.size(); ++j)
      formula.inputs[j].name = options.columns[j];
  }
  for (Index j = 0; j < schema.size(); ++j) {
    const Feature& feature = schema.feature(j);
    FormulaColumn& column = formula.columns.emplace_back();
    column.input = schema.column(j);
    column.name = feature.indicator ? feature.name : formula.input_of(column).name;
    column.family = feature.family;
    column.transform = feature.transform;
    if (!feature.indicator) continue;
    const std::vector<std::string>& levels = formula.input_of(column).levels;
    column.level = feature.indicator->level
                       ? std::ranges::find(levels, *feature.indicator->level) - levels.begin()
                       : -1;
  }
}

}  // namespace

Formula make_formula(const Model& model, const ExportOptions& options) {
  const bool relative = options.relative || model.logistic();
  Formula formula{.labels = options.labels, .relative = relative};
  if (formula.labels.empty()) formula.labels = model.labels().list();
  if (formula.classes() != model.labels().size())
    throw InvalidArgument("there are " + std::to_string(formula.classes()) + " labels for " +
                          std::to_string(model.labels().size()) + " classes");
  add_inputs(model.schema(), options, formula);
  for (const double weight : model.weights()) formula.possible.push_back(weight > 0);
  if (model.mixture()) {
    formula.mixture = {model.mixture()->label, model.mixture()->shares()};
    for (double& share : formula.mixture->log_share) share = std::log(share);
  }
  FormulaBuilder builder(model.components(), relative, formula);
  builder.add_blocks();
  for (FormulaInput& input : formula.inputs) {
    const auto others =
        other_spellings(input.levels, [&](std::string_view name) -> std::optional<Index> {
          const auto found = std::ranges::find(input.levels, name);
          if (found == input.levels.end()) return std::nullopt;
          return found - input.levels.begin();
        });
    input.spellings.assign(others.begin(), others.end());
  }
  formula.base = builder.base({});
  if (options.real == Real::float32)
    for (FormulaBlock& block : formula.blocks)
      std::visit(RoundCenters{block.projection}, block.terms);
  if (const std::optional<Calibration>& calibration = model.calibration()) {
    formula.scale = calibration->scale;
    formula.offset = calibration->offset;
    if (!formula.base.empty()) formula.offset.map() += builder.base(formula.scale).map();
    formula.knots = calibration->knots;
    formula.values = calibration->values;
  }
  const Priors priors = options.priors ? *options.priors : Priors::from_counts(model);
  if (!(priors.labels() == model.labels()))
    throw InvalidArgument("the priors are over other classes than the model");
  formula.prior = priors.probabilities();
  formula.log_prior = priors.log();
  if (options.costs) {
    if (!(options.costs->labels() == model.labels()))
      throw InvalidArgument("the costs are over other classes than the model");
    if (!(options.costs->matrix() == Costs::zero_one(model).matrix()))
      formula.cost = options.costs->matrix();
  }
  return formula;
}

std::string describe(const Formula& formula, const FormulaBlock& block) {
  std::vector<std::string> names;
  for (const Index j : block.columns) names.push_back(formula.columns[at(j)].name);
  return std::visit(TermsInWords{}, block.terms) +
         (block.projection.empty() ? " of " : " of projections of ") + list_for_message(names, 3);
}

Index numbers_of(const FormulaBlock& block) {
  return std::visit(CountNumbers{}, block.terms) + block.projection.matrix.size();
}

Index numbers_of(const Formula& formula) {
  Index count = 0;
  for (const FormulaBlock& block : formula.blocks) count += numbers_of(block);
  return count;
}

bool needs_logarithms(const Formula& formula) {
  const auto transformed = [&](const FormulaBlock& block) {
    return std::ranges::any_of(block.columns, [&](Index j) {
      return formula.columns[at(j)].transform != Transform::none;
    });
  };
  if (formula.mixture) return true;
  return std::ranges::any_of(formula.blocks, [&](const FormulaBlock& block) {
    return transformed(block) || std::visit(NeedsLogarithms{}, block.terms);
  });
}

Matrix transposed(const Matrix& matrix) {
  Matrix result(matrix.cols(), matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) result(j, i) = matrix(i, j);
  return result;
}

void require_text(const Formula& formula, std::string_view target) {
  const auto check = [&](const std::string& name, const char* what) {
    if (name.find('\0') == std::string::npos && is_utf8(name)) return;
    throw InvalidArgument(std::string("the name of ") + what + ", '" + name +
                              "', is not UTF-8 text, which " + std::string(target) + " needs",
                          "rename it");
  };
  for (const std::string& label : formula.labels) check(label, "a class");
  for (const FormulaInput& input : formula.inputs) {
    check(input.name, "a column");
    for (const std::string& level : input.levels) check(level, "a level");
  }
}

}  // namespace suffice
