// The option `tails` on public data sets, against SciPy's multivariate t (make_tails.py).

#include <limits>
#include <string>
#include <vector>

#include "peers.hpp"

namespace suffice::testing {
namespace {

class TailsOf : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    SUFFICE_NEEDS_DATA("iris.csv.gz");
    data_ = read_set(GetParam());
    expected_ = peers("tails.json")["sets"][GetParam()];
  }
  /// Calls check(model, density) for every structure and number of degrees of freedom.
  template <class Check>
  void for_each_density(const Check& check) const {
    const Statistics statistics = statistics_of(data_);
    for (const json& density : expected_["densities"]) {
      const std::string structure = density["structure"];
      const double dof = density["dof"];
      SCOPED_TRACE(structure + " " + std::to_string(dof));
      check(estimate(statistics, {.covariance = covariance_from_string(structure),
                                  .shrinkage = Shrinkage::none(),
                                  .tails = Tails::student(dof)}),
            density);
    }
  }
  // Differences of two logarithms of Γ, of which SciPy makes its constant, lose digits as ν grows.
  static double digits(const json& density) { return density["dof"] > 1e5 ? 1e-8 : 1e-10; }
  void expect_scores(const Matrix& got, const json& expected, double tolerance) const {
    expect_rows(
        expected_["rows"], expected, [&](Index i, Index c) { return got(i, c); }, tolerance,
        tolerance);
  }

  LabelledNumbers data_;
  json expected_;
};

TEST_P(TailsOf, ScoresAreThoseOfSciPy) {
  for_each_density([&](const Model& model, const json& density) {
    expect_scores(log_likelihood(model, RowBlock(data_.x)).values, density["scores"],
                  digits(density));
  });
}

TEST_P(TailsOf, MarginalsAreThoseOfSciPy) {
  Matrix x = data_.x;
  for (Index i = 0; i < x.rows(); ++i) x(i, 1) = std::numeric_limits<double>::quiet_NaN();
  for_each_density([&](const Model& model, const json& density) {
    expect_scores(log_likelihood(model, RowBlock(x)).values, density["partial"], digits(density));
  });
}

TEST_P(TailsOf, OutlierScoresAreTheTailsOfF) {
  for_each_density([&](const Model& model, const json& density) {
    for (std::size_t k = 0; k < expected_["rows"].size(); ++k) {
      const Index i = expected_["rows"][k];
      const LabelledNumbers one = rows_of(data_, i, i + 1);
      Vector mixture(model.labels().size());
      mixture[model.labels().at(one.labels[0], "class")] = 1;
      const RowBlock row(one.x);
      const double expected = density["beyond"][k];
      EXPECT_NEAR(outlier_score(model, row, log_likelihood(model, row), mixture)[0], expected,
                  1e-9 + 1e-7 * expected);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sets, TailsOf, ::testing::Values("iris", "wine"));

}  // namespace
}  // namespace suffice::testing
