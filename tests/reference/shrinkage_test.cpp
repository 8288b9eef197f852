// OAS, strengths by evidence and predictive densities of public data sets, against scikit-learn and
// SciPy (make_shrinkage.py); and sets that plain maximum likelihood refuses.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "peers.hpp"

namespace suffice::testing {
namespace {

using Kind = Shrinkage::Kind;

const json& values_of(const std::string& set) { return peers("shrinkage.json")["sets"][set]; }

class ShrinkageOf : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    SUFFICE_NEEDS_DATA("iris.csv.gz");
    data_ = read_set(GetParam());
    statistics_.emplace(statistics_of(data_));
  }
  Model fit(const EstimateOptions& options) const { return estimate(*statistics_, options); }
  void expect_scores(const EstimateOptions& options, const json& expected, double tolerance) const {
    const Matrix got = log_likelihood(fit(options), RowBlock(data_.x)).values;
    expect_rows(
        values_of(GetParam())["rows"], expected, [&](Index i, Index c) { return got(i, c); },
        tolerance, tolerance);
  }

  LabelledNumbers data_;
  std::optional<Statistics> statistics_;
};

TEST_P(ShrinkageOf, OasIsThatOfScikitLearn) {
  const json& expected = values_of(GetParam());
  const Shrinkage oas = Shrinkage::oas();
  const Model full = fit({.shrinkage = oas, .target = Target::spherical});
  const std::vector<double>& shares = full.parts().found.shrinkage_shares;
  const auto& covariance = std::get<GaussianDensity>(full.densities()[0]).covariance;
  ASSERT_EQ(shares.size(), expected["oas_full"].size());
  for (std::size_t c = 0; c < shares.size(); ++c) {
    const double share = expected["oas_full"][c], variance = expected["oas_covariance_00"][c];
    EXPECT_NEAR(shares[c], share, 1e-11 * share);
    EXPECT_NEAR(covariance[c](0, 0), variance, 1e-11 * variance);
  }
  const Model tied =
      fit({.covariance = Covariance::tied, .shrinkage = oas, .target = Target::spherical});
  const double share = expected["oas_tied"];
  EXPECT_NEAR(tied.parts().found.shrinkage_shares.at(0), share, 1e-11 * share);
}

TEST_P(ShrinkageOf, EvidenceIsLargestWhereSciPyFindsIt) {
  const json& expected = values_of(GetParam());
  const Shrinkage automatic = Shrinkage::automatic();
  const auto rows = [](const Model& model) { return model.parts().found.shrinkage_rows.at(0); };
  const double u = expected["target_rows"], v = expected["full_rows"],
               single = expected["diag_rows"];
  const Model full = fit({.shrinkage = automatic});
  EXPECT_NEAR(full.parts().found.target_rows.at(0), u, 1e-5 * u);
  EXPECT_NEAR(rows(full), v, 1e-5 * v);
  EXPECT_NEAR(rows(fit({.covariance = Covariance::tied, .shrinkage = automatic})), u, 1e-5 * u);
  EXPECT_NEAR(rows(fit({.covariance = Covariance::diag, .shrinkage = automatic})), single,
              1e-5 * single);
}

TEST_P(ShrinkageOf, PredictiveDensitiesAreThoseOfSciPy) {
  const json& expected = values_of(GetParam());
  const Inference bayes = Inference::bayes;
  expect_scores({.shrinkage = Shrinkage::none(), .inference = bayes}, expected["bayes_full"],
                1e-10);
  expect_scores(
      {.covariance = Covariance::tied, .shrinkage = Shrinkage::none(), .inference = bayes},
      expected["bayes_tied"], 1e-9);
  expect_scores(
      {.covariance = Covariance::diag, .shrinkage = Shrinkage::none(), .inference = bayes},
      expected["bayes_diag"], 1e-11);
  expect_scores({.shrinkage = Shrinkage::automatic(), .inference = bayes},
                expected["bayes_auto_full"], 1e-6);
}

TEST_P(ShrinkageOf, DoesNotDependOnUnits) {
  LabelledNumbers scaled = data_;
  for (Index i = 0; i < scaled.x.rows(); ++i)
    for (Index j = 0; j < scaled.x.cols(); ++j) scaled.x(i, j) *= std::pow(10, 3 * (j % 5) - 6);
  const Statistics statistics = statistics_of(scaled);
  for (const Inference how : {Inference::plugin, Inference::map, Inference::bayes}) {
    const EstimateOptions options{.shrinkage = Shrinkage::automatic(), .inference = how};
    const Matrix expected = log_likelihood(fit(options), RowBlock(data_.x)).values;
    const Matrix got = log_likelihood(estimate(statistics, options), RowBlock(scaled.x)).values;
    for (Index i = 0; i < got.rows(); ++i)
      EXPECT_NEAR(got(i, 0) - got(i, 1), expected(i, 0) - expected(i, 1),
                  1e-7 * (1 + std::abs(expected(i, 0) - expected(i, 1))));
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, ShrinkageOf, ::testing::Values("iris", "wine", "wdbc"));

/// `auto` takes every set, also those whose covariances have no inverse.
TEST(Auto, RefusesNoPublicSet) {
  const std::vector<std::pair<std::string, std::string>> sets{
      {"iris.csv.gz", "species"},
      {"wine.csv.gz", "cultivar"},
      {"breast_cancer_wdbc.csv.gz", "diagnosis"},
      {"optdigits_train.csv.gz", "digit"},
      {"spambase.csv.gz", "is_spam"},
      {"letter.csv.gz", "letter"}};
  for (const auto& [file, label] : sets) {
    SUFFICE_NEEDS_DATA(file);
    const Csv csv = read_csv(file);
    ASSERT_EQ(std::count(csv.header.begin(), csv.header.end(), label), 1)
        << file << " has the columns " << csv.header.front() << " … " << csv.header.back();
    const LabelledNumbers data = read_numbers(file, label);
    const Statistics statistics = statistics_of(data);
    for (const Covariance structure : {Covariance::full, Covariance::tied, Covariance::diag})
      for (const Inference how : {Inference::plugin, Inference::map, Inference::bayes})
        EXPECT_NO_THROW(estimate(
            statistics,
            {.covariance = structure, .shrinkage = Shrinkage::automatic(), .inference = how}))
            << file << ", " << to_string(structure) << ", " << to_string(how);
  }
}

}  // namespace
}  // namespace suffice::testing
