// Principal components and discriminant analysis from statistics, beside scikit-learn's from rows
// (components.json, by make_components.py).

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "peers.hpp"

namespace suffice::components_test {
namespace {

using namespace testing;

class Components : public ::testing::TestWithParam<std::string> {};

struct Set {
  json expected;
  LabelledNumbers data;
  Statistics statistics;
};

Set read_set_of(const std::string& name) {
  const json& expected = peers("components.json")[name];
  LabelledNumbers data = read_numbers(expected["file"], expected["label"]);
  Statistics statistics = statistics_of(data);
  return {expected, std::move(data), std::move(statistics)};
}

#define SUFFICE_READ_SET(set)                                       \
  SUFFICE_NEEDS_DATA(peers("components.json")[GetParam()]["file"]); \
  const Set set = read_set_of(GetParam())

double z(const Set& set, const LinearMap& map, Index row, Index k) {
  double sum = 0;
  for (Index j = 0; j < map.matrix.rows(); ++j)
    sum += (set.data.x(row, j) - map.offset[j]) * map.matrix(j, k);
  return sum;
}

/// The rows' projections, column by column up to sign.
void expect_rows(const Set& set, const LinearMap& map, const json& expected, double tolerance) {
  const json& rows = set.expected["rows"];
  for (Index k = 0; k < static_cast<Index>(expected[0].size()); ++k) {
    double sign = 0, size = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double e = expected[i][static_cast<std::size_t>(k)];
      if (std::abs(e) > size) {
        size = std::abs(e);
        sign = e * z(set, map, rows[i], k) > 0 ? 1 : -1;
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_NEAR(sign * z(set, map, rows[i], k),
                  expected[i][static_cast<std::size_t>(k)].get<double>(), tolerance * size)
          << "row " << rows[i] << ", projection " << k;
  }
}

void expect_shares(const Vector& explained, const json& ratio) {
  double sum = 0;
  for (const double value : explained) sum += value;
  for (Index k = 0; k < explained.size(); ++k)
    EXPECT_NEAR(explained[k] / sum, ratio[static_cast<std::size_t>(k)].get<double>(), 1e-11);
}

TEST_P(Components, PrincipalComponents) {
  SUFFICE_READ_SET(set);
  const json& pca = set.expected["pca"];
  const LinearMap all = principal_components(set.statistics, 0, {.share = 1});
  expect_shares(all.explained, pca["ratio"]);
  for (Index k = 0; k < 3; ++k) {
    const json& component = pca["components"][static_cast<std::size_t>(k)];
    double dot = 0;
    for (Index j = 0; j < all.matrix.rows(); ++j)
      dot += all.matrix(j, k) * component[static_cast<std::size_t>(j)].get<double>();
    EXPECT_NEAR(std::abs(dot), 1, 1e-12);
  }
  expect_rows(set, first_components(all, 3), pca["z"], 1e-9);
  double share = 0;
  for (Index k = 0; k < all.matrix.cols(); ++k) {
    share += pca["ratio"][static_cast<std::size_t>(k)].get<double>();
    const LinearMap least = principal_components(set.statistics, 0, {.share = share - 1e-9});
    EXPECT_EQ(least.matrix.cols(), k + 1);
    if (k == 4) break;  // beyond these the shares of some sets are below 1e-9
  }
}

TEST_P(Components, LinearDiscriminants) {
  SUFFICE_READ_SET(set);
  const Index dimensions = set.statistics.labels().size() - 1;
  const LinearMap map = discriminant_components(set.statistics, 0, dimensions);
  expect_shares(map.explained, set.expected["lda"]["ratio"]);
  expect_rows(set, map, set.expected["lda"]["z"], 1e-8);
}

TEST_P(Components, PrincipalComponentsThenLinearDiscriminants) {
  SUFFICE_READ_SET(set);
  const Index dimensions = set.statistics.labels().size() - 1;
  const Model model = estimate(set.statistics, {.covariance = Covariance::tied,
                                                .pca = Pca{.components = set.expected["k"]},
                                                .lda = dimensions,
                                                .shrinkage = Shrinkage::none()});
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  expect_shares(density.projection.explained, set.expected["pca_lda"]["ratio"]);
  expect_rows(set, density.projection, set.expected["pca_lda"]["z"], 1e-8);
  for (Index i = 0; i < dimensions; ++i)
    for (Index j = 0; j < dimensions; ++j)
      EXPECT_NEAR(density.covariance[0](i, j), i == j ? 1 : 0, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Sets, Components, ::testing::Values("iris", "wine", "wdbc", "optdigits"),
                         [](const auto& set) { return set.param; });

}  // namespace
}  // namespace suffice::components_test
