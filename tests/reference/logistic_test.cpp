// Logistic regression against R's nnet::multinom (multinom.json, made by make_multinom.R).
// tests/python/test_logistic.py compares with scikit-learn.

#include "suffice/train/logistic.hpp"
#include "peers.hpp"

namespace suffice::testing {
namespace {

class MultinomTest : public ::testing::TestWithParam<const char*> {};

TEST_P(MultinomTest, WeightsAndErrors) {
  const json& expected = peers("multinom.json")[GetParam()];
  const auto file = expected["file"].get<std::string>();
  SUFFICE_NEEDS_DATA(file);
  const auto classes = expected["classes"].get<std::vector<std::string>>();
  const auto columns = expected["columns"].get<std::vector<std::string>>();
  Csv csv = read_csv(file);
  const std::size_t label = csv.position(expected["label"].get<std::string>());
  std::erase_if(csv.rows, [&](const auto& row) {
    return std::find(classes.begin(), classes.end(), row[label]) == classes.end();
  });
  const Matrix x = csv.numbers(columns);
  const std::vector<std::string> labels = csv.column(csv.header[label]);
  Vector weight(x.rows());
  for (Index i = 0; i < x.rows(); ++i) weight[i] = static_cast<double>(1 + i % 3);
  const RowBlock rows{MatrixView(x), Column(labels), Column(weight)};
  const Model generative = estimate(Statistics(Schema::numbered(x.cols())).update(rows),
                                    {.covariance = Covariance::tied});
  const LogisticFit fit =
      fit_logistic(generative, [&](const auto& use) { use(rows); }, {.penalty = 0});
  ASSERT_TRUE(fit.converged);
  EXPECT_FALSE(fit.separable);
  ASSERT_EQ(fit.model.labels().list(), classes);
  EXPECT_NEAR(fit.log_loss * weight.map().sum(), expected["loss"][0].get<double>(), 1e-6);
  const Logistic& twin = *fit.model.logistic();
  const Vector intercept = intercept_at_zero(twin);
  for (std::size_t k = 1; k < classes.size(); ++k) {
    const json& wanted = expected["coefficients"][k - 1];
    const auto c = static_cast<Index>(k);
    const auto near = [](double found, double value) {
      EXPECT_NEAR(found, value, 1e-6 * (1 + std::abs(value)));
    };
    near(intercept[c] - intercept[0], wanted[0].get<double>());
    for (Index j = 0; j < x.cols(); ++j)
      near(twin.weights(c, j) - twin.weights(0, j), wanted[static_cast<std::size_t>(j + 1)]);
  }
  const json& errors = expected["errors"];
  for (std::size_t j = 0; j < errors.size(); ++j)  // of a difference that is twice a weight
    EXPECT_NEAR(2 * twin.errors(0, static_cast<Index>(j)), errors[j].get<double>(),
                1e-5 * errors[j].get<double>());
}

INSTANTIATE_TEST_SUITE_P(Sets, MultinomTest, ::testing::Values("iris", "wine", "wdbc", "adult"));

}  // namespace
}  // namespace suffice::testing
