// Mixtures and rows without a label, against scikit-learn and slow EMs in NumPy (make_mixture.py)
// and against mclust (make_mclust.R).

#include <optional>
#include <string>
#include <vector>

#include "peers.hpp"
#include "suffice/train/mixture.hpp"

namespace suffice::testing {
namespace {

const EstimateOptions plain{.shrinkage = Shrinkage::none()};

Matrix matrix_of(const json& rows) {
  Matrix result(std::ssize(rows), std::ssize(rows[0]));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j) result(i, j) = rows[i][j].get<double>();
  return result;
}

void expect_near(const Matrix& values, const json& expected, double tolerance) {
  ASSERT_EQ(values.rows(), std::ssize(expected));
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      EXPECT_NEAR(values(i, j), expected[i][j].get<double>(), tolerance) << i << ", " << j;
}

void expect_path(const std::vector<double>& path, const json& expected, double tolerance) {
  ASSERT_EQ(path.size(), expected.size());
  for (std::size_t k = 0; k < path.size(); ++k)
    EXPECT_NEAR(path[k], expected[k].get<double>(), tolerance) << "pass " << k;
}

/// All rows as one class.
LabelledNumbers one_class(LabelledNumbers data) {
  std::fill(data.labels.begin(), data.labels.end(), "all");
  return data;
}

struct Rows {
  LabelledNumbers data;
  RowBlock block{0};
  Statistics statistics;

  explicit Rows(LabelledNumbers of)
      : data(std::move(of)), statistics(Schema::numbered(data.x.cols())) {
    block = RowBlock(MatrixView(data.x), Column(data.labels));
    statistics.update(block);
  }
  RowPass pass() const {
    return [this](const auto& use) { use(block); };
  }
};

/// Components of the classes: means (K' × d) and covariances.
Model mixture_model(const Statistics& statistics, const std::vector<Index>& count,
                    GaussianDensity density, const std::vector<double>& shares) {
  Mixture mixture = mixture_of(statistics.labels(), count);
  for (Index g = 0; g < mixture.size(); ++g)
    mixture.weights[g] = shares[static_cast<std::size_t>(g)];
  return Model({.schema = statistics.schema(),
                .labels = statistics.labels(),
                .weights = statistics.weights(),
                .densities = {std::move(density)},
                .mixture = std::move(mixture)});
}

class MixturePaths : public ::testing::TestWithParam<Covariance> {};

TEST_P(MixturePaths, AreThoseOfScikitLearn) {
  SUFFICE_NEEDS_DATA("iris.csv.gz");
  const Rows rows(one_class(read_set("iris")));
  const Covariance structure = GetParam();
  const std::string name(to_string(structure));
  const json& expected = peers("mixture.json")["paths"][name];

  // It begins with three of the rows as means, and the covariance of all rows.
  EstimateOptions options = plain;
  options.covariance = structure;
  const Model whole = estimate(rows.statistics, options);
  GaussianDensity start = std::get<GaussianDensity>(whole.densities()[0]);
  start.mean = Matrix(3, 4);
  for (Index g = 0; g < 3; ++g)
    std::copy_n(rows.data.x.row(60 * g).data(), 4, start.mean.row(g).data());
  if (structure == Covariance::full) {
    start.covariance.assign(3, start.covariance[0]);
  } else if (structure != Covariance::tied) {
    Matrix each(3, start.covariance[0].cols());
    for (Index g = 0; g < 3; ++g)
      std::copy_n(start.covariance[0].data(), each.cols(), each.row(g).data());
    start.covariance = {each};
  }
  const Model begin = mixture_model(rows.statistics, {3}, start, {1, 1, 1});
  for (const int threads : {1, 2}) {
    const MixtureFit fit =
        fit_mixture(rows.statistics, rows.pass(),
                    {.estimate = options,
                     .passes = {.iterations = std::ssize(expected["path"]), .tolerance = 0}},
                    {.threads = threads}, &begin);
    expect_path(fit.log_likelihood, expected["path"], 150 * 1e-8);
    const auto& density = std::get<GaussianDensity>(fit.model.densities()[0]);
    expect_near(density.mean, expected["means"], 1e-6);
    const Vector shares = fit.model.mixture()->shares();
    for (Index g = 0; g < 3; ++g)
      EXPECT_NEAR(shares[g], expected["weights"][g].get<double>(), 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(Structures, MixturePaths,
                         ::testing::Values(Covariance::full, Covariance::tied, Covariance::diag,
                                           Covariance::spherical));

TEST(Unlabelled, PathIsThatOfASlowEm) {
  SUFFICE_NEEDS_DATA("iris.csv.gz");
  const LabelledNumbers two = rows_of(read_set("iris"), 50, 150);
  const json& expected = peers("mixture.json")["unlabelled"];
  LabelledNumbers known{two.names, Matrix(10, 4), {}};
  std::vector<std::string> labels = two.labels;
  std::vector<std::uint8_t> valid(13);
  for (Index i = 0; i < 100; ++i) {
    if (i % 10 != 0) {
      labels[static_cast<std::size_t>(i)] = "";
      continue;
    }
    valid[static_cast<std::size_t>(i >> 3)] |= static_cast<std::uint8_t>(1 << (i & 7));
    std::copy_n(two.x.row(i).data(), 4, known.x.row(i / 10).data());
    known.labels.push_back(two.labels[static_cast<std::size_t>(i)]);
  }
  const Rows labelled(known);
  const Model begin = estimate(labelled.statistics, plain);
  const RowBlock all(MatrixView(two.x), Column(Strings(labels), {valid.data(), 0}));
  const MixtureFit fit = fit_mixture(
      labelled.statistics, [&](const auto& use) { use(all); },
      {.estimate = plain,
       .passes = {.iterations = std::ssize(expected["path"]), .tolerance = 0},
       .unlabelled_weight = 0.5},
      {}, &begin);
  EXPECT_FALSE(fit.model.mixture());
  EXPECT_EQ(fit.unlabelled_rows, 90);
  EXPECT_TRUE(fit.model.weights() == labelled.statistics.weights());
  expect_path(fit.log_likelihood, expected["path"], 1e-6);
  expect_near(std::get<GaussianDensity>(fit.model.densities()[0]).mean, expected["means"], 1e-7);
}

TEST(MissingNumbersOfMixtures, AreCompletedAsByASlowEm) {
  SUFFICE_NEEDS_DATA("iris.csv.gz");
  LabelledNumbers data = one_class(rows_of(read_set("iris"), 50, 150));
  for (Index i = 0; i < 100; ++i)
    for (Index j = 0; j < 4; ++j)
      if ((7 * i + 11 * j + i * j) % 5 == 0) data.x(i, j) = std::nan("");
  const Rows rows(data);
  const json& expected = peers("mixture.json")["missing"];
  GaussianDensity start{Covariance::full, matrix_of(expected["begin"]), {}};
  Matrix covariance(4, 4);
  for (Index j = 0; j < 4; ++j) covariance(j, j) = expected["variance"][j].get<double>();
  start.covariance.assign(2, covariance);
  const Model begin = mixture_model(rows.statistics, {2}, start, {1, 1});
  const MixtureFit fit = fit_mixture(
      rows.statistics, rows.pass(),
      {.estimate = plain, .passes = {.iterations = std::ssize(expected["path"]), .tolerance = 0}},
      {}, &begin);
  expect_path(fit.log_likelihood, expected["path"], 1e-6);
  expect_near(std::get<GaussianDensity>(fit.model.densities()[0]).mean, expected["means"], 1e-6);
}

GaussianDensity density_of(const json& of) {
  GaussianDensity result{Covariance::full, matrix_of(of["means"]), {}};
  for (const json& covariance : of["covariances"]) {
    Matrix& symmetric = result.covariance.emplace_back(matrix_of(covariance));
    for (Index i = 0; i < symmetric.rows(); ++i)
      for (Index j = 0; j < i; ++j) symmetric(i, j) = symmetric(j, i);
  }
  return result;
}

TEST(Mclust, FindsTheSameMaximumFromAStartOfItsOwn) {
  SUFFICE_NEEDS_DATA("iris.csv.gz");
  const Rows rows(one_class(read_set("iris")));
  const json& expected = peers("mclust.json")["mixture"];
  const MixtureFit fit = fit_mixture(rows.statistics, rows.pass(),
                                     {.estimate = {.shrinkage = Shrinkage::none(), .components = 3},
                                      .passes = {.tolerance = 1e-10}});
  EXPECT_NEAR(fit.log_likelihood.back(), expected["log_likelihood"][0].get<double>(), 1e-4);
}

TEST(Mclust, MixtureDiscriminantAnalysisHasItsPosteriors) {
  SUFFICE_NEEDS_DATA("iris.csv.gz");
  const Rows rows(read_set("iris"));
  const json& expected = peers("mclust.json")["analysis"];
  GaussianDensity all{Covariance::full, Matrix(6, 4), {}};
  std::vector<double> shares;
  for (Index c = 0; c < 3; ++c) {
    const json& of = expected["classes"][rows.statistics.labels()[c]];
    const GaussianDensity own = density_of(of);
    for (Index g = 0; g < 2; ++g) {
      std::copy_n(own.mean.row(g).data(), 4, all.mean.row(2 * c + g).data());
      all.covariance.push_back(own.covariance[static_cast<std::size_t>(g)]);
      shares.push_back(of["shares"][g].get<double>());
    }
  }
  const Model theirs = mixture_model(rows.statistics, {2, 2, 2}, all, shares);
  const LogLikelihoods scores = log_likelihood(theirs, rows.block);
  double total = 0;
  for (Index i = 0; i < 150; ++i) total += scores.values(i, i / 50);
  EXPECT_NEAR(total, expected["log_likelihood"][0].get<double>(), 1e-6);
  const Matrix found = posteriors(scores, Priors::from_counts(theirs));
  for (Index k = 0; k < 15; ++k)
    for (Index c = 0; c < 3; ++c)
      EXPECT_NEAR(found(10 * k, c), expected["posteriors"][k][c].get<double>(), 1e-8);
}

}  // namespace
}  // namespace suffice::testing
