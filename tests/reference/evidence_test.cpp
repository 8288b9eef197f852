// Evidence against Shapley values that NumPy worked out over all sets of columns
// (make_evidence.py).

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "peers.hpp"

namespace suffice::evidence_reference_test {
namespace {

using testing::json;
using testing::peers;

Matrix matrix_of(const json& rows) {
  Matrix result(std::ssize(rows), std::ssize(rows[0]));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j) {
      const json& cell = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      result(i, j) = cell.is_null() ? std::numeric_limits<double>::quiet_NaN() : cell.get<double>();
    }
  return result;
}

Model model_of(const json& of) {
  std::vector<std::string> labels;
  std::vector<Index> components;
  for (std::size_t c = 0; c < of["class_weights"].size(); ++c) {
    labels.push_back(std::to_string(c));
    components.push_back(0);
  }
  for (const Index c : of["label"]) ++components[static_cast<std::size_t>(c)];
  GaussianDensity density{
      of["tied"] ? Covariance::tied : Covariance::full, matrix_of(of["mean"]), {}};
  for (const json& covariance : of["covariance"])
    density.covariance.push_back(matrix_of(covariance));
  const Index rows = density.mean.rows();
  if (!of["dof"].is_null()) {
    const double dof = of["dof"];
    density.dof = density.scale = Matrix(rows, 1);
    for (Index g = 0; g < rows; ++g) {
      density.dof(g, 0) = dof;
      density.scale(g, 0) = (dof - 2) / dof;
    }
  }
  Model::Parts parts{
      .schema = Schema::numbered(density.mean.cols()),
      .labels = Names(labels),
      .weights = Vector(std::span<const double>(of["class_weights"].get<std::vector<double>>())),
      .densities = {density}};
  if (rows > std::ssize(labels)) {
    parts.mixture = mixture_of(parts.labels, components);
    for (Index g = 0; g < rows; ++g)
      parts.mixture->weights[g] = of["weights"][static_cast<std::size_t>(g)];
  }
  return Model(std::move(parts));
}

TEST(EvidenceOfNumPy, IsTheShapleyValueOfMarginals) {
  ASSERT_GE(peers("evidence.json")["cases"].size(), 9u);
  for (const json& of : peers("evidence.json")["cases"]) {
    SCOPED_TRACE(of["name"].get<std::string>());
    const Model model = model_of(of);
    const Matrix rows = matrix_of(of["rows"]);
    const std::optional<std::string> against =
        of["against"].is_null() ? std::optional<std::string>() : "1";
    const Evidence why = evidence(model, rows, "0", against);
    for (Index i = 0; i < rows.rows(); ++i) {
      const json& expected = of["evidence"][static_cast<std::size_t>(i)];
      EXPECT_NEAR(why.offset[i], expected["nothing"].get<double>(), 1e-12);
      double size = 1;
      for (const double value : expected["values"]) size = std::max(size, std::abs(value));
      for (Index j = 0; j < rows.cols(); ++j)
        EXPECT_NEAR(why.values(i, j), expected["values"][static_cast<std::size_t>(j)].get<double>(),
                    1e-10 * size)
            << "row " << i << ", column " << j;
    }
  }
}

}  // namespace
}  // namespace suffice::evidence_reference_test
