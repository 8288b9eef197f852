#include "suffice/models/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/quoted.hpp"
#include "models/factors.hpp"
#include "models/structure.hpp"
#include "suffice/core/error.hpp"

namespace suffice {
namespace {

std::string shape(Index rows, Index cols) {
  return std::to_string(rows) + " × " + std::to_string(cols);
}

/// Checks the parameters of one block.
class Check {
 public:
  Check(const Model::Parts& parts, const Block& block)
      : parts_(parts), block_(block), features_(std::ssize(block.features)) {}

  void operator()(const GaussianDensity& density) const {
    require_map(density.projection);
    const std::vector<std::string> names = names_of(density, parts_.schema, block_);
    const Index features = std::ssize(names);
    require_shape(density.mean, classes(), features, "the mean");
    require_finite(density.mean, "the mean", names);
    for (std::size_t i = 0; i < density.constant.size(); ++i)
      if (density.constant[i] < 0 || density.constant[i] >= features ||
          (i && density.constant[i] <= density.constant[i - 1]))
        throw InvalidArgument("the constant features of a Gaussian block must be positions below " +
                              std::to_string(features) + " in rising order, not " +
                              std::to_string(density.constant[i]));
    require_student(density, features);
    const Index count = is_tied(density.structure) ? 1 : classes();
    if (is_dense(density.structure)) {
      if (std::ssize(density.covariance) != count)
        throw InvalidArgument("covariance '" + std::string(to_string(density.structure)) +
                              "' takes " + std::to_string(count) + " matrices, not " +
                              std::to_string(density.covariance.size()));
      for (Index c = 0; c < count; ++c) {
        const Matrix& covariance = density.covariance[c];
        require_shape(covariance, features, features, "a covariance");
        require_symmetric(covariance, count == 1 ? "" : " of class " + quoted(parts_.labels[c]),
                          names);
      }
      return;
    }
    if (density.covariance.size() != 1)
      throw InvalidArgument("covariance '" + std::string(to_string(density.structure)) +
                            "' takes one matrix of variances, not " +
                            std::to_string(density.covariance.size()));
    require_shape(density.covariance[0], count, is_spherical(density.structure) ? 1 : features,
                  "the variances");
    for (const double variance : values(density.covariance[0]))
      if (!(variance >= 0) || !std::isfinite(variance))
        throw InvalidArgument("a variance must be finite and not negative, not " +
                              name_of(variance));
  }

  void operator()(const BernoulliDensity& density) const {
    require_probabilities(density.probability);
  }

  void operator()(const PoissonDensity& density) const {
    require_shape(density.rate, classes(), features_, "the rates");
    for (Index c = 0; c < classes(); ++c)
      for (Index j = 0; j < features_; ++j)
        if (!(density.rate(c, j) >= 0) || !std::isfinite(density.rate(c, j)))
          throw InvalidArgument("the rate of " + cell(c, j) + " is " + name_of(density.rate(c, j)) +
                                "; a rate is finite and not negative");
    if (density.shape.empty()) return;
    require_shape(density.shape, classes(), features_, "the shapes");
    for (Index c = 0; c < classes(); ++c)
      for (Index j = 0; j < features_; ++j)
        if (density.rate(c, j) > 0) require_positive(density.shape(c, j), c, "shape");
  }

  void operator()(const MultinomialDensity& density) const {
    require_probabilities(density.probability);
    for (Index c = 0; c < classes(); ++c)
      require_sum(density.probability, c, "class " + quoted(parts_.labels[c]));
    if (density.concentration.empty()) return;
    if (density.concentration.size() != classes())
      throw InvalidArgument("documents take one concentration a class (" +
                            std::to_string(classes()) + "), not " +
                            std::to_string(density.concentration.size()));
    for (Index c = 0; c < classes(); ++c)
      require_positive(density.concentration[c], c, "concentration");
  }

  void operator()(const CategoricalDensity& density) const {
    if (std::ssize(density.levels) != features_ || std::ssize(density.probability) != features_)
      throw InvalidArgument("a categorical block of " + std::to_string(features_) +
                            " features takes as many sets of levels (" +
                            std::to_string(density.levels.size()) + ") and of probabilities (" +
                            std::to_string(density.probability.size()) + ")");
    for (Index j = 0; j < features_; ++j) {
      const Matrix& probability = density.probability[j];
      const Names& levels = density.levels[j];
      require_shape(probability, classes(), levels.size(),
                    "the probabilities of feature " + quoted(name(j)));
      for (Index c = 0; c < classes(); ++c) {
        for (Index l = 0; l < levels.size(); ++l)
          if (!is_probability(probability(c, l)))
            throw_not_probability(probability(c, l), cell(c, j) + " at level " + quoted(levels[l]));
        if (!levels.empty()) require_sum(probability, c, cell(c, j));
      }
    }
  }

 private:
  Index classes() const { return parts_.labels.size(); }
  const std::string& name(Index j) const { return parts_.schema.feature(block_.features[j]).name; }

  void require_map(const LinearMap& map) const {
    if (map.empty()) return;
    require_shape(map.matrix, features_, map.matrix.cols(), "the matrix of a projection");
    if (map.offset.size() != features_)
      throw InvalidArgument("the offset of a projection of " + std::to_string(features_) +
                            " features has as many numbers, not " +
                            std::to_string(map.offset.size()));
    if (!map.explained.empty() && map.explained.size() != map.matrix.cols())
      throw InvalidArgument("a projection to " + std::to_string(map.matrix.cols()) +
                            " numbers says for each what it explains (or for none), not for " +
                            std::to_string(map.explained.size()));
    for (const std::span<const double> numbers :
         {values(map.matrix), std::span<const double>(map.offset),
          std::span<const double>(map.explained)})
      for (const double number : numbers)
        if (!std::isfinite(number))
          throw InvalidArgument("a projection has the number " + name_of(number) +
                                "; all of them must be finite");
  }
  std::string cell(Index c, Index j) const {
    return "class " + quoted(parts_.labels[c]) + " in feature " + quoted(name(j));
  }
  static std::span<const double> values(const Matrix& matrix) {
    return {matrix.data(), static_cast<std::size_t>(matrix.size())};
  }

  void require_shape(const Matrix& matrix, Index rows, Index cols, const std::string& what) const {
    if (matrix.rows() != rows || matrix.cols() != cols)
      throw InvalidArgument(what + " must be " + shape(rows, cols) + ", not " +
                            shape(matrix.rows(), matrix.cols()) + " (block of feature " +
                            quoted(name(0)) + ")");
  }

  void require_finite(const Matrix& matrix, const std::string& what,
                      const std::vector<std::string>& names) const {
    for (Index c = 0; c < matrix.rows(); ++c)
      for (Index j = 0; j < matrix.cols(); ++j)
        if (!std::isfinite(matrix(c, j)))
          throw InvalidArgument(what + " of class " + quoted(parts_.labels[c]) + " in feature " +
                                quoted(names[j]) + " is " + name_of(matrix(c, j)) +
                                "; it must be finite");
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
  void require_positive(double value, Index c, const std::string& what) const {
    if (parts_.weights[c] > 0 && (!(value > 0) || !std::isfinite(value)))
      throw InvalidArgument("the " + what + " of class " + quoted(parts_.labels[c]) + " is " +
                            name_of(value) + "; it must be positive and finite");
  }

  void require_student(const GaussianDensity& density, Index features) const {
    if (density.dof.empty() && !density.scale.empty())
      throw InvalidArgument(
          "scales are for Student's t, which has degrees of freedom; give these, or no scales");
    const Index dofs = is_diagonal(density.structure) ? features : 1;
    const Index scales = is_dense(density.structure) ? 1 : features;
    if (!density.dof.empty()) require_shape(density.dof, classes(), dofs, "the degrees of freedom");
    if (!density.scale.empty()) require_shape(density.scale, classes(), scales, "the scales");
    for (Index c = 0; c < classes() && !density.dof.empty(); ++c) {
      for (const double dof : density.dof.row(c)) require_positive(dof, c, "degrees of freedom");
      for (Index j = 0; j < density.scale.cols(); ++j)
        require_positive(density.scale(c, j), c, "scale");
    }
  }

  static bool is_probability(double p) { return p >= 0 && p <= 1; }
  [[noreturn]] static void throw_not_probability(double p, const std::string& where) {
    throw InvalidArgument("the probability of " + where + " is " + name_of(p) +
                          "; it must lie between 0 and 1");
  }

  void require_probabilities(const Matrix& probability) const {
    require_shape(probability, classes(), features_, "the probabilities");
    for (Index c = 0; c < classes(); ++c)
      for (Index j = 0; j < features_; ++j)
        if (!is_probability(probability(c, j)))
          throw_not_probability(probability(c, j), cell(c, j));
  }

  /// A class of weight 0 has no probabilities: they may all be 0.
  void require_sum(const Matrix& probability, Index c, const std::string& where) const {
    if (!(parts_.weights[c] > 0)) return;
    const auto values = probability.row(c);
    const double sum = std::reduce(values.begin(), values.end());
    if (!(std::abs(sum - 1) <= 1e-9))
      throw InvalidArgument("the probabilities of " + where + " sum to " + name_of(sum) +
                            "; they must sum to 1");
  }

  const Model::Parts& parts_;
  const Block& block_;
  Index features_;
};

bool fits(const Density& density, Family family) {
  switch (family) {
    case Family::gaussian:
      return std::holds_alternative<GaussianDensity>(density);
    case Family::bernoulli:
      return std::holds_alternative<BernoulliDensity>(density);
    case Family::poisson:
      return std::holds_alternative<PoissonDensity>(density);
    case Family::multinomial:
      return std::holds_alternative<MultinomialDensity>(density);
    case Family::categorical:
      return std::holds_alternative<CategoricalDensity>(density);
  }
  return false;
}

void check(const Model::Parts& parts) {
  const Index classes = parts.labels.size();
  if (classes == 0) throw InvalidArgument("a model needs at least one class");
  if (parts.weights.size() != classes)
    throw InvalidArgument("a model of " + std::to_string(classes) +
                          " classes takes as many weights (or none), not " +
                          std::to_string(parts.weights.size()));
  double total = 0;
  for (Index c = 0; c < classes; ++c) {
    if (!(parts.weights[c] >= 0) || !std::isfinite(parts.weights[c]))
      throw InvalidArgument("the weight of class " + quoted(parts.labels[c]) + " is " +
                            name_of(parts.weights[c]) + "; it must be finite and not negative");
    total += parts.weights[c];
  }
  if (!(total > 0)) throw InvalidArgument("a model needs a class of positive weight; all are 0");
  const auto& blocks = parts.schema.blocks();
  if (blocks.empty()) throw InvalidArgument("a model needs at least one feature");
  if (parts.densities.size() != blocks.size())
    throw InvalidArgument("the schema has " + std::to_string(blocks.size()) +
                          " blocks and needs a density for each, not " +
                          std::to_string(parts.densities.size()));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (!fits(parts.densities[b], blocks[b].family))
      throw InvalidArgument("block " + std::to_string(b) + " is of family '" +
                            std::string(to_string(blocks[b].family)) +
                            "' and needs a density of that family");
    std::visit(Check(parts, blocks[b]), parts.densities[b]);
  }
}

}  // namespace

Model::Model(Parts parts, const Execution& execution) : parts_(std::move(parts)) {
  if (parts_.weights.empty()) {
    parts_.weights = Vector(parts_.labels.size());
    std::ranges::fill(parts_.weights, 1.0);
  }
  check(parts_);
  factors_ = std::make_shared<const Factors>(make_factors(parts_, execution));
}

}  // namespace suffice
