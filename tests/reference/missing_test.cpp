// Maximum likelihood of rows with missing numbers, against lavaan (make_missing.R).

#include <string>
#include <vector>

#include "peers.hpp"
#include "suffice/train/completion.hpp"

namespace suffice::testing {
namespace {

TEST(MissingNumbers, MaximumLikelihoodIsThatOfLavaan) {
  SUFFICE_NEEDS_DATA("iris.csv.gz");
  LabelledNumbers iris = read_set("iris");
  for (Index i = 0; i < iris.x.rows(); ++i)
    for (Index j = 0; j < 4; ++j)
      if ((7 * i + 11 * j + i * j) % 5 == 0) iris.x(i, j) = std::nan("");
  const RowBlock rows{MatrixView(iris.x), Column(iris.labels)};
  const Statistics statistics = Statistics(Schema::numbered(4)).update(rows);
  const Model model = complete(statistics, [&](const auto& use) { use(rows); },
                               {.estimate = {.shrinkage = Shrinkage::none()},
                                .passes = {.iterations = 20000, .tolerance = 1e-15}})
                          .model();
  const auto& density = std::get<GaussianDensity>(model.densities()[0]);
  for (Index c = 0; c < 3; ++c) {
    const json& expected = peers("missing.json")[model.labels()[c]];
    for (Index j = 0; j < 4; ++j) {
      EXPECT_NEAR(density.mean(c, j), expected["mean"][j].get<double>(), 1e-6);
      for (Index k = 0; k < 4; ++k)
        EXPECT_NEAR(density.covariance[c](j, k), expected["covariance"][j][k].get<double>(), 1e-6);
    }
  }
}

}  // namespace
}  // namespace suffice::testing
