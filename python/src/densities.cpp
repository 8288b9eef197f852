// Densities as dictionaries of arrays, the way the public model shows them, and back.

#include <nanobind/nanobind.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "models/structure.hpp"
#include "suffice/core/error.hpp"

namespace suffice::python {
namespace {

nb::object item(const nb::dict& given, const char* key) {
  if (!given.contains(key))
    throw InvalidArgument(std::string("a density lacks the key '") + key + "'");
  return given[key];
}

Doubles doubles(const nb::handle& value, const char* what) {
  Doubles array;
  if (!nb::try_cast(value, array))
    throw InvalidArgument(std::string("'") + what + "' of a density is no array of numbers");
  return array;
}

/// One matrix of the given shape, from the `position`-th piece of an array.
Matrix piece(const Doubles& array, Index position, Index rows, Index cols) {
  Matrix result(rows, cols);
  std::copy_n(array.data() + position * rows * cols, rows * cols, result.data());
  return result;
}

std::vector<Matrix> covariances(const Doubles& array, Covariance structure, Index classes,
                                Index d) {
  const Index matrices = structure == Covariance::full ? classes : 1;
  const bool dense = structure == Covariance::full || structure == Covariance::tied;
  const bool diagonal = structure == Covariance::diag || structure == Covariance::tied_diag;
  const Index rows = dense ? d : is_tied(structure) ? 1 : classes;
  const Index cols = dense || diagonal ? d : 1;
  if (static_cast<Index>(array.size()) != matrices * rows * cols)
    throw InvalidArgument(
        "a covariance of structure '" + std::string(to_string(structure)) + "' over " +
        std::to_string(classes) + " classes and " + std::to_string(d) + " features has " +
        std::to_string(matrices * rows * cols) + " numbers, not " + std::to_string(array.size()));
  std::vector<Matrix> result;
  for (Index m = 0; m < matrices; ++m) result.push_back(piece(array, m, rows, cols));
  return result;
}

/// A matrix, or a vector as its only column; empty where there is none.
Matrix optional_matrix(const nb::dict& given, const char* key) {
  if (!given.contains(key)) return {};
  const Doubles array = doubles(given[key], key);
  if (array.ndim() != 1) return matrix_of(array, std::string("'") + key + "'");
  return piece(array, 0, static_cast<Index>(array.size()), 1);
}

LinearMap projection_of(const nb::dict& given) {
  if (!given.contains("projection")) return {};
  const auto map = nb::cast<nb::dict>(given["projection"]);
  const auto vector = [&](const char* key) {
    return vector_of(doubles(item(map, key), key), std::string("'") + key + "'");
  };
  return {.matrix = matrix_of(doubles(item(map, "matrix"), "matrix"), "the projection"),
          .offset = vector("offset"),
          .explained = map.contains("explained") ? vector("explained") : Vector()};
}

GaussianDensity gaussian_of(const nb::dict& given) {
  GaussianDensity density;
  density.structure = covariance_from_string(nb::cast<std::string>(item(given, "structure")));
  density.mean = matrix_of(doubles(item(given, "mean"), "mean"), "the means");
  density.covariance = covariances(doubles(item(given, "covariance"), "covariance"),
                                   density.structure, density.mean.rows(), density.mean.cols());
  if (given.contains("constant"))
    density.constant = nb::cast<std::vector<Index>>(given["constant"]);
  density.projection = projection_of(given);
  density.dof = optional_matrix(given, "dof");
  density.scale = optional_matrix(given, "scale");
  return density;
}

CategoricalDensity categorical_of(const nb::dict& given) {
  CategoricalDensity density;
  for (const auto& levels :
       nb::cast<std::vector<std::vector<std::string>>>(item(given, "levels"))) {
    density.levels.emplace_back(levels);
    if (density.levels.back().list() != levels)
      throw InvalidArgument("the levels of a density must be in order and without repetition");
  }
  for (const nb::handle matrix : nb::cast<nb::list>(item(given, "probability")))
    density.probability.push_back(
        matrix_of(doubles(matrix, "probability"), "the probabilities of levels"));
  return density;
}

Density density_of(const nb::dict& given) {
  const auto matrix = [&](const char* key) {
    return matrix_of(doubles(item(given, key), key), std::string("'") + key + "'");
  };
  switch (family_from_string(nb::cast<std::string>(item(given, "family")))) {
    case Family::gaussian:
      return gaussian_of(given);
    case Family::bernoulli:
      return BernoulliDensity{matrix("probability")};
    case Family::poisson:
      return PoissonDensity{matrix("rate"), optional_matrix(given, "shape")};
    case Family::multinomial:
      return MultinomialDensity{
          matrix("probability"),
          given.contains("concentration")
              ? vector_of(doubles(given["concentration"], "concentration"), "'concentration'")
              : Vector()};
    case Family::categorical:
      break;
  }
  return categorical_of(given);
}

nb::object covariance_to_python(const GaussianDensity& density) {
  const Index d = density.mean.cols();
  std::vector<const Matrix*> all;
  for (const Matrix& matrix : density.covariance) all.push_back(&matrix);
  switch (density.structure) {
    case Covariance::full:
      return nb::cast(to_numpy(all, d, d));
    case Covariance::tied:
    case Covariance::diag:
      return nb::cast(to_numpy(density.covariance.front()));
    default:  // d numbers, K numbers, or one
      break;
  }
  const Matrix& only = density.covariance.front();
  return nb::cast(to_numpy(Vector(std::span<const double>(only.data(), only.size()))));
}

/// A matrix, or the numbers of its only column.
OutArray numbers(const Matrix& matrix, bool is_column) {
  if (!is_column) return to_numpy(matrix);
  return to_numpy(Vector(std::span<const double>(matrix.data(), matrix.size())));
}

nb::dict to_python(const LinearMap& map) {
  nb::dict result;
  result["matrix"] = to_numpy(map.matrix);
  result["offset"] = to_numpy(map.offset);
  if (!map.explained.empty()) result["explained"] = to_numpy(map.explained);
  return result;
}

nb::dict to_python(const Density& density) {
  nb::dict result;
  if (const auto* gaussian = std::get_if<GaussianDensity>(&density)) {
    result["family"] = "gaussian";
    result["structure"] = std::string(to_string(gaussian->structure));
    result["mean"] = to_numpy(gaussian->mean);
    result["covariance"] = covariance_to_python(*gaussian);
    result["constant"] = nb::cast(gaussian->constant);
    if (!gaussian->projection.empty()) result["projection"] = to_python(gaussian->projection);
    if (!gaussian->dof.empty())
      result["dof"] = numbers(gaussian->dof, !is_diagonal(gaussian->structure));
    if (!gaussian->scale.empty())
      result["scale"] = numbers(gaussian->scale, is_dense(gaussian->structure));
  } else if (const auto* bernoulli = std::get_if<BernoulliDensity>(&density)) {
    result["family"] = "bernoulli";
    result["probability"] = to_numpy(bernoulli->probability);
  } else if (const auto* poisson = std::get_if<PoissonDensity>(&density)) {
    result["family"] = "poisson";
    result["rate"] = to_numpy(poisson->rate);
    if (!poisson->shape.empty()) result["shape"] = to_numpy(poisson->shape);
  } else if (const auto* multinomial = std::get_if<MultinomialDensity>(&density)) {
    result["family"] = "multinomial";
    result["probability"] = to_numpy(multinomial->probability);
    if (!multinomial->concentration.empty())
      result["concentration"] = to_numpy(multinomial->concentration);
  } else {
    const auto& categorical = std::get<CategoricalDensity>(density);
    nb::list levels, probability;
    for (const Names& names : categorical.levels) levels.append(nb::cast(names.list()));
    for (const Matrix& matrix : categorical.probability)
      probability.append(nb::cast(to_numpy(matrix)));
    result["family"] = "categorical";
    result["levels"] = levels;
    result["probability"] = probability;
  }
  return result;
}

}  // namespace

nb::list to_python(const std::vector<Density>& densities) {
  nb::list result;
  for (const Density& density : densities) result.append(to_python(density));
  return result;
}

std::vector<Density> densities_of(const nb::list& given) {
  std::vector<Density> result;
  for (const nb::handle one : given) result.push_back(density_of(nb::cast<nb::dict>(one)));
  return result;
}

}  // namespace suffice::python
