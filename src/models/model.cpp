#include "suffice/models/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/at.hpp"
#include "core/quoted.hpp"
#include "data/family.hpp"
#include "factor/factors.hpp"
#include "factor/logistic_factor.hpp"
#include "models/feature_family.hpp"
#include "models/gaussian_density.hpp"
#include "stats/block_check.hpp"
#include "suffice/core/error.hpp"
#include "suffice/models/covariance.hpp"

namespace suffice {
namespace {

/// Checks the parameters of one block.
class DensityCheck : BlockCheck {
 public:
  DensityCheck(const Model::Parts& parts, const Block& block)
      : BlockCheck(parts.labels, parts.weights, parts.schema, block),
        schema_(parts.schema),
        block_(block) {}

  void operator()(const GaussianDensity& density) const {
    require_map(density.projection);
    const Index d = density.projection.empty() ? features() : density.projection.matrix.cols();
    require_shape(density.mean, classes(), d, "the mean");
    for (Index c = 0; c < classes(); ++c)
      for (Index j = 0; j < d; ++j)
        if (!std::isfinite(density.mean(c, j)))
          require_finite(density.mean(c, j),
                         "the mean of " + cell(c, names_of(density, schema_, block_)[j]));
    for (std::size_t i = 0; i < density.constant.size(); ++i)
      if (density.constant[i] < 0 || density.constant[i] >= d ||
          (i && density.constant[i] <= density.constant[i - 1]))
        throw InvalidArgument("the constant features of a Gaussian block must be positions below " +
                              std::to_string(d) + " in rising order, not " +
                              std::to_string(density.constant[i]));
    require_student(density, d);
    if (!density.deviation.empty()) {
      require_shape(density.deviation, classes(), d, "the deviations of the class means");
      for (const double deviation : numbers(density.deviation))
        require_finite(deviation, "a deviation of a class mean");
    }
    const Index count = is_tied(density.structure) ? 1 : classes();
    if (is_dense(density.structure)) {
      if (!density.thin.empty()) return require_thin(density, count);
      if (std::ssize(density.covariance) != count)
        throw InvalidArgument("covariance '" + std::string(to_string(density.structure)) +
                              "' takes " + std::to_string(count) + " matrices, not " +
                              std::to_string(density.covariance.size()));
      const std::vector<std::string> names = names_of(density, schema_, block_);
      for (Index c = 0; c < count; ++c) {
        const Matrix& covariance = density.covariance[c];
        require_shape(covariance, d, d, "a covariance");
        require_symmetric(covariance, count == 1 ? "" : " of class " + label(c), names);
      }
      return;
    }
    if (density.covariance.size() != 1)
      throw InvalidArgument("covariance '" + std::string(to_string(density.structure)) +
                            "' takes one matrix of variances, not " +
                            std::to_string(density.covariance.size()));
    require_shape(density.covariance[0], count, is_spherical(density.structure) ? 1 : d,
                  "the variances");
    for (const double variance : numbers(density.covariance[0]))
      require_not_negative(variance, "a variance");
  }

  template <FeatureDensity Features>
  void operator()(const Features& density) const {
    using Described = FeatureFamily<Features>;
    for_each_field<Features>([&](const auto& field) {
      if (field.is_stored(density))
        require_shape(field(density), classes(), features(), "the " + std::string(field.name));
    });
    for (Index c = 0; c < classes(); ++c)
      for (Index j = 0; j < features(); ++j) {
        const auto [value, shape] = parameters_of(density, c, j);
        const bool unseen = value == 0 && !(weight(c) > 0);
        if (!unseen && !Described::is_possible(value))
          fail_value(
              "the " + std::string(std::get<0>(Features::fields()).name) + " of " + cell(c, j),
              value, std::string(Described::requirement));
        const Matrix* shapes = shapes_of(density);
        if (shapes && !shapes->empty() && value > 0) require_positive_of(shape, c, "shape");
      }
  }

  void operator()(const MultinomialDensity& density) const {
    require_shape(density.probability, classes(), features(), "the probability");
    for (Index c = 0; c < classes(); ++c) {
      const auto row = density.probability.row(c);
      bool possible = true;  // one pass without branches: there may be a million words
      for (const double probability : row) possible &= is_probability(probability);
      for (Index j = 0; j < features() && !possible; ++j)
        if (!is_probability(row[at(j)])) fail_probability(row[at(j)], cell(c, j));
      require_total(density.probability, c, "class " + label(c));
    }
    require_length_power(density.length_power);
    if (density.event_model == EventModel::bernoulli)
      throw InvalidArgument("a multinomial block has counts of words, not their presence",
                            "use the family bernoulli");
    if (density.concentration.empty()) return;
    if (density.concentration.size() != classes())
      throw InvalidArgument("documents take one concentration per class (" +
                            std::to_string(classes()) + "), not " +
                            std::to_string(density.concentration.size()));
    for (Index c = 0; c < classes(); ++c)
      require_positive_of(density.concentration[c], c, "concentration");
  }

  void operator()(const CategoricalDensity& density) const {
    if (std::ssize(density.levels) != features() || std::ssize(density.probability) != features())
      throw InvalidArgument("a categorical block of " + std::to_string(features()) +
                            " features takes as many sets of levels (" +
                            std::to_string(density.levels.size()) + ") and of probabilities (" +
                            std::to_string(density.probability.size()) + ")");
    for (Index j = 0; j < features(); ++j) {
      const Matrix& probability = density.probability[j];
      const Names& levels = density.levels[j];
      require_shape(probability, classes(), levels.size(),
                    "the probabilities of feature " + feature(j));
      for (Index c = 0; c < classes(); ++c) {
        for (Index l = 0; l < levels.size(); ++l)
          if (!is_probability(probability(c, l)))
            fail_probability(probability(c, l), cell(c, j) + " at level " + quoted(levels[l]));
        if (!levels.empty()) require_total(probability, c, cell(c, j));
      }
    }
  }

  void operator()(const TextDensity& density) const {
    const auto require_one_each = [&](std::size_t count, const char* what) {
      if (static_cast<Index>(count) != features())
        throw InvalidArgument("a text block of " + std::to_string(features()) +
                              " features takes as many " + what + ", not " + std::to_string(count));
    };
    require_one_each(density.words.size(), "vocabularies");
    require_one_each(density.probability.size(), "tables of probabilities");
    if (!density.idf.empty()) require_one_each(density.idf.size(), "lists of weights of words");
    require_length_power(density.length_power);
    for (Index j = 0; j < features(); ++j) require_words(density, j);
  }

 private:
  /// a > 0 and finite except for constant features, and rows that fit.
  void require_thin(const GaussianDensity& density, Index count) const {
    const auto& [diagonal, factor, rows] = density.thin;
    const Index d = density.mean.cols();
    if (!density.covariance.empty())
      throw InvalidArgument("covariances are thin or whole matrices, not both");
    if (!density.projection.empty())
      throw InvalidArgument("thin covariances are of features, not of projections");
    require_shape(diagonal, count, d, "the diagonal of thin covariances");
    require_shape(factor, factor.rows(), factor.rows() > 0 ? d : factor.cols(),
                  "the factor of thin covariances");
    Index sum = 0;
    for (const Index of_class : rows) sum = of_class < 0 || sum < 0 ? -1 : sum + of_class;
    if (std::ssize(rows) != count || sum != factor.rows())
      throw InvalidArgument("thin covariances of " + std::to_string(count) +
                            (count == 1 ? " matrix" : " classes") +
                            " take as many numbers of rows, whose sum is that of the factor");
    for (Index c = 0; c < count; ++c)
      for (Index j = 0; j < d; ++j) {
        const bool unseen = count > 1 && !(weight(c) > 0);
        if (std::ranges::binary_search(density.constant, j) || unseen) continue;
        if (!(diagonal(c, j) > 0) || !std::isfinite(diagonal(c, j)))
          throw InvalidArgument("the diagonal of a thin covariance is " + name_of(diagonal(c, j)),
                                "it must be positive and finite");
      }
    for (const double number : numbers(factor))
      if (!std::isfinite(number))
        throw InvalidArgument("the factor of a thin covariance has a number that is not finite");
  }

  void require_map(const LinearMap& map) const {
    if (map.empty()) return;
    require_shape(map.matrix, features(), map.matrix.cols(), "the matrix of a projection");
    if (map.offset.size() != features())
      throw InvalidArgument("the offset of a projection of " + std::to_string(features()) +
                            " features has as many numbers, not " +
                            std::to_string(map.offset.size()));
    if (!map.explained.empty() && map.explained.size() != map.matrix.cols())
      throw InvalidArgument("a projection to " + std::to_string(map.matrix.cols()) +
                            " numbers says for each what it explains (or for none), not for " +
                            std::to_string(map.explained.size()));
    for (const std::span<const double> values :
         {numbers(map.matrix), std::span<const double>(map.offset),
          std::span<const double>(map.explained)})
      for (const double number : values) require_finite(number, "a number of a projection");
  }
  static std::span<const double> numbers(const Matrix& matrix) {
    return {matrix.data(), static_cast<std::size_t>(matrix.size())};
  }

  static void require_symmetric(const Matrix& covariance, const std::string& whose,
                                const std::vector<std::string>& names) {
    for (Index i = 0; i < covariance.rows(); ++i)
      for (Index j = 0; j <= i; ++j) {
        const double a = covariance(i, j), b = covariance(j, i);
        if (a == b && std::abs(a) <= std::numeric_limits<double>::max()) continue;
        if (!std::isfinite(a) || !std::isfinite(b))
          throw InvalidArgument("the covariance" + whose + " of " + quoted(names[i]) + " and " +
                                quoted(names[j]) + " is not finite");
        if (std::abs(a - b) > 1e-9 * std::sqrt(std::abs(covariance(i, i) * covariance(j, j))))
          throw InvalidArgument(
              "the covariance" + whose + " is not symmetric: " + quoted(names[i]) + " with " +
              quoted(names[j]) + " is " + name_of(a) + ", the other way round " + name_of(b));
      }
  }

  /// Of a class that has a density.
  void require_positive_of(double value, Index c, const char* what) const {
    if (weight(c) > 0 && (!(value > 0) || !std::isfinite(value)))
      require_positive(value, "the " + std::string(what) + " of class " + label(c));
  }

  void require_student(const GaussianDensity& density, Index d) const {
    if (density.dof.empty() && !density.scale.empty())
      throw InvalidArgument("scales are for Student's t, which has degrees of freedom",
                            "give these, or no scales");
    const auto require = [&](const Matrix& numbers, bool one_each, const char* what) {
      const bool joint = numbers.cols() == 1 || !one_each;
      if (!numbers.empty()) require_shape(numbers, classes(), joint ? 1 : d, what);
    };
    require(density.dof, is_diagonal(density.structure), "the degrees of freedom");
    require(density.scale, !is_dense(density.structure), "the scales");
    for (Index c = 0; c < classes() && !density.dof.empty(); ++c) {
      for (const double dof : density.dof.row(c)) require_positive_of(dof, c, "degrees of freedom");
      for (Index j = 0; j < density.scale.cols(); ++j)
        require_positive_of(density.scale(c, j), c, "scale");
    }
  }

  static void require_length_power(const Vector& power) {
    if (power.size() > 1 || (!power.empty() && !(power[0] >= 0 && power[0] <= 1)))
      throw InvalidArgument("the power of the length of documents is one number from 0 to 1");
  }

  void require_words(const TextDensity& density, Index j) const {
    const Matrix& probability = density.probability[j];
    const Words& words = density.words[j];
    const bool presence = density.event_model == EventModel::bernoulli;
    require_shape(probability, classes(), words.size(),
                  "the probabilities of feature " + feature(j));
    for (Index c = 0; c < classes(); ++c) {
      for (Index i = 0; i < words.size(); ++i) {
        const double p = probability(c, i);
        if (!is_probability(p) || (presence && weight(c) > 0 && (p == 0 || p == 1)))
          fail_probability(p, cell(c, j) + " at word " + quoted(words[i]));
      }
      if (!presence && !words.empty()) require_total(probability, c, cell(c, j));
    }
    if (!density.heaviest.empty() &&
        (std::ssize(density.heaviest) != features() ||
         (!density.heaviest[j].empty() && std::ssize(density.heaviest[j]) != words.size())))
      throw InvalidArgument("feature " + feature(j) +
                            " must have a heaviest word for each of its numbers");
    if (density.idf.empty()) return;
    if (density.idf[j].size() != words.size())
      throw InvalidArgument("feature " + feature(j) + " has " + std::to_string(words.size()) +
                            " words and " + std::to_string(density.idf[j].size()) + " weights");
    for (const double weight_of_word : density.idf[j])
      require_not_negative(weight_of_word, "the weight of a word of feature " + feature(j));
  }

  static bool is_probability(double p) { return p >= 0 && p <= 1; }
  [[noreturn]] static void fail_probability(double p, const std::string& where) {
    fail_value("the probability of " + where, p, "it must lie between 0 and 1");
  }

  /// A class of weight 0 has no probabilities: they may all be 0.
  void require_total(const Matrix& probability, Index c, const std::string& where) const {
    if (!(weight(c) > 0)) return;
    const auto row = probability.row(c);
    const double sum = std::reduce(row.begin(), row.end());
    if (!(std::abs(sum - 1) <= 1e-9))
      throw InvalidArgument("the probabilities of " + where + " sum to " + name_of(sum),
                            "they must sum to 1");
  }

  const Schema& schema_;
  const Block& block_;
};

void check_calibration(const Model::Parts& parts) {
  if (!parts.calibration) return;
  const auto& [scale, offset, knots, values, thresholds] = *parts.calibration;
  const Index blocks = score_parts(parts), classes = parts.labels.size();
  if (scale.size() != blocks || offset.size() != classes)
    throw InvalidArgument("a calibration has a scale per block (" + std::to_string(blocks) +
                          (parts.mixture ? " of a mixture" : "") + ") and an offset per class (" +
                          std::to_string(classes) + "), not " + std::to_string(scale.size()) +
                          " and " + std::to_string(offset.size()));
  for (const double number : scale)
    if (!(number >= 0) || !std::isfinite(number))
      throw InvalidArgument("a scale of a calibration is " + name_of(number) +
                            "; it must be finite and not negative");
  for (const double number : offset)
    if (!std::isfinite(number))
      throw InvalidArgument("an offset of a calibration is " + name_of(number) +
                            "; it must be finite");
  if (knots.size() != values.size() || (!knots.empty() && classes != 2))
    throw InvalidArgument("a calibration of two classes may have as many knots as values, not " +
                          std::to_string(knots.size()) + " and " + std::to_string(values.size()) +
                          " for " + std::to_string(classes) + " classes");
  for (Index i = 0; i < knots.size(); ++i)
    if (!std::isfinite(knots[i]) || !std::isfinite(values[i]) ||
        (i && (knots[i] <= knots[i - 1] || values[i] < values[i - 1])))
      throw InvalidArgument("the knots of a calibration must rise and its values must not fall");
  if (thresholds.size() > 0 &&
      (thresholds.rows() != classes + 1 || thresholds.cols() != Calibration::coverage_count))
    throw InvalidArgument(
        "the thresholds of a calibration are " + std::to_string(thresholds.rows()) + " × " +
        std::to_string(thresholds.cols()) + " numbers, not " + std::to_string(classes + 1) + " × " +
        std::to_string(Calibration::coverage_count));
  for (Index i = 0; i < thresholds.rows(); ++i)
    for (const double threshold : thresholds.row(i))
      if (!(threshold >= 0 && threshold <= 1))
        throw InvalidArgument("a threshold of a calibration is " + name_of(threshold) +
                              "; it must be a probability");
}

void check_classes(const Model::Parts& parts) {
  const Index classes = parts.labels.size();
  if (classes == 0) throw InvalidArgument("a model needs at least one class");
  if (parts.weights.size() != classes)
    throw InvalidArgument("a model of " + std::to_string(classes) +
                          " classes takes as many weights (or none), not " +
                          std::to_string(parts.weights.size()));
  double total = 0;
  for (Index c = 0; c < classes; ++c) {
    if (!(parts.weights[c] >= 0) || !std::isfinite(parts.weights[c]))
      throw InvalidArgument(
          "the weight of class " + quoted(parts.labels[c]) + " is " + name_of(parts.weights[c]),
          "it must be finite and not negative");
    total += parts.weights[c];
  }
  if (!(total > 0)) throw InvalidArgument("a model needs a class of positive weight", "all are 0");
}

/// Each class has components, and one of positive weight where it has rows itself.
void check_mixture(const Model::Parts& parts) {
  if (parts.logistic)
    throw InvalidArgument("a model is either a mixture or the twin of one, not both");
  const auto& [names, label, weights] = *parts.mixture;
  const Index classes = parts.labels.size();
  if (std::ssize(label) != names.size() || weights.size() != names.size())
    throw InvalidArgument("a mixture of " + std::to_string(names.size()) +
                          " components has as many classes and weights, not " +
                          std::to_string(label.size()) + " and " + std::to_string(weights.size()));
  std::vector<double> of_class(static_cast<std::size_t>(classes));
  for (Index g = 0; g < names.size(); ++g) {
    const Index c = label[static_cast<std::size_t>(g)];
    if (c < 0 || c >= classes)
      throw InvalidArgument("component " + quoted(names[g]) + " is of class number " +
                            std::to_string(c) + ", and there are " + std::to_string(classes));
    of_class[static_cast<std::size_t>(c)] += weights[g];
  }
  for (Index c = 0; c < classes; ++c)
    if (parts.weights[c] > 0 && !(of_class[static_cast<std::size_t>(c)] > 0))
      throw InvalidArgument("class " + quoted(parts.labels[c]) +
                            " of a mixture has no component of positive weight");
}

void check_densities(const Model::Parts& parts) {
  const auto& blocks = parts.schema.blocks();
  if (blocks.empty()) throw InvalidArgument("a model needs at least one feature");
  if (parts.densities.size() != blocks.size())
    throw InvalidArgument("the schema has " + std::to_string(blocks.size()) +
                          " blocks and needs a density for each, not " +
                          std::to_string(parts.densities.size()));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (family_of(parts.densities[b]) != blocks[b].family)
      throw InvalidArgument("block " + std::to_string(b) + " is of family '" +
                            std::string(to_string(blocks[b].family)) +
                            "' and needs a density of that family");
    std::visit(DensityCheck(parts, blocks[b]), parts.densities[b]);
  }
}

template <std::size_t I = 0>
constexpr std::size_t position_of(Family family) {
  if constexpr (I == std::variant_size_v<Density>)
    return I;
  else
    return std::variant_alternative_t<I, Density>::family == family ? I
                                                                    : position_of<I + 1>(family);
}
static_assert(std::ranges::all_of(all_families,
                                  [](Family family) {
                                    return position_of(family) < std::variant_size_v<Density>;
                                  }),
              "each family needs a density");

}  // namespace

Density empty_density(Family family) {
  Density result;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((position_of(family) == I ? static_cast<void>(result.emplace<I>()) : void()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Density>>{});
  return result;
}

Family family_of(const Density& density) {
  return std::visit([]<class Of>(const Of&) { return Of::family; }, density);
}

Index score_parts(const Model::Parts& parts) {
  return parts.mixture ? 1 : std::ssize(parts.schema.blocks());
}

Model::Model(Parts parts, const Execution& execution) : parts_(std::move(parts)) {
  if (parts_.weights.empty()) {
    parts_.weights = Vector(parts_.labels.size());
    std::ranges::fill(parts_.weights, 1.0);
  }
  check_classes(parts_);
  check_calibration(parts_);
  if (parts_.options) parts_.options = resolve(*parts_.options);
  if (parts_.mixture) {
    check_mixture(parts_);
    components_ = std::make_shared<const Model>(Parts{.schema = parts_.schema,
                                                      .labels = parts_.mixture->names,
                                                      .weights = parts_.mixture->weights,
                                                      .densities = parts_.densities,
                                                      .options = parts_.options,
                                                      .found = parts_.found},
                                                execution);
    factors_ = components_->factors_;
    return;
  }
  check_densities(parts_);
  check_logistic(parts_);
  factors_ = std::make_shared<const Factors>(make_factors(parts_, execution));
}

Model Model::with_calibration(std::optional<Calibration> calibration) const {
  Model result = *this;
  if (calibration && calibration->scale.size() == 1 && score_parts(parts_) > 1) {
    const double scale = calibration->scale[0];
    calibration->scale = Vector(score_parts(parts_));
    std::ranges::fill(calibration->scale, scale);
  }
  result.parts_.calibration = std::move(calibration);
  check_calibration(result.parts_);
  return result;
}

Model Model::with_found(EstimateFound found) const {
  Model result = *this;
  result.parts_.found = std::move(found);
  return result;
}

Model Model::with_options(EstimateOptions options) const {
  Model result = *this;
  result.parts_.options = resolve(std::move(options));
  return result;
}

}  // namespace suffice
