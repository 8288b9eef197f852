// The same data through other people's programs: scikit-learn and SciPy (make_sklearn.py) and R's
// MASS (make_mass.R). Counts of errors are equal; log-likelihoods and posteriors agree to 1e-10
// unless the data are so ill-conditioned that the peer has fewer digits, as noted there.

#include "peers.hpp"

namespace suffice::testing {
namespace {

// ---- The small sets

struct SmallSet {
  const char* name;
  const char* file;
  /// Relative. wdbc's features are so correlated that its covariances have a condition of 1e12, its
  /// correlations one of 1e6 to 1e7; the peers invert what they have and lose those digits.
  double tolerance;
};
std::ostream& operator<<(std::ostream& out, const SmallSet& set) { return out << set.name; }

class SmallSets : public ::testing::TestWithParam<SmallSet> {};

TEST_P(SmallSets, NaiveBayesOfScikitLearn) {
  SUFFICE_NEEDS_DATA(GetParam().file);
  const LabelledNumbers data = read_set(GetParam().name);
  const json& all = peers("sklearn.json").at(GetParam().name);
  const json& expected = all.at("naive");
  for (const Scatter scatter : {Scatter::dense, Scatter::diagonal}) {
    const Statistics stats = statistics_of(data, scatter);
    const Model model =
        estimate(stats, {.covariance = Covariance::diag, .shrinkage = Shrinkage::none()});
    EXPECT_EQ(model.labels().list(), all.at("classes").get<std::vector<std::string>>());
    const auto& density = std::get<GaussianDensity>(model.densities()[0]);
    expect_matrix(density.mean, expected.at("mean"), 1e-13);
    expect_matrix(density.covariance[0], expected.at("variance"), 1e-12);
    EXPECT_EQ(errors(model, data), expected.at("errors"));
    const Matrix L = log_likelihood(model, RowBlock(data.x)).values;
    const Priors priors = Priors::from_counts(model);
    expect_rows(
        all.at("rows"), expected.at("joint"),
        [&](Index i, Index c) { return L(i, c) + priors.log()[c]; }, 1e-11, 1e-11);
  }
}

TEST_P(SmallSets, TiedGaussiansOfScipyAndScikitLearn) {
  SUFFICE_NEEDS_DATA(GetParam().file);
  const LabelledNumbers data = read_set(GetParam().name);
  const json& all = peers("sklearn.json").at(GetParam().name);
  const json& expected = all.at("tied");
  const double tolerance = GetParam().tolerance;
  const Statistics stats = statistics_of(data);
  const Model model =
      estimate(stats, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  const Matrix L = log_likelihood(model, RowBlock(data.x)).values;
  expect_rows(
      all.at("rows"), expected.at("log_likelihood"), [&](Index i, Index c) { return L(i, c); },
      tolerance, tolerance);
  if (expected.contains("covariance"))
    expect_matrix(std::get<GaussianDensity>(model.densities()[0]).covariance[0],
                  expected.at("covariance"), 1e-10);
  expect_posteriors(model, data, all.at("rows"), expected.at("posterior"), tolerance);
  EXPECT_EQ(errors(model, data), expected.at("errors"));
}

TEST_P(SmallSets, FullGaussiansOfScipyAndScikitLearn) {
  SUFFICE_NEEDS_DATA(GetParam().file);
  const json& all = peers("sklearn.json").at(GetParam().name);
  if (!all.contains("full"))
    GTEST_SKIP() << "scikit-learn treats this set as singular; MASS does not";
  const LabelledNumbers data = read_set(GetParam().name);
  const json& expected = all.at("full");
  const Model model = estimate(statistics_of(data),
                               {.covariance = Covariance::full, .shrinkage = Shrinkage::none()});
  const Matrix L = log_likelihood(model, RowBlock(data.x)).values;
  expect_rows(
      all.at("rows"), expected.at("log_likelihood"), [&](Index i, Index c) { return L(i, c); },
      GetParam().tolerance, GetParam().tolerance);
  expect_posteriors(model, data, all.at("rows"), expected.at("posterior"), GetParam().tolerance);
  EXPECT_EQ(errors(model, data), expected.at("errors"));
}

TEST_P(SmallSets, LdaAndQdaOfMass) {
  SUFFICE_NEEDS_DATA(GetParam().file);
  const LabelledNumbers data = read_set(GetParam().name);
  const json& all = peers("mass.json").at(GetParam().name);
  const Statistics stats = statistics_of(data);
  for (const auto& [name, structure] :
       {std::pair("lda", Covariance::tied), std::pair("qda", Covariance::full)}) {
    SCOPED_TRACE(name);
    const json& expected = all.at(name);
    const Model model = estimate(stats, {.covariance = structure,
                                         .normalize = Normalize::unbiased,
                                         .shrinkage = Shrinkage::none()});
    EXPECT_EQ(errors(model, data), expected.at("errors"));
    expect_posteriors(model, data, all.at("rows"), expected.at("posterior"), GetParam().tolerance);
    if (expected.contains("counts")) {
      for (Index c = 0; c < stats.labels().size(); ++c)
        EXPECT_EQ(stats.weights()[c], expected.at("counts")[static_cast<std::size_t>(c)]);
    }
    if (expected.contains("means"))
      expect_matrix(std::get<GaussianDensity>(model.densities()[0]).mean, expected.at("means"),
                    1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, SmallSets,
                         ::testing::Values(SmallSet{"iris", "iris.csv.gz", 1e-11},
                                           SmallSet{"wine", "wine.csv.gz", 1e-11},
                                           SmallSet{"penguins", "penguins.csv.gz", 1e-11},
                                           SmallSet{"wdbc", "breast_cancer_wdbc.csv.gz", 1e-8}),
                         [](const auto& set) { return std::string(set.param.name); });

// ---- Letters: 26 classes, 16000 rows to learn from and 4000 to test on

TEST(Letter, GaussiansOfScikitLearnAndMass) {
  SUFFICE_NEEDS_DATA("letter.csv.gz");
  const LabelledNumbers data = read_numbers("letter.csv.gz", "letter");
  const LabelledNumbers train = rows_of(data, 0, 16000), test = rows_of(data, 16000, 20000);
  const Statistics stats = statistics_of(train);
  const json& expected = peers("sklearn.json").at("letter");
  for (const auto& [name, structure] :
       {std::pair("naive", Covariance::diag), std::pair("tied", Covariance::tied),
        std::pair("full", Covariance::full)}) {
    SCOPED_TRACE(name);
    const Model model = estimate(stats, {.covariance = structure, .shrinkage = Shrinkage::none()});
    EXPECT_EQ(errors(model, train), expected.at(name).at("errors"));
    EXPECT_EQ(errors(model, test), expected.at(name).at("test_errors"));
    expect_posteriors(model, test, expected.at("rows"), expected.at(name).at("test_posterior"),
                      1e-11);
  }
  const json& mass = peers("mass.json").at("letter");
  for (const auto& [name, structure, train_rate, test_rate] :
       {std::tuple("lda", Covariance::tied, 0.2940, 0.3118),
        std::tuple("qda", Covariance::full, 0.1007, 0.1250)}) {
    SCOPED_TRACE(name);
    const Model model = estimate(stats, {.covariance = structure,
                                         .normalize = Normalize::unbiased,
                                         .shrinkage = Shrinkage::none()});
    const int wrong = errors(model, train), test_wrong = errors(model, test);
    EXPECT_EQ(wrong, mass.at(name).at("errors"));
    EXPECT_EQ(test_wrong, mass.at(name).at("test_errors"));
    EXPECT_NEAR(wrong / 16000.0, train_rate, 0.00005);
    EXPECT_NEAR(test_wrong / 4000.0, test_rate, 0.00006);
    expect_posteriors(model, train, mass.at("rows"), mass.at(name).at("posterior"), 1e-11);
  }
}

// ---- Digits of 8 × 8 counts; two pixels are constant over all training rows

TEST(Optdigits, TiedGaussiansLeaveOutConstantPixels) {
  SUFFICE_NEEDS_DATA("optdigits_train.csv.gz");
  const LabelledNumbers train = read_numbers("optdigits_train.csv.gz", "digit");
  const LabelledNumbers test = read_numbers("optdigits_test.csv.gz", "digit");
  const Statistics stats = statistics_of(train);
  const json& expected = peers("sklearn.json").at("optdigits");
  const Model model =
      estimate(stats, {.covariance = Covariance::tied, .shrinkage = Shrinkage::none()});
  EXPECT_EQ(std::get<GaussianDensity>(model.densities()[0]).constant,
            expected.at("constant").get<std::vector<Index>>());
  EXPECT_EQ(errors(model, train), expected.at("tied").at("errors"));
  EXPECT_EQ(errors(model, test), expected.at("tied").at("test_errors"));
  expect_posteriors(model, test, expected.at("tied").at("rows"),
                    expected.at("tied").at("test_posterior"), 1e-10);
  const json& mass = peers("mass.json").at("optdigits");
  const Model unbiased = estimate(stats, {.covariance = Covariance::tied,
                                          .normalize = Normalize::unbiased,
                                          .shrinkage = Shrinkage::none()});
  EXPECT_EQ(errors(unbiased, train), mass.at("lda").at("errors"));
  EXPECT_EQ(errors(unbiased, test), mass.at("lda").at("test_errors"));
  expect_posteriors(unbiased, train, mass.at("rows"), mass.at("lda").at("posterior"), 1e-10);
}

TEST(Spambase, GaussiansOfScikitLearn) {
  SUFFICE_NEEDS_DATA("spambase.csv.gz");
  const Split data = spambase(false);
  const Statistics stats = statistics_of(data.train);
  const json& expected = peers("sklearn.json").at("spambase");
  for (const auto& [name, structure] :
       {std::pair("naive", Covariance::diag), std::pair("tied", Covariance::tied)}) {
    SCOPED_TRACE(name);
    const Model model = estimate(stats, {.covariance = structure, .shrinkage = Shrinkage::none()});
    EXPECT_EQ(errors(model, data.train), expected.at(name).at("errors"));
    EXPECT_EQ(errors(model, data.test), expected.at(name).at("test_errors"));
    const Matrix p =
        log_posteriors(log_likelihood(model, RowBlock(data.test.x)), Priors::from_counts(model));
    expect_rows(
        expected.at("rows"), expected.at(name).at("log_posterior"),
        [&](Index i, Index c) { return p(i, c); }, 1e-10, 1e-10);
  }
}

}  // namespace
}  // namespace suffice::testing
